/** What whoever writes SQL has to know of a database before the first statement. */

import { SqlRules } from './rules.js';
import { adapterOf } from './sources.js';

/** @typedef {{ dialect: string, placeholders: string, readOnly: boolean, ddl: boolean }} SqlGuide */

/** @type {Record<import('./adapter.js').SqlDialect, Pick<SqlGuide, 'dialect' | 'placeholders'>>} */
const DIALECTS = {
  sqlite: { dialect: 'SQLite', placeholders: '? or :name' },
  postgres: { dialect: 'PostgreSQL', placeholders: '$1 or :name' },
  mysql: { dialect: 'MySQL', placeholders: '? or :name' },
  any: { dialect: 'SQL', placeholders: '?, $1 or :name' },
};

/**
 * @param {import('../../index.js').SqlSource | import('../../index.js').SqlSettings} sql
 * @returns {SqlGuide}
 */
export function sqlGuide(sql) {
  const { source, ...options } = isSettings(sql) ? sql : { source: sql };
  const { readOnly } = new SqlRules(options).options;
  return { ...DIALECTS[adapterOf(source).dialect], readOnly, ddl: !readOnly };
}

/**
 * @param {any} value
 * @returns {value is import('../../index.js').SqlSettings}
 */
export function isSettings(value) {
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined;
  return prototype === Object.prototype && Object.hasOwn(value, 'source');
}
