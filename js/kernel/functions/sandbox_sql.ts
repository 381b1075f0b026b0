/** The database of guests: `tgp.exec_sql`. */

import { JsonText } from '../../boundary/json_text.js';
import { answerText } from '../../sql/rows/answer_text.js';
import type { SqlRun } from '../../sql/run/dry_sql.js';
import { drySql } from '../../sql/run/dry_sql.js';
import { holdsTransactions, sqlRun } from '../../sql/run/sql_run.js';
import { openSource, settingsOf } from '../../sql/sql_settings.js';
import { ROLLBACK_ANSWER_MS, within } from '../../sql/waiting/bounded_wait.js';
import type { Logger } from '../../types/kernel.js';
import type { SqlSettings, SqlSource } from '../../types/sql.js';
import type { HostFunctions } from './host_functions.js';

/** Provides `tgp.exec_sql` to guests. */

/**
 * Adds `exec_sql` to the guest functions. All statements of a run, including nested tools, are one transaction that ends with
 * the run, if the source supports transactions.
 * @returns waits until every transaction has ended
 */
export function offerSql(functions: HostFunctions, sql: SqlSource | SqlSettings, log: Logger): () => Promise<void> {
  const { source, options } = settingsOf(sql);
  const { adapter, rules } = openSource(source, options);
  const dry = drySql(adapter, options);
  const runs = new Map<number, SqlRun>();
  /** Transactions that are ending, including those whose caller no longer waits. */
  const ending = new Set<Promise<void>>();
  const isOurs = functions.add(
    'exec_sql',
    async ({ runId, nesting, sqlDetail, openTables }, [statement, params]: [string, unknown]) => {
      const noted = functions.sqlOf(runId);
      let run = runs.get(runId);
      if (!run) {
        run = noted ? dry.begin() : sqlRun(adapter, rules);
        runs.set(runId, run);
      }
      const answer = await run.execute(statement, params, { nesting, judged: sqlDetail(), openTables });
      noted?.push(...(await dry.listed(statement, params, answer)));
      return new JsonText(answerText(answer));
    },
  );
  functions.onFinish(async (runId, end) => {
    const run = runs.get(runId);
    runs.delete(runId);
    if (!run) return;
    const ended = end === 'commit' ? run.commit() : run.rollback();
    // A failed commit is reported before its rollback has finished.
    const over = Promise.allSettled([ended]).then(async () => {
      await run.undone;
      ending.delete(over);
      if (run.isRollbackUncertain) log.warn(NOT_ROLLED_BACK);
    });
    ending.add(over);
    await (end === 'commit' ? ended : within(ended, ROLLBACK_ANSWER_MS));
  });
  functions.onNestedFinish((runId, nested, end) => runs.get(runId)?.endNested(nested, end));
  if (isOurs) functions.sqlDialect = adapter.dialect;
  else log.warn(REPLACED);
  if (isOurs && !holdsTransactions(adapter)) log.warn(NOT_ATOMIC);
  return async () => {
    await Promise.allSettled(ending);
  };
}

const REPLACED =
  'sandboxAPI.exec_sql replaces the database: tools that call tgp.exec_sql use that function instead of "sql". Rename the function, or remove "sql".';
const NOT_ROLLED_BACK =
  'The database did not confirm that the statements of a run were rolled back: a table may have no transactions, or the connection was lost. Check the data.';
const NOT_ATOMIC =
  'The SQL source is a plain function without transactions: runs are not atomic, and changes of a failed tool stay. Pass { query, transaction } or a supported driver to make each run one transaction.';
