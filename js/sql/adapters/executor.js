/** SQL adapter for an application function that executes statements. */

import { ConfigError, SqlError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import { defineAdapter } from '../adapter.js';
import { FairLock } from '../fair_lock.js';
import { functionAnswer } from '../function_answer.js';
import { singleCall } from '../single_call.js';
import { beforeDeadline, notAnswered } from '../statement_deadline.js';

/**
 * An adapter for a function that executes SQL, one call per statement. With `oneConnection` it also receives BEGIN, COMMIT and
 * ROLLBACK.
 * @type {typeof import('../../../index.js').executor}
 */
export function executor(run, { dialect = 'any', oneConnection = false, transactional = false } = {}) {
  if (typeof run !== 'function') throw new ConfigError('executor() needs a function (sql, params) => Promise<rows>.');
  if (oneConnection && transactional) {
    throw new ConfigError(
      'executor() has both "oneConnection" (transactions begin through it) and "transactional" (they do not). Keep one of them.',
      { details: { key: 'transactional' } },
    );
  }
  if (oneConnection || transactional) return throughConnection(run, dialect, transactional);
  return defineAdapter({ dialect, once: singleCall(run) });
}

/**
 * @param {import('../../../index.js').SqlExecutor} run uses a single connection, so runs are serialised
 * @param {import('../adapter.js').SqlDialect} dialect
 * @param {boolean} transactional the application begins and ends the transaction
 */
function throughConnection(run, dialect, transactional) {
  const turns = new FairLock();
  /** Whether an abandoned run is still waiting for the function. */
  let stuck = false;
  return defineAdapter({
    dialect,
    endsElsewhere: transactional,
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
      const send = (sql, values) => {
        const work = (async () => run(sql, values))();
        last = work.catch(ignored);
        return work;
      };
      return {
        begin: async ({ access, limits }) => {
          waitMs = limits.statementTimeoutMs;
          if (transactional) return;
          await beforeDeadline(send(beginText(dialect, access, limits.readOnly), []), waitMs, ignored);
        },
        query: async ({ sql, values, returns }, limits) =>
          functionAnswer(await beforeDeadline(send(sql, values), waitMs, ignored), returns, limits),
        commit: async () => {
          if (!transactional) checkAnswer(await beforeDeadline(send('COMMIT', []), waitMs, ignored, notAnswered));
        },
        rollback: async () => {
          // The function cannot be stopped; a concurrent ROLLBACK could be executed as part of its statement.
          await last;
          if (!transactional) await send('ROLLBACK', []);
        },
        cancel: ignored,
        release: (state) => {
          if (state === 'clean') return leave();
          // The pending statement must end before another run uses the function.
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
    "The application's SQL function has not answered an earlier statement yet, and cannot be stopped. Retry later.",
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
 * PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and no error.
 * @param {any} answer
 */
function checkAnswer(answer) {
  const tag = answer?.command;
  if (typeof tag === 'string' && tag.toUpperCase() === 'ROLLBACK') {
    throw new Error('the transaction had failed, so COMMIT rolled it back');
  }
}
