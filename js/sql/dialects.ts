/** The facts of each SQL dialect. Other code reads them and does not compare dialects: an architecture rule checks this. */

import { ConfigError } from '../boundary/errors.js';
import type { SqlDialect } from '../types/sql.js';

/** A dialect whose catalogue can be queried. */
export type KnownDialect = Exclude<SqlDialect, 'any'>;

/** What adapters and checks know of a dialect. A new fact must be stated by every dialect. */
export type DialectFacts = {
  /** The name of the database; undefined if it is unknown. */
  name: string | undefined;
  /** The placeholder that models are advised to write. */
  placeholder: '?' | '$1';
  /** The statements that begin a transaction which never writes, may begin with a read, or begins with a write. */
  begin: { readOnly: string; read: string; write: string };
  /** Whether `SET TRANSACTION READ ONLY` protects the rest of a transaction, and of a savepoint alone. */
  setsReadOnly: boolean;
  /** Whether a schema change commits the transaction. */
  schemaChanges: 'commit' | 'transactional' | 'unknown';
  /** How a statement that only reads by its text may write: not at all, by a call, or also by operators, casts and types. */
  userFunctions: 'none' | 'called' | 'implicit';
  /** Whether a connection decides in which schema an unqualified table is. Such statements have query plans to compare with. */
  hasSearchPath: boolean;
  /** Whether tables share rows with others, by inheritance and partitioning. */
  inheritsTables: boolean;
  /** Whether SHOW may display the password of a table on another server. */
  showsPasswords: boolean;
};

/** The facts by dialect; `any` is a database whose dialect the application has not named. */
export const DIALECTS: Readonly<Record<SqlDialect, DialectFacts>> = {
  sqlite: {
    name: 'SQLite',
    placeholder: '?',
    begin: { readOnly: 'BEGIN', read: 'BEGIN', write: 'BEGIN IMMEDIATE' },
    setsReadOnly: false,
    schemaChanges: 'transactional',
    userFunctions: 'none',
    hasSearchPath: false,
    inheritsTables: false,
    showsPasswords: false,
  },
  postgres: {
    name: 'PostgreSQL',
    placeholder: '$1',
    begin: { readOnly: 'BEGIN READ ONLY', read: 'BEGIN', write: 'BEGIN' },
    setsReadOnly: true,
    schemaChanges: 'transactional',
    userFunctions: 'implicit',
    hasSearchPath: true,
    inheritsTables: true,
    showsPasswords: false,
  },
  mysql: {
    name: 'MySQL',
    placeholder: '?',
    begin: { readOnly: 'START TRANSACTION READ ONLY', read: 'BEGIN', write: 'BEGIN' },
    setsReadOnly: false,
    schemaChanges: 'commit',
    userFunctions: 'called',
    hasSearchPath: false,
    inheritsTables: false,
    showsPasswords: true,
  },
  any: {
    name: undefined,
    placeholder: '?',
    begin: { readOnly: 'BEGIN', read: 'BEGIN', write: 'BEGIN' },
    setsReadOnly: false,
    schemaChanges: 'unknown',
    userFunctions: 'called',
    hasSearchPath: false,
    inheritsTables: false,
    showsPasswords: false,
  },
};

/** The dialect, unless it is unknown. */
export function knownDialect(dialect: SqlDialect | undefined): KnownDialect | undefined {
  return dialect === 'any' ? undefined : dialect;
}

/** Refuses what is not the name of a dialect. */
export function checkDialect(dialect: string) {
  if (Object.hasOwn(DIALECTS, dialect)) return;
  throw new ConfigError(`The "dialect" of the SQL source must be one of ${Object.keys(DIALECTS).join(', ')}.`, {
    details: { key: 'sql.dialect', field: 'sql.dialect' },
  });
}
