import { ConfigError } from '../../errors.js';
import { defineAdapter } from '../adapter.js';
import { beforeDeadline } from '../deadline.js';
import { FairLock } from '../fair_lock.js';
import { fromDriver, rowsText } from '../values.js';

/**
 * A function that runs SQL somewhere. It gets BEGIN, COMMIT and ROLLBACK like any statement, so what is behind it must
 * be one connection; runs therefore take turns.
 * @type {typeof import('../../../index.js').executor}
 */
export function executor(run, { dialect = 'any', transactional = false } = {}) {
  if (typeof run !== 'function') throw new ConfigError('executor() needs a function (sql, params) => Promise<rows>.');
  const turns = new FairLock();
  /** @param {string} sql */
  const control = async (sql) => {
    if (!transactional) await run(sql, []);
  };
  return defineAdapter({
    dialect,
    connect: async ({ signal }) => {
      const leave = transactional ? () => {} : await turns.acquire(signal);
      /** @type {Promise<unknown>} */
      let last = Promise.resolve();
      return {
        begin: ({ access, limits }) => control(beginText(dialect, access, limits.readOnly)),
        query: async ({ sql, values, returns }, limits) => {
          const work = Promise.resolve(run(sql, values));
          last = work.catch(() => {});
          const answer = await beforeDeadline(work, limits.statementTimeoutMs, () => {});
          const rows = rowsOf(answer);
          const empty = returns === 'count' && rows?.length === 0;
          const text = rows && !empty ? rowsText(rows.map(fromDriver), limits) : undefined;
          return { rows: text, affected: affectedBy(answer, rows) };
        },
        commit: async () => {
          const answer = transactional ? undefined : await run('COMMIT', []);
          checkAnswer(answer);
        },
        rollback: async () => {
          // The function cannot be stopped; a ROLLBACK beside its statement would be read as part of it.
          await last;
          await control('ROLLBACK');
        },
        cancel: () => {},
        release: (state) => {
          if (state === 'clean') return leave();
          // Whatever still hangs must be over before anyone else speaks through the function.
          last.then(() => control('ROLLBACK')).then(leave, leave);
        },
      };
    },
  });
}

/**
 * @param {import('../adapter.js').SqlDialect} dialect
 * @param {import('../adapter.js').SqlAccess} access
 * @param {boolean} readOnly
 */
function beginText(dialect, access, readOnly) {
  if (dialect === 'sqlite') return access === 'read' || readOnly ? 'BEGIN' : 'BEGIN IMMEDIATE';
  if (readOnly && dialect === 'postgres') return 'BEGIN READ ONLY';
  if (readOnly && dialect === 'mysql') return 'START TRANSACTION READ ONLY';
  return 'BEGIN';
}

/**
 * The rows of whatever a function returns: an array, or a driver's result with `rows`.
 * @param {any} answer
 * @returns {unknown[] | undefined}
 */
function rowsOf(answer) {
  if (Array.isArray(answer)) return answer;
  return Array.isArray(answer?.rows) ? answer.rows : undefined;
}

/**
 * @param {any} answer
 * @param {unknown[] | undefined} rows
 */
function affectedBy(answer, rows) {
  const told = answer?.rowCount ?? answer?.affectedRows ?? answer?.changes;
  return typeof told === 'number' || typeof told === 'bigint' ? Number(told) : (rows?.length ?? 0);
}

/**
 * PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and no error.
 * @param {any} answer
 */
function checkAnswer(answer) {
  const tag = answer?.command;
  if (typeof tag === 'string' && tag.toUpperCase() === 'ROLLBACK') {
    throw new Error('the transaction had failed, so COMMIT rolled it back');
  }
}
