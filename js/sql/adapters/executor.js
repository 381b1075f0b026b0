import { ConfigError, SqlError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import { defineAdapter } from '../adapter.js';
import { FairLock } from '../fair_lock.js';
import { functionAnswer } from '../function_answer.js';
import { oneCall } from '../one_call.js';
import { beforeDeadline, notAnswered } from '../statement_deadline.js';

/**
 * A function that runs SQL somewhere: one call for each statement. Only one that says so gets BEGIN, COMMIT and ROLLBACK.
 * @type {typeof import('../../../index.js').executor}
 */
export function executor(run, { dialect = 'any', oneConnection = false, transactional = false } = {}) {
  if (typeof run !== 'function') throw new ConfigError('executor() needs a function (sql, params) => Promise<rows>.');
  if (oneConnection && transactional) {
    throw new ConfigError(
      'executor() is told both that transactions are begun through it (oneConnection) and that they are not (transactional). Keep one of them.',
      { details: { key: 'transactional' } },
    );
  }
  if (oneConnection || transactional) return throughConnection(run, dialect, transactional);
  return defineAdapter({ dialect, once: oneCall(run) });
}

/**
 * @param {import('../../../index.js').SqlExecutor} run speaks to one connection, so runs take turns
 * @param {import('../adapter.js').SqlDialect} dialect
 * @param {boolean} transactional the application begins and ends the transaction
 */
function throughConnection(run, dialect, transactional) {
  const turns = new FairLock();
  /** Whether a run was given up while the function still had not answered. */
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
        query: async ({ sql, values, returns }, limits) =>
          functionAnswer(await beforeDeadline(tell(sql, values), waitMs, ignored), returns, limits),
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
    'The function of the application has not answered to an earlier statement yet, and cannot be stopped. Try again later.',
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
