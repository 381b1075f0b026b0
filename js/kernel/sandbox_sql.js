import { JsonText } from '../boundary/json_text.js';
import { answerText } from '../sql/answer.js';
import { drySql } from '../sql/dry_sql.js';
import { holdsTransactions, sqlRun } from '../sql/sql_run.js';
import { openSource, settingsOf } from '../sql/sql_settings.js';
import { ROLLBACK_ANSWER_MS, within } from '../sql/waits.js';

/** @typedef {import('./host_functions.js').HostFunctions} HostFunctions */

/**
 * Gives guests `tgp.exec_sql`: all statements of a run, nested tools included, are one transaction that ends with it, where
 * the source can hold one.
 * @param {HostFunctions} functions
 * @param {import('../../index.js').SqlSource | import('../../index.js').SqlSettings} sql
 * @param {import('../../index.js').Logger} log
 * @returns {() => Promise<void>} waits until every transaction has ended
 */
export function offerSql(functions, sql, log) {
  const { source, options } = settingsOf(sql);
  const { adapter, rules } = openSource(source, options);
  const dry = drySql(adapter, options);
  /** @type {Map<number, import('../sql/dry_sql.js').SqlRun>} */
  const runs = new Map();
  /** Transactions that end, also those that their callers wait for no longer. @type {Set<Promise<void>>} */
  const ending = new Set();
  const isOurs = functions.add('exec_sql', async ({ runId, nesting, sqlDetail, openTables }, [statement, params]) => {
    const noted = functions.sqlOf(runId);
    let run = runs.get(runId);
    if (!run) {
      run = noted ? dry.begin() : sqlRun(adapter, rules);
      runs.set(runId, run);
    }
    const answer = await run.execute(statement, params, { nesting, judged: sqlDetail(), openTables });
    noted?.push(...(await dry.listed(statement, params, answer)));
    return new JsonText(answerText(answer));
  });
  functions.onFinish(async (runId, end) => {
    const run = runs.get(runId);
    runs.delete(runId);
    if (!run) return;
    const ended = end === 'commit' ? run.commit() : run.rollback();
    // A commit that fails is answered before what follows from it has ended.
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
  'sandboxAPI.exec_sql takes the place of the database: tools that call tgp.exec_sql reach that function, and "sql" is not used by them. Give the function another name, or leave "sql" out.';
const NOT_ROLLED_BACK =
  'The database did not confirm that the statements of a run were rolled back: a table may have no transactions, or the connection was lost. Look at the data.';
const NOT_ATOMIC =
  'The SQL source is a plain function, which is called once for each statement: runs over it are not atomic, and what a tool wrote before it failed stays. Pass { query, transaction } or a known driver to make each run one transaction.';
