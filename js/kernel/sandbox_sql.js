import { JsonText } from '../boundary/json_text.js';
import { answerText } from '../sql/answer.js';
import { SqlRules } from '../sql/rules.js';
import { adapterOf } from '../sql/sources.js';
import { SqlTransaction } from '../sql/transaction.js';

/** @typedef {import('./host_functions.js').HostFunctions} HostFunctions */

/**
 * Gives guests `tgp.exec_sql`: all statements of a run, nested tools included, are one transaction that ends with it.
 * @param {HostFunctions} functions
 * @param {import('../../index.js').SqlSource | import('../../index.js').SqlSettings} sql
 */
export function offerSql(functions, sql) {
  const { source, ...options } = isSettings(sql) ? sql : { source: sql };
  const adapter = adapterOf(source);
  const rules = new SqlRules(options);
  /** @type {Map<number, SqlTransaction>} */
  const transactions = new Map();
  functions.add('exec_sql', async (runId, [statement, params]) => {
    let transaction = transactions.get(runId);
    if (!transaction) {
      transaction = new SqlTransaction(adapter, rules);
      transactions.set(runId, transaction);
    }
    return new JsonText(answerText(await transaction.execute(statement, params)));
  });
  functions.onFinish(async (runId, end) => {
    const transaction = transactions.get(runId);
    transactions.delete(runId);
    await (end === 'commit' ? transaction?.commit() : transaction?.rollback());
  });
}

/**
 * The database itself, without what is said about it.
 * @param {import('../../index.js').SqlSource | import('../../index.js').SqlSettings} sql
 * @returns {unknown}
 */
export function sourceOf(sql) {
  return isSettings(sql) ? sql.source : sql;
}

/**
 * @param {any} value
 * @returns {value is import('../../index.js').SqlSettings}
 */
function isSettings(value) {
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  return prototype === Object.prototype && Object.hasOwn(value, 'source');
}
