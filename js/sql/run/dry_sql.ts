/** SQL of a dry run: statements are executed and always rolled back. */

import { SqlError } from '../../boundary/errors.js';
import type { DryRunResult } from '../../types/dry_run.js';
import type { SqlToolOptions } from '../../types/sql.js';
import type { DatabaseAdapter, SqlAccess, SqlAnswer } from '../adapter.js';
import { DIALECTS } from '../dialects.js';
import { SqlRules } from '../rules.js';
import { holdsTransactions, sqlRun } from './sql_run.js';

/** The statements of one run. */
export type SqlRun = Pick<
  ReturnType<typeof sqlRun>,
  'execute' | 'endNested' | 'commit' | 'rollback' | 'isRollbackUncertain' | 'undone'
>;

/** A factory of runs that are never committed. */
export function drySql(adapter: DatabaseAdapter, options: SqlToolOptions) {
  let rules: SqlRules | undefined;
  return {
    get rules() {
      rules ??= new SqlRules({ ...options, dryRun: true });
      return rules;
    },
    begin(): SqlRun {
      const run = sqlRun(adapter, this.rules);
      /** Keeps the order of the statements while they are checked. */
      let queue: Promise<unknown> = Promise.resolve();
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
    /** The preview entries of an executed statement: one, if it changes something or may do so through a function. */
    async listed(sql: string, params: unknown, { affected, mayWrite }: SqlAnswer): Promise<DryRunResult['sql']> {
      if ((await this.accessOf(sql, params)) !== 'read') return [{ sql, affected }];
      return mayWrite ? [{ sql, affected, mayWrite }] : [];
    },
    /** The access of a statement; undefined for one that will be refused when it is executed. */
    async accessOf(sql: unknown, params: unknown) {
      try {
        return (await this.rules.judge(sql, params, adapter.dialect)).access;
      } catch {
        return undefined;
      }
    },
  };
}

/** Refuses a statement that could not be rolled back. */
function refuseLasting(adapter: DatabaseAdapter, access: SqlAccess | undefined) {
  if (access === undefined || access === 'read') return;
  if (!holdsTransactions(adapter) || adapter.endsElsewhere) {
    throw new SqlError(
      'This is a dry run, and the database has no transaction to roll back: only statements that read are executed.',
      { details: { reason: 'dry_run' } },
    );
  }
  // Where schema changes certainly commit, the rules refuse them.
  if (access === 'schema' && DIALECTS[adapter.dialect].schemaChanges === 'unknown') {
    throw new SqlError(
      'This is a dry run, and the database may commit schema changes implicitly: the statement was not executed. Set the dialect of the database.',
      { details: { reason: 'dry_run' } },
    );
  }
}
