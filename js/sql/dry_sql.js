/** The statements of a dry run: executed as always, and rolled back in any case. */

import { SqlError } from '../boundary/errors.js';
import { SqlRules } from './rules.js';
import { holdsTransactions, sqlRun } from './sql_run.js';

/**
 * @typedef {import('./adapter.js').SqlAdapter} SqlAdapter
 * @typedef {import('../../index.js').SqlToolOptions} SqlToolOptions
 * @typedef {Pick<ReturnType<typeof sqlRun>, 'execute' | 'endNested' | 'commit' | 'rollback' | 'isRollbackUncertain' | 'undone'>} SqlRun
 */

/**
 * Runs whose statements do not stay.
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
      /** Statements are handed on in the order in which they came. @type {Promise<unknown>} */
      let queue = Promise.resolve();
      return {
        execute: (sql, params, by) => {
          const checked = queue.then(async () => refuseLasting(adapter, await this.accessOf(sql, params)));
          queue = checked.catch(() => {});
          return checked.then(() => run.execute(sql, params, by));
        },
        endNested: (nested, end) => {
          // Behind the statements that are still being checked.
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
     * What a preview lists of a statement that was executed: itself, where it changes something, or may do so by what it calls.
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
     * What a statement does; nothing for one that is refused when it is executed.
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
 * Refuses what would stay.
 * @param {SqlAdapter} adapter
 * @param {import('./adapter.js').SqlAccess | undefined} access
 */
function refuseLasting(adapter, access) {
  if (access === undefined || access === 'read') return;
  if (!holdsTransactions(adapter) || adapter.endsElsewhere) {
    throw new SqlError(
      'This is a dry run, and the database holds no transaction that could be rolled back: only statements that read are executed.',
      { details: { reason: 'dry_run' } },
    );
  }
  // MySQL, whose rules refuse these by themselves, may be behind it.
  if (access === 'schema' && adapter.dialect === 'any') {
    throw new SqlError(
      'This is a dry run, and a database that is not known may commit when its schema changes: the statement was not executed. Name its dialect.',
      { details: { reason: 'dry_run' } },
    );
  }
}
