import { SqlError } from '../boundary/errors.js';
import { guarded } from '../boundary/guarded.js';

/**
 * The outcome of a statement, or a timeout after which `stop` has been asked to end it in the database.
 * @template T
 * @param {Promise<T>} work
 * @param {number} ms
 * @param {() => unknown} stop
 * @param {(ms: number) => Error} [late] what it then fails with
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
    `The statement timed out after ${ms} ms (statementTimeoutMs) and was stopped. Narrow it: fewer rows, fewer joins, a condition on a column with an index.`,
    { details: { reason: 'timeout' } },
  );
}

/**
 * What a COMMIT fails with that is not answered in time.
 * @param {number} ms
 */
export function notAnswered(ms) {
  return new SqlError(
    `The database did not answer to COMMIT within ${ms} ms, so it is not known whether the changes were kept. Look at the data before trying again.`,
    { details: { reason: 'unknown' } },
  );
}
