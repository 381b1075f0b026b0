/** Deadlines for asynchronous work. */

/** The work did not end in time. It may continue in the background. */
export class TooLate extends Error {}

/**
 * The outcome of the work; rejects with TooLate after a timeout.
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
    timer = setTimeout(reject, ms, new TooLate(`It did not end within ${ms} ms.`));
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
