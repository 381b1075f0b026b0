/** Describes a SQL source for prompts. */

import { SqlRules } from './rules.js';
import { dialectOf, isPlain } from './sources.js';
import { settingsOf } from './sql_settings.js';

/**
 * @typedef {object} SqlGuide what a model must know to write SQL for a source
 * @property {'SQLite' | 'PostgreSQL' | 'MySQL' | undefined} dialect undefined if unknown
 * @property {'?' | '$1'} placeholders
 * @property {boolean} readOnly
 * @property {boolean} ddl
 * @property {boolean} atomic whether each run is one transaction
 */

const NAMES = /** @type {const} */ ({ sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MySQL' });

/**
 * @param {import('../../index.js').SqlSource | import('../../index.js').SqlSettings} sql
 * @returns {SqlGuide}
 */
export function sqlGuide(sql) {
  const { source, options } = settingsOf(sql);
  const dialect = dialectOf(source);
  const { readOnly, ddl } = new SqlRules(options).options;
  return {
    dialect: dialect && dialect !== 'any' ? NAMES[dialect] : undefined,
    placeholders: dialect === 'postgres' ? '$1' : '?',
    readOnly,
    // MySQL commits on schema changes, so they are always refused there.
    ddl: ddl && !readOnly && dialect !== 'mysql',
    atomic: !isPlain(source),
  };
}
