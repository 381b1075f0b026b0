/** Describes a SQL source for prompts. */

import type { SqlSettings, SqlSource } from '../types/sql.js';
import { SqlRules } from './rules.js';
import { dialectOf, isPlain } from './sources.js';
import { settingsOf } from './sql_settings.js';

/** What a model must know to write SQL for a source. */
type SqlGuide = {
  /** Undefined if unknown. */
  dialect: 'SQLite' | 'PostgreSQL' | 'MySQL' | undefined;
  placeholders: '?' | '$1';
  readOnly: boolean;
  ddl: boolean;
  /** Whether each run is one transaction. */
  atomic: boolean;
};

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MySQL' } as const;

export function sqlGuide(sql: SqlSource | SqlSettings): SqlGuide {
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
