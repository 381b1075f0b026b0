import { ConfigError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import { defineAdapter } from '../adapter.js';
import { functionAnswer } from '../function_answer.js';
import { oneCall } from '../one_call.js';
import { beforeDeadline, notAnswered, timedOut } from '../statement_deadline.js';

/**
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {import('../adapter.js').SqlDialect} SqlDialect
 * @typedef {import('../../../index.js').SqlTransactions} SqlTransactions
 * @typedef {import('../../../index.js').SqlExecutor} SqlExecutor
 */

/** What belongs beside the source, and would do nothing inside it. */
const OPTIONS = ['readOnly', 'dryRun', 'ddl', 'maxRows', 'maxBytes', 'statementTimeoutMs', 'allow', 'deny'];
const DIALECTS = ['sqlite', 'postgres', 'mysql', 'any'];

/** What ends the application's function when its transaction is to be rolled back. */
class Undo extends Error {
  constructor() {
    super('The run is not to be kept: roll the transaction back.');
  }
}

/**
 * Two functions of the application: `query` for what stands by itself, `transaction` for a run.
 * @param {SqlTransactions} source
 */
export function queryAndTransaction(source) {
  const { dialect = 'any' } = source;
  if (!DIALECTS.includes(dialect)) {
    throw new ConfigError(`The "dialect" of the SQL source must be one of ${DIALECTS.join(', ')}.`, {
      details: { key: 'sql.dialect', field: 'sql.dialect' },
    });
  }
  const misplaced = OPTIONS.find((name) => name in source);
  if (misplaced !== undefined) {
    throw new ConfigError(
      `"${misplaced}" stands inside the SQL source, where it does nothing. Pass { source: { query, transaction }, ${misplaced}: … }, or the second argument of createSqlTools.`,
      { details: { key: `sql.${misplaced}`, field: `sql.${misplaced}` } },
    );
  }
  return defineAdapter({
    dialect,
    once: oneCall((sql, params) => source.query(sql, params)),
    connect: async () => heldOpen(source, dialect),
  });
}

/**
 * A transaction that stays open while the function given to `transaction` has not returned.
 * @param {SqlTransactions} source
 * @param {SqlDialect} dialect
 * @returns {SqlConnection}
 */
function heldOpen(source, dialect) {
  /** @type {SqlExecutor | undefined} */
  let query;
  /** @type {(value?: unknown) => void} */
  let keep = ignored;
  /** @type {(reason: unknown) => void} */
  let undo = ignored;
  const end = new Promise((resolve, reject) => {
    keep = resolve;
    undo = reject;
  });
  // Nobody may be waiting for it yet.
  end.catch(ignored);
  /** @type {Promise<unknown>} */
  let done = Promise.resolve();
  let waitMs = 0;
  let readOnly = false;

  /** @param {string} sql @param {unknown[]} values */
  const ask = async (sql, values) => {
    if (!query) throw new Error('the transaction has not begun');
    return query(sql, values);
  };
  const rollBack = async () => {
    undo(new Undo());
    const outcome = await done.then(
      () => 'kept',
      () => 'undone',
    );
    if (outcome === 'kept' && query) {
      throw new Error(
        'transaction() did not pass on the error that was to roll it back, so the changes may have stayed',
      );
    }
  };
  return {
    begin: async ({ limits }) => {
      waitMs = limits.statementTimeoutMs;
      readOnly = limits.readOnly;
      const begun = new Promise((resolve, reject) => {
        done = (async () =>
          source.transaction(
            (/** @type {any} */ given) => {
              if (query)
                throw new Error('transaction() called its function again, but statements of tools are not repeated');
              query = queryOf(given);
              resolve(undefined);
              return end;
            },
            { readOnly },
          ))();
        done.then(() => reject(new Error('transaction() ended without calling its function')), reject);
      });
      await beforeDeadline(begun, waitMs, () => undo(new Undo()));
      if (readOnly && dialect === 'postgres') {
        await beforeDeadline(ask('SET TRANSACTION READ ONLY', []), waitMs, ignored);
      }
    },
    query: async ({ sql, values, returns }, limits) =>
      functionAnswer(await beforeDeadline(ask(sql, values), waitMs, ignored, timedOut), returns, limits),
    commit: async () => {
      // Whatever the database made of it, a run that may only read leaves nothing behind.
      if (readOnly) return beforeDeadline(rollBack(), waitMs, ignored);
      keep();
      await beforeDeadline(done, waitMs, ignored, notAnswered);
    },
    rollback: rollBack,
    cancel: ignored,
    release: ignored,
  };
}

/**
 * What runs statements inside the transaction: a function, or a client with `query`.
 * @param {any} given
 * @returns {SqlExecutor}
 */
function queryOf(given) {
  if (typeof given === 'function') return given;
  if (typeof given?.query === 'function') return (sql, params) => given.query(sql, params);
  throw new ConfigError(
    'transaction() must call its function with (sql, params) => rows, or with a client that has query(sql, params), both inside the transaction.',
    { details: { key: 'sql.transaction', field: 'sql.transaction' } },
  );
}
