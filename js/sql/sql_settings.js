/** Validates the SQL settings of an application: the source, and the options for tools. */

import { ConfigError } from '../boundary/errors.js';
import { SqlRules } from './rules.js';
import { adapterOf, isPlain } from './sources.js';

/**
 * @typedef {import('../../index.js').SqlSource} SqlSource
 * @typedef {import('../../index.js').SqlSettings} SqlSettings
 * @typedef {import('../../index.js').SqlToolOptions} SqlToolOptions
 */

/** Options that require a transaction. */
const TRANSACTION_OPTIONS = /** @type {const} */ (['readOnly', 'dryRun']);

/**
 * @param {SqlSource | SqlSettings} sql
 * @returns {{ source: SqlSource, options: SqlToolOptions }}
 */
export function settingsOf(sql) {
  if (!isSettings(sql)) return { source: sql, options: {} };
  const { source, ...options } = sql;
  return { source, options };
}

/**
 * @param {SqlSource} source
 * @param {SqlToolOptions} options
 */
export function openSource(source, options) {
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

/**
 * Refuses options that the source cannot fulfil.
 * @param {SqlSource} source
 * @param {SqlToolOptions} options
 */
export function checkTransactionOptions(source, options) {
  const option = TRANSACTION_OPTIONS.find((name) => options[name] === true);
  if (option === undefined || !isPlain(source)) return;
  throw new ConfigError(
    `${option} requires a transaction, which a plain function (sql, params) => rows does not support. Pass { query, transaction }, a pool or client of a known driver, or sqlite(file). For a function over a single connection, pass executor(fn, { oneConnection: true }).`,
    { details: { key: option, field: option } },
  );
}

/**
 * @param {any} value
 * @returns {value is SqlSettings}
 */
function isSettings(value) {
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  return prototype === Object.prototype && Object.hasOwn(value, 'source');
}
