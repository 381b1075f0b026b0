/** Deadlines of SQL statements. */

import { SqlError } from '../../boundary/errors.js';
import { guarded } from '../../boundary/guarded.js';

/**
 * The outcome of a statement, or a timeout error. On timeout, `stop` is called to cancel the statement in the database.
 * @param late the timeout error
 */
export async function beforeDeadline<T>(
  work: Promise<T>,
  ms: number,
  stop: () => unknown,
  late: (ms: number) => Error = timedOut,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    const end = guarded(reject, () => {
      work.catch(() => {});
      reject(late(ms));
      return stop();
    });
    timer = setTimeout(end, ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error for a statement beyond `statementTimeoutMs`. */
export function timedOut(ms: number) {
  return new SqlError(
    `The statement timed out after ${ms} ms (statementTimeoutMs) and was stopped. Reduce the rows or joins, or filter by an indexed column.`,
    { details: { reason: 'timeout' } },
  );
}

/** The error of a COMMIT without an answer in time. */
export function notAnswered(ms: number) {
  return new SqlError(
    `The database did not answer COMMIT within ${ms} ms; it is unknown whether the changes were committed. Check the data before retrying.`,
    { details: { reason: 'unknown' } },
  );
}
