/** Deadlines of SQL statements. */

import { SqlError } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';

/**
 * The outcome of a statement, or a timeout error. On timeout, `stop` is called to cancel the statement in the database.
 * @template T
 * @param {Promise<T>} work
 * @param {number} ms
 * @param {() => unknown} stop
 * @param {(ms: number) => Error} [late] the timeout error
 * @returns {Promise<T>}
 */
export async function beforeDeadline(work, ms, stop, late = timedOut) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const deadline = new Promise((_, reject) => {
    const end = guarded(reject, () => {
      work.catch(() => {});
      reject(late(ms));
      return stop();
    });
    timer = setTimeout(end, ms);
  });
  try {
    return await Promise.race([work, /** @type {Promise<never>} */ (deadline)]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {number} ms */
export function timedOut(ms) {
  return new SqlError(
    `The statement timed out after ${ms} ms (statementTimeoutMs) and was stopped. Reduce the rows or joins, or filter by an indexed column.`,
    { details: { reason: 'timeout' } },
  );
}

/**
 * The error of a COMMIT without an answer in time.
 * @param {number} ms
 */
export function notAnswered(ms) {
  return new SqlError(
    `The database did not answer COMMIT within ${ms} ms; it is unknown whether the changes were committed. Check the data before retrying.`,
    { details: { reason: 'unknown' } },
  );
}
