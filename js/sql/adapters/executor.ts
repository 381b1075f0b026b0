/** SQL adapter for an application function that executes statements. */

import { ConfigError, SqlError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import type { SqlAdapter, SqlDialect, SqlExecutor } from '../../types/sql.js';
import type { SqlAccess } from '../adapter.js';
import { defineAdapter, refuseOptions } from '../adapter.js';
import { checkDialect, DIALECTS } from '../dialects.js';
import { FairLock } from '../waiting/fair_lock.js';
import { beforeDeadline, notAnswered } from '../waiting/statement_deadline.js';
import { functionAnswer } from './function_answer.js';
import { singleCall } from './single_call.js';

/**
 * An adapter for a function, with its properties. By default it is called once for each statement, like a plain function, see
 * {@link SqlSource}. What it returns is in memory already when `maxRows` and `maxBytes` are checked, and nothing can stop
 * it: a statement that timed out may still take effect.
 */
export function executor(
  run: SqlExecutor,
  options: {
    /** Default: `'any'`. */
    dialect?: SqlDialect;
    /**
     * The function uses a single connection, not a pool: it gets BEGIN, COMMIT and ROLLBACK like any other statement, each
     * run is one transaction, and runs are serialised. While it has not answered a statement that timed out or was aborted,
     * others are refused. Default: false.
     */
    oneConnection?: boolean;
    /** The function is already inside a transaction that its owner ends: no BEGIN or COMMIT is sent through it. */
    transactional?: boolean;
  } = {},
): SqlAdapter {
  refuseOptions('executor', options, ['dialect', 'oneConnection', 'transactional']);
  const { dialect = 'any', oneConnection = false, transactional = false } = options;
  if (typeof run !== 'function') throw new ConfigError('executor() needs a function (sql, params) => Promise<rows>.');
  checkDialect(dialect);
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
 * @param run uses a single connection, so runs are serialised
 * @param transactional the application begins and ends the transaction
 */
function throughConnection(run: SqlExecutor, dialect: SqlDialect, transactional: boolean) {
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
      let last: Promise<unknown> = Promise.resolve();
      const send = (sql: string, values: unknown[]) => {
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

function beginText(dialect: SqlDialect, access: SqlAccess, readOnly: boolean) {
  const { begin } = DIALECTS[dialect];
  if (readOnly) return begin.readOnly;
  return access === 'read' ? begin.read : begin.write;
}

/** PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and no error. */
function checkAnswer(answer: unknown) {
  const tag = (answer as { command?: unknown } | null | undefined)?.command;
  if (typeof tag === 'string' && tag.toUpperCase() === 'ROLLBACK') {
    throw new Error('the transaction had failed, so COMMIT rolled it back');
  }
}
