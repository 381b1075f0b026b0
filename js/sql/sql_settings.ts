/** Validates the SQL settings of an application: the source, and the options for tools. */

import { ConfigError } from '../boundary/errors.js';
import type { SqlSettings, SqlSource, SqlToolOptions } from '../types/sql.js';
import { SqlRules } from './rules.js';
import { adapterOf, isPlain } from './sources.js';

/** Options that require a transaction. */
const TRANSACTION_OPTIONS = ['readOnly', 'dryRun'] as const;

/** The source of a database, and the options that are set beside it. */
export function settingsOf(sql: SqlSource | SqlSettings): { source: SqlSource; options: SqlToolOptions } {
  if (!isSettings(sql)) return { source: sql, options: {} };
  const { source, ...options } = sql;
  return { source, options };
}

/** The adapter and the rules of a database; refuses options that it cannot fulfil. */
export function openSource(source: SqlSource, options: SqlToolOptions) {
  const adapter = adapterOf(source);
  const rules = new SqlRules(options);
  checkTransactionOptions(source, { ...options, readOnly: rules.options.readOnly });
  if (adapter.endsElsewhere && rules.options.dryRun) {
    throw new ConfigError(
      'A dry run needs a rollback, but with executor(fn, { transactional: true }) the application ends the transaction. Remove dryRun, or pass { query, transaction } or a driver.',
      { details: { key: 'dryRun', field: 'dryRun' } },
    );
  }
  return { adapter, rules };
}

/** Refuses options that the source cannot fulfil. */
export function checkTransactionOptions(source: SqlSource, options: SqlToolOptions) {
  const option = TRANSACTION_OPTIONS.find((name) => options[name] === true);
  if (option === undefined || !isPlain(source)) return;
  throw new ConfigError(
    `${option} requires a transaction, which a plain function (sql, params) => rows does not support. Pass { query, transaction }, a pool or client of a known driver, or sqlite(file). For a function over a single connection, pass executor(fn, { oneConnection: true }).`,
    { details: { key: option, field: option } },
  );
}

function isSettings(value: unknown): value is SqlSettings {
  if (typeof value !== 'object' || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype && Object.hasOwn(value, 'source');
}
