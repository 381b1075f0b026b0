import { SqlRules } from './rules.js';
import { dialectOf, isPlain } from './sources.js';
import { settingsOf } from './sql_settings.js';

/**
 * @typedef {object} SqlGuide what somebody has to know who writes SQL for a source
 * @property {'SQLite' | 'PostgreSQL' | 'MySQL' | undefined} dialect undefined when it is not known
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
    // MySQL commits at a change of the schema, so it is refused there whatever the owner says.
    ddl: ddl && !readOnly && dialect !== 'mysql',
    atomic: !isPlain(source),
  };
}
