/** Waits for work that may fail or never end. */

/** How long a caller waits for a rollback. After that it continues in the background: nothing can be committed any more. */
export const ROLLBACK_ANSWER_MS = 1_000;

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
