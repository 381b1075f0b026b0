import { SingleStatements } from './single_statements.js';
import { SqlTransaction } from './transaction.js';

/** @typedef {import('./adapter.js').SqlAdapter} SqlAdapter */

/**
 * @param {SqlAdapter} adapter
 * @returns {adapter is import('./adapter.js').TransactionalAdapter}
 */
export function holdsTransactions(adapter) {
  return adapter.connect !== undefined;
}

/**
 * Starts the SQL of a run: one transaction, if the database supports it.
 * @param {SqlAdapter} adapter
 * @param {import('./rules.js').SqlRules} rules
 * @returns {SqlTransaction | SingleStatements}
 */
export function sqlRun(adapter, rules) {
  if (holdsTransactions(adapter)) return new SqlTransaction(adapter, rules);
  return new SingleStatements(/** @type {import('./adapter.js').StatementAdapter} */ (adapter), rules);
}
