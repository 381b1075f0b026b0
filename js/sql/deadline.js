import { SqlError } from '../errors.js';

/**
 * The outcome of a statement, or a timeout after which `stop` has been asked to end it in the database.
 * @template T
 * @param {Promise<T>} work
 * @param {number} ms
 * @param {() => unknown} stop
 * @returns {Promise<T>}
 */
export async function beforeDeadline(work, ms, stop) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      work.catch(() => {});
      reject(timedOut(ms));
      stop();
    }, ms);
  });
  try {
    return await Promise.race([work, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {number} ms */
export function timedOut(ms) {
  return new SqlError(
    `The statement timed out after ${ms} ms and was stopped. Narrow it, add an index, or raise statementTimeoutMs.`,
    { details: { reason: 'timeout' } },
  );
}
