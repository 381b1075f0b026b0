/** Waiting for what may fail or never end. */

/**
 * @param {() => unknown} work
 * @returns {Promise<'done' | 'failed'>}
 */
export async function settled(work) {
  try {
    await work();
    return 'done';
  } catch {
    return 'failed';
  }
}

/**
 * @template T
 * @param {Promise<T>} work
 * @param {number} ms
 * @returns {Promise<T | 'late'>}
 */
export async function within(work, ms) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve('late'), ms);
  });
  try {
    return await Promise.race([work, /** @type {Promise<'late'>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}
