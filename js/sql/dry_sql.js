/** SQL of a dry run: statements are executed and always rolled back. */

import { SqlError } from '../boundary/errors.js';
import { SqlRules } from './rules.js';
import { holdsTransactions, sqlRun } from './sql_run.js';

/**
 * @typedef {import('./adapter.js').SqlAdapter} SqlAdapter
 * @typedef {import('../../index.js').SqlToolOptions} SqlToolOptions
 * @typedef {Pick<ReturnType<typeof sqlRun>, 'execute' | 'endNested' | 'commit' | 'rollback' | 'isRollbackUncertain' | 'undone'>} SqlRun
 */

/**
 * A factory of runs that are never committed.
 * @param {SqlAdapter} adapter
 * @param {SqlToolOptions} options
 */
export function drySql(adapter, options) {
  /** @type {SqlRules | undefined} */
  let rules;
  return {
    get rules() {
      rules ??= new SqlRules({ ...options, dryRun: true });
      return rules;
    },
    /** @returns {SqlRun} */
    begin() {
      const run = sqlRun(adapter, this.rules);
      /** Keeps the order of the statements while they are checked. @type {Promise<unknown>} */
      let queue = Promise.resolve();
      return {
        execute: (sql, params, by) => {
          const checked = queue.then(async () => refuseLasting(adapter, await this.accessOf(sql, params)));
          queue = checked.catch(() => {});
          return checked.then(() => run.execute(sql, params, by));
        },
        endNested: (nested, end) => {
          // After the statements that are still being checked.
          const ended = queue.then(() => run.endNested(nested, end));
          queue = ended.catch(() => {});
          return ended;
        },
        commit: () => queue.then(() => run.commit()),
        rollback: () => run.rollback(),
        get isRollbackUncertain() {
          return run.isRollbackUncertain;
        },
        get undone() {
          return run.undone;
        },
      };
    },
    /**
     * The preview entries of an executed statement: one, if it changes something or may do so through a function.
     * @param {string} sql
     * @param {unknown} params
     * @param {import('./adapter.js').SqlAnswer} answer
     * @returns {Promise<import('../../index.js').DryRunResult['sql']>}
     */
    async listed(sql, params, { affected, mayWrite }) {
      if ((await this.accessOf(sql, params)) !== 'read') return [{ sql, affected }];
      return mayWrite ? [{ sql, affected, mayWrite }] : [];
    },
    /**
     * The access of a statement; undefined for one that will be refused when it is executed.
     * @param {unknown} sql
     * @param {unknown} params
     */
    async accessOf(sql, params) {
      try {
        return (await this.rules.judge(sql, params, adapter.dialect)).access;
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * Refuses a statement that could not be rolled back.
 * @param {SqlAdapter} adapter
 * @param {import('./adapter.js').SqlAccess | undefined} access
 */
function refuseLasting(adapter, access) {
  if (access === undefined || access === 'read') return;
  if (!holdsTransactions(adapter) || adapter.endsElsewhere) {
    throw new SqlError(
      'This is a dry run, and the database has no transaction to roll back: only statements that read are executed.',
      { details: { reason: 'dry_run' } },
    );
  }
  // The unknown database may be MySQL, where schema changes commit.
  if (access === 'schema' && adapter.dialect === 'any') {
    throw new SqlError(
      'This is a dry run, and the database may commit schema changes implicitly: the statement was not executed. Set the dialect of the database.',
      { details: { reason: 'dry_run' } },
    );
  }
}
