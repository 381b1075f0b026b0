/**
 * Places within a transaction, to which a part of it can be undone.
 *
 * @typedef {'set' | 'keep' | 'undo'} SavepointAction
 * @typedef {import('./adapter.js').SqlConnection} SqlConnection
 */

/**
 * What every database takes for it.
 * @param {SavepointAction} action
 * @param {number} number names the place
 */
export function savepointTexts(action, number) {
  const name = `tgp_${number}`;
  if (action === 'set') return [`SAVEPOINT ${name}`];
  const release = `RELEASE SAVEPOINT ${name}`;
  return action === 'keep' ? [release] : [`ROLLBACK TO SAVEPOINT ${name}`, release];
}

/**
 * @param {SqlConnection} connection
 * @param {import('./adapter.js').SqlLimits} limits
 * @param {SavepointAction} action
 * @param {number} number
 */
export async function savepoint(connection, limits, action, number) {
  if (connection.savepoint) return connection.savepoint(action, number);
  for (const sql of savepointTexts(action, number)) {
    await connection.query({ sql, values: [], access: 'read', returns: 'count' }, limits);
  }
}
