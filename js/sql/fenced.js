import { AbortedError } from '../boundary/errors.js';

/**
 * Runs a statement that was judged to read where PostgreSQL refuses to write, in functions and whatever else it calls too.
 * @param {import('./adapter.js').SqlConnection} connection
 * @param {() => Promise<import('./adapter.js').SqlAnswer>} run
 * @param {import('./adapter.js').SqlLimits} limits
 * @param {AbortSignal} signal
 */
export async function fenced(connection, run, limits, signal) {
  /** @param {string} sql */
  const control = async (sql) => {
    await connection.query({ sql, values: [], access: 'read', returns: 'count' }, limits);
    stopIfAborted(signal);
  };
  await control('SAVEPOINT tgp_reading');
  await control('SET TRANSACTION READ ONLY');
  const answer = await run();
  stopIfAborted(signal);
  // With the savepoint ends what was set behind it.
  await control('RELEASE SAVEPOINT tgp_reading');
  return answer;
}

/** @param {AbortSignal} signal */
export function stopIfAborted(signal) {
  if (signal.aborted) throw new AbortedError('The run has ended.');
}
