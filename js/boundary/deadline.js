/** Work of others that may never end. */

/** It has not ended in time. What it does from now on is not waited for. */
export class TooLate extends Error {}

/**
 * The outcome of some work, or TooLate.
 * @template T
 * @param {() => Promise<T>} work
 * @param {number} ms
 * @returns {Promise<T>}
 */
export async function beforeDeadline(work, ms) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    timer = setTimeout(reject, ms, new TooLate(`It has not ended within ${ms} ms.`));
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
