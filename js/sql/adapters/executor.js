import { ConfigError, SqlError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import { defineAdapter } from '../adapter.js';
import { FairLock } from '../fair_lock.js';
import { rowText } from '../json_writer.js';
import { rowsText } from '../row_collector.js';
import { beforeDeadline, notAnswered } from '../statement_deadline.js';

/**
 * A function that runs SQL somewhere. It gets BEGIN, COMMIT and ROLLBACK like any statement, so what is behind it must
 * be one connection; runs therefore take turns.
 * @type {typeof import('../../../index.js').executor}
 */
export function executor(run, { dialect = 'any', transactional = false } = {}) {
  if (typeof run !== 'function') throw new ConfigError('executor() needs a function (sql, params) => Promise<rows>.');
  const turns = new FairLock();
  /** Whether a run was given up while the function still had not answered. */
  let stuck = false;
  return defineAdapter({
    dialect,
    connect: async ({ signal }) => {
      if (stuck) throw noAnswerYet();
      const leave = transactional ? ignored : await turns.acquire(signal);
      let waitMs = 0;
      /** @type {Promise<unknown>} */
      let last = Promise.resolve();
      /**
       * @param {string} sql
       * @param {unknown[]} values
       */
      const tell = (sql, values) => {
        const work = (async () => run(sql, values))();
        last = work.catch(ignored);
        return work;
      };
      return {
        begin: async ({ access, limits }) => {
          waitMs = limits.statementTimeoutMs;
          if (transactional) return;
          await beforeDeadline(tell(beginText(dialect, access, limits.readOnly), []), waitMs, ignored);
        },
        query: async ({ sql, values, returns }, limits) => {
          const answer = await beforeDeadline(tell(sql, values), waitMs, ignored);
          const rows = rowsOf(answer);
          const empty = returns === 'count' && rows?.length === 0;
          const text = rows && !empty ? rowsText(rows, limits, rowText) : undefined;
          return { rows: text, affected: affectedBy(answer, rows) };
        },
        commit: async () => {
          if (!transactional) checkAnswer(await beforeDeadline(tell('COMMIT', []), waitMs, ignored, notAnswered));
        },
        rollback: async () => {
          // The function cannot be stopped; a ROLLBACK beside its statement would be read as part of it.
          await last;
          if (!transactional) await tell('ROLLBACK', []);
        },
        cancel: ignored,
        release: (state) => {
          if (state === 'clean') return leave();
          // Whatever still hangs must be over before anyone else speaks through the function.
          stuck = true;
          const end = () => {
            stuck = false;
            leave();
          };
          last.then(() => (transactional ? undefined : run('ROLLBACK', []))).then(end, end);
        },
      };
    },
  });
}

function noAnswerYet() {
  return new SqlError(
    'The function of the application has not answered to an earlier statement yet, and cannot be stopped. Try again later; a driver of its own in place of the function can be stopped.',
    { details: { reason: 'busy' } },
  );
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
