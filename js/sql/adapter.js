/**
 * The interface of SQL adapters. With `connect` a run is one transaction; with only `once` each statement is separate.
 *
 * @typedef {'sqlite' | 'postgres' | 'mysql' | 'any'} SqlDialect `any`: unknown, so a statement must be safe in all dialects
 * @typedef {'read' | 'write' | 'schema'} SqlAccess
 * @typedef {'nothing' | 'verbs' | 'tables'} SqlDetail what the policy inspects in a statement
 * @typedef {{ maxRows: number, maxBytes: number, statementTimeoutMs: number, readOnly: boolean }} SqlLimits
 * @typedef {{ access: SqlAccess, limits: SqlLimits, firstSql: string, signal: AbortSignal }} SqlNeed the access
 * of the first statement of a transaction, and a signal that cancels the wait for a connection
 * @typedef {{ sql: string, values: unknown[], access: SqlAccess, returns: 'rows' | 'count', verbs?: string[], fenced?: boolean, detail?: SqlDetail, reach?: import('../boundary/crossing.js').Reach }} SqlStatement
 * an allowed statement with its database's placeholders and their values; `fenced`: it was classified as read-only, so it must not
 * write; `detail`: what the policy inspects; `reach`: what it was parsed to access, to be verified in the database's catalogue
 * @typedef {{ rows: string | undefined, affected: number, mayWrite?: boolean }} SqlAnswer `rows` is JSON text, undefined for
 * statements that return none; `mayWrite`: whether it may have changed something, if that was requested
 *
 * @typedef {object} SqlConnection one connection that belongs to one run until it is released
 * @property {(need: SqlNeed) => Promise<void>} begin
 * @property {(statement: SqlStatement, limits: SqlLimits) => Promise<SqlAnswer>} query
 * @property {(action: import('./savepoint.js').SavepointAction, number: number) => Promise<void>} [savepoint] if `query` does
 * not accept savepoint statements
 * @property {() => Promise<void>} commit rejects unless the database confirms the commit
 * @property {() => Promise<void>} rollback
 * @property {() => unknown} cancel stops the running statement in the database
 * @property {(state: 'clean' | 'broken') => unknown} release returns the connection; a broken one is not reused
 *
 * @typedef {SqlAdapter & Required<Pick<SqlAdapter, 'connect'>>} TransactionalAdapter
 * @typedef {SqlAdapter & Required<Pick<SqlAdapter, 'once'>>} StatementAdapter
 *
 * @typedef {object} SqlAdapter
 * @property {SqlDialect} dialect
 * @property {(need: SqlNeed) => Promise<SqlConnection>} [connect]
 * @property {(statement: SqlStatement, limits: SqlLimits) => Promise<SqlAnswer>} [once] one statement outside transactions
 * @property {boolean} [beginsReadOnly] the database enforces read-only transactions; always true for
 * PostgreSQL
 * @property {boolean} [endsElsewhere] the application ends the transaction, so it cannot be rolled back here
 * @property {() => Promise<void>} [close]
 * @property {string} [file] that the first use creates if it does not exist
 */

/** A registered symbol, so that the ESM copy of this package recognises adapters of the CommonJS copy. */
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
