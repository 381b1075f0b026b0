/**
 * What a database has to offer. With `connect` a run can be one transaction on it; with `once` alone each statement stands
 * by itself.
 *
 * @typedef {'sqlite' | 'postgres' | 'mysql' | 'any'} SqlDialect `any`: not known, so a statement must be harmless in all
 * @typedef {'read' | 'write' | 'schema'} SqlAccess
 * @typedef {'nothing' | 'verbs' | 'tables'} SqlDetail what rules look at in a statement
 * @typedef {{ maxRows: number, maxBytes: number, statementTimeoutMs: number, readOnly: boolean }} SqlLimits
 * @typedef {{ access: SqlAccess, limits: SqlLimits, firstSql: string, signal: AbortSignal }} SqlNeed what the first
 * statement of a transaction does, and how to give up waiting
 * @typedef {{ sql: string, values: unknown[], access: SqlAccess, returns: 'rows' | 'count', verbs?: string[], fenced?: boolean, detail?: SqlDetail, reach?: import('../boundary/crossing.js').Reach }} SqlStatement
 * one that may run, with the placeholders of its database and a value for each; `fenced` when the rules rely on it that it
 * only reads; `detail` is what the rules look at; `reach` is what it was read to touch, where the database can be asked about that
 * @typedef {{ rows: string | undefined, affected: number, mayWrite?: boolean }} SqlAnswer `rows` is JSON text, undefined when a
 * statement returns none by nature; `mayWrite` is whether it may have changed something, where that was asked for
 *
 * @typedef {object} SqlConnection one connection that belongs to one run until it is released
 * @property {(need: SqlNeed) => Promise<void>} begin
 * @property {(statement: SqlStatement, limits: SqlLimits) => Promise<SqlAnswer>} query
 * @property {(action: import('./savepoint.js').SavepointAction, number: number) => Promise<void>} [savepoint] where `query` does
 * not take the statements for it
 * @property {() => Promise<void>} commit rejects unless the database says that it has committed
 * @property {() => Promise<void>} rollback
 * @property {() => unknown} cancel stops the statement under way, in the database
 * @property {(state: 'clean' | 'broken') => unknown} release gives the connection back; a broken one is not used again
 *
 * @typedef {SqlAdapter & Required<Pick<SqlAdapter, 'connect'>>} TransactionalAdapter
 * @typedef {SqlAdapter & Required<Pick<SqlAdapter, 'once'>>} StatementAdapter
 *
 * @typedef {object} SqlAdapter
 * @property {SqlDialect} dialect
 * @property {(need: SqlNeed) => Promise<SqlConnection>} [connect]
 * @property {(statement: SqlStatement, limits: SqlLimits) => Promise<SqlAnswer>} [once] one statement outside transactions
 * @property {boolean} [beginsReadOnly] the database refuses to write in a transaction that is begun for reading; always so in
 * PostgreSQL
 * @property {boolean} [endsElsewhere] the application ends the transaction, so nothing can be undone here
 * @property {() => Promise<void>} [close]
 * @property {string} [file] that the first use makes where it does not exist
 */

/** Registered, so that an adapter made by the CommonJS copy of this package is known to the ESM copy. */
export const ADAPTER = Symbol.for('@tgp/core/sql-adapter');

/**
 * @param {SqlAdapter} adapter
 * @returns {any} users hold it as an opaque `SqlSource`
 */
export function defineAdapter(adapter) {
  return Object.defineProperty({ ...adapter }, ADAPTER, { value: true });
}

/**
 * @param {any} value
 * @returns {value is SqlAdapter}
 */
export function isAdapter(value) {
  return typeof value === 'object' && value !== null && value[ADAPTER] === true;
}
