/** SQL adapter for `{ query, transaction }`. */

import { ConfigError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import type { SqlDialect, SqlExecutor, SqlTransactions } from '../../types/sql.js';
import type { SqlConnection } from '../adapter.js';
import { defineAdapter } from '../adapter.js';
import { checkDialect, DIALECTS } from '../dialects.js';
import { beforeDeadline, notAnswered, timedOut } from '../waiting/statement_deadline.js';
import { functionAnswer } from './function_answer.js';
import { singleCall } from './single_call.js';

/** Options that belong next to the source and have no effect inside it. */
const OPTIONS = ['readOnly', 'dryRun', 'ddl', 'maxRows', 'maxBytes', 'statementTimeoutMs', 'allow', 'deny'];

/** Thrown inside the application's `transaction` to roll it back. */
class Undo extends Error {
  constructor() {
    super('The run must not be committed: roll the transaction back.');
  }
}

/** An adapter for two application functions: `query` for single statements, `transaction` for runs. */
export function queryAndTransaction(source: SqlTransactions) {
  const { dialect = 'any' } = source;
  checkDialect(dialect);
  const misplaced = OPTIONS.find((name) => name in source);
  if (misplaced !== undefined) {
    throw new ConfigError(
      `"${misplaced}" has no effect inside the SQL source. Pass { source: { query, transaction }, ${misplaced}: … }, or the second argument of createSqlTools.`,
      { details: { key: `sql.${misplaced}`, field: `sql.${misplaced}` } },
    );
  }
  return defineAdapter({
    dialect,
    once: singleCall((sql, params) => source.query(sql, params)),
    connect: async () => heldOpen(source, dialect),
  });
}

/** A transaction that stays open until the callback of `transaction` returns. */
function heldOpen(source: SqlTransactions, dialect: SqlDialect): SqlConnection {
  let query: SqlExecutor | undefined;
  let keep: (value?: unknown) => void = ignored;
  let undo: (reason: unknown) => void = ignored;
  const end = new Promise((resolve, reject) => {
    keep = resolve;
    undo = reject;
  });
  // Prevents an unhandled rejection before anything awaits it.
  end.catch(ignored);
  let done: Promise<unknown> = Promise.resolve();
  let waitMs = 0;
  let readOnly = false;

  const ask = async (sql: string, values: unknown[]) => {
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
        'transaction() swallowed the error that requests the rollback, so the changes may have been committed',
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
            (client) => {
              if (query)
                throw new Error('transaction() called its callback again, but statements of tools cannot be repeated');
              query = queryOf(client);
              resolve(undefined);
              return end;
            },
            { readOnly },
          ))();
        done.then(() => reject(new Error('transaction() ended without calling its callback')), reject);
      });
      await beforeDeadline(begun, waitMs, () => undo(new Undo()));
      if (readOnly && DIALECTS[dialect].setsReadOnly) {
        await beforeDeadline(ask('SET TRANSACTION READ ONLY', []), waitMs, ignored);
      }
    },
    query: async ({ sql, values, returns }, limits) =>
      functionAnswer(await beforeDeadline(ask(sql, values), waitMs, ignored, timedOut), returns, limits),
    commit: async () => {
      // A read-only run is always rolled back, even if the database allowed a write.
      if (readOnly) return beforeDeadline(rollBack(), waitMs, ignored);
      keep();
      await beforeDeadline(done, waitMs, ignored, notAnswered);
    },
    rollback: rollBack,
    cancel: ignored,
    release: ignored,
  };
}

/** The function that runs statements inside the transaction, from a function or a client with `query`. */
function queryOf(client: SqlExecutor | { query: SqlExecutor }): SqlExecutor {
  if (typeof client === 'function') return client;
  if (typeof client?.query === 'function') return (sql, params) => client.query(sql, params);
  throw new ConfigError(
    'transaction() must call its callback with (sql, params) => rows, or with a client that has query(sql, params), inside the transaction.',
    { details: { key: 'sql.transaction', field: 'sql.transaction' } },
  );
}
