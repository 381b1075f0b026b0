/** Describes a SQL source for prompts. */

import type { SqlSettings, SqlSource } from '../types/sql.js';
import { DIALECTS } from './dialects.js';
import { SqlRules } from './rules.js';
import { dialectOf, isPlain } from './sources.js';
import { settingsOf } from './sql_settings.js';

/** What a model must know to write SQL for a source. */
type SqlGuide = {
  /** The name of the database; undefined if unknown. */
  dialect: string | undefined;
  placeholders: '?' | '$1';
  readOnly: boolean;
  ddl: boolean;
  /** Whether each run is one transaction. */
  atomic: boolean;
};

export function sqlGuide(sql: SqlSource | SqlSettings): SqlGuide {
  const { source, options } = settingsOf(sql);
  const { name, placeholder, schemaChanges } = DIALECTS[dialectOf(source) ?? 'any'];
  const { readOnly, ddl } = new SqlRules(options).options;
  return {
    dialect: name,
    placeholders: placeholder,
    readOnly,
    // Schema changes that commit are always refused.
    ddl: ddl && !readOnly && schemaChanges !== 'commit',
    atomic: !isPlain(source),
  };
}
