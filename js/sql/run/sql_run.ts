/** Chooses how the statements of a run are executed: in one transaction, or one by one. */

import type { DatabaseAdapter, StatementAdapter, TransactionalAdapter } from '../adapter.js';
import type { SqlRules } from '../rules.js';
import { SingleStatements } from './single_statements.js';
import { SqlTransaction } from './transaction.js';

/** Whether an adapter has transactions. */
export function holdsTransactions(adapter: DatabaseAdapter): adapter is TransactionalAdapter {
  return adapter.connect !== undefined;
}

/** Starts the SQL of a run: one transaction, if the database supports it. */
export function sqlRun(adapter: DatabaseAdapter, rules: SqlRules): SqlTransaction | SingleStatements {
  if (holdsTransactions(adapter)) return new SqlTransaction(adapter, rules);
  return new SingleStatements(adapter as StatementAdapter, rules);
}
