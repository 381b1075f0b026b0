/** What an application says of a database: the source, and what tools may do with it. */

import { ConfigError } from '../boundary/errors.js';
import { SqlRules } from './rules.js';
import { adapterOf, isPlain } from './sources.js';

/**
 * @typedef {import('../../index.js').SqlSource} SqlSource
 * @typedef {import('../../index.js').SqlSettings} SqlSettings
 * @typedef {import('../../index.js').SqlToolOptions} SqlToolOptions
 */

/** Options that promise that nothing stays, which only a transaction can keep. */
const PROMISES = /** @type {const} */ (['readOnly', 'dryRun']);

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
  checkPromises(source, { ...options, readOnly: rules.options.readOnly });
  if (adapter.endsElsewhere && rules.options.dryRun) {
    throw new ConfigError(
      'A dry run must be rolled back, which executor(fn, { transactional: true }) leaves to the application. Leave dryRun out, or pass { query, transaction } or a driver.',
      { details: { key: 'dryRun', field: 'dryRun' } },
    );
  }
  return { adapter, rules };
}

/**
 * Refuses a promise that the source cannot keep.
 * @param {SqlSource} source
 * @param {SqlToolOptions} options
 */
export function checkPromises(source, options) {
  const promised = PROMISES.find((name) => options[name] === true);
  if (promised === undefined || !isPlain(source)) return;
  throw new ConfigError(
    `${promised} needs a transaction, and none can be held over a plain function (sql, params) => rows: it is called once for each statement. Pass { query, transaction }, a pool or client of a known driver, or sqlite(file); a function over one single connection is executor(fn, { oneConnection: true }).`,
    { details: { key: promised, field: promised } },
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
