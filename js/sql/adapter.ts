/** The interface of SQL adapters. */

import type { Reach } from '../boundary/crossing.js';
import { ValidationError } from '../boundary/errors.js';
import type { SqlDialect } from '../types/sql.js';
import type { SavepointAction } from './run/savepoint.js';

/** What a statement does: reads, changes rows, or changes the schema. */
export type SqlAccess = 'read' | 'write' | 'schema';

/** What the policy inspects in a statement. */
export type SqlDetail = 'nothing' | 'verbs' | 'tables';

/** The limits of one statement. */
export type SqlLimits = { maxRows: number; maxBytes: number; statementTimeoutMs: number; readOnly: boolean };

/** The access of the first statement of a transaction, and a signal that cancels the wait for a connection. */
export type SqlNeed = { access: SqlAccess; limits: SqlLimits; firstSql: string; signal: AbortSignal };

/** An allowed statement with its database's placeholders and their values. */
export type SqlStatement = {
  sql: string;
  values: unknown[];
  access: SqlAccess;
  returns: 'rows' | 'count';
  verbs?: string[];
  /** It was classified as read-only, so it must not write. */
  enforceReadOnly?: boolean;
  detail?: SqlDetail;
  /** What it was parsed to access, to be verified in the database's catalogue. */
  reach?: Reach;
};

/** The answer of the database. */
export type SqlAnswer = {
  /** JSON text; undefined for statements that return none. */
  rows: string | undefined;
  affected: number;
  /** Whether it may have changed something, if that was requested. */
  mayWrite?: boolean;
};

/** One connection that belongs to one run until it is released. */
export type SqlConnection = {
  begin: (need: SqlNeed) => Promise<void>;
  query: (statement: SqlStatement, limits: SqlLimits) => Promise<SqlAnswer>;
  /** Set if `query` does not accept savepoint statements. */
  savepoint?: (action: SavepointAction, number: number) => Promise<void>;
  /** Rejects unless the database confirms the commit. */
  commit: () => Promise<void>;
  rollback: () => Promise<void>;
  /** Stops the running statement in the database. */
  cancel: () => unknown;
  /** Returns the connection; a broken one is not reused. */
  release: (state: 'clean' | 'broken') => unknown;
};

/** With `connect` a run is one transaction; with only `once` each statement is separate. */
export type DatabaseAdapter = {
  dialect: SqlDialect;
  connect?: (need: SqlNeed) => Promise<SqlConnection>;
  /** Executes one statement outside transactions. */
  once?: (statement: SqlStatement, limits: SqlLimits) => Promise<SqlAnswer>;
  /** Whether the database enforces read-only transactions, as PostgreSQL always does. */
  beginsReadOnly?: boolean;
  /** Whether the application ends the transaction, so that it cannot be rolled back here. */
  endsElsewhere?: boolean;
  close?: () => Promise<void>;
  /** The file, which the first use creates if it does not exist. */
  file?: string;
};

/** An adapter with transactions. */
export type TransactionalAdapter = DatabaseAdapter & Required<Pick<DatabaseAdapter, 'connect'>>;
/** An adapter for single statements. */
export type StatementAdapter = DatabaseAdapter & Required<Pick<DatabaseAdapter, 'once'>>;

/** A registered symbol, so that the ESM copy of this package recognises adapters of the CommonJS copy. */
export const ADAPTER = Symbol.for('@tgp/core/sql-adapter');

/** Marks an object as an adapter. */
export function defineAdapter<Adapter extends DatabaseAdapter>(adapter: Adapter & DatabaseAdapter): Adapter {
  return Object.defineProperty({ ...adapter }, ADAPTER, { value: true });
}

/** Whether a value is an adapter of any copy of this package. */
export function isAdapter(value: unknown): value is DatabaseAdapter {
  return typeof value === 'object' && value !== null && (value as { [ADAPTER]?: unknown })[ADAPTER] === true;
}

/** Refuses what is passed to the function of an adapter in place of options, if the function does not take it. */
export function refuseOptions(adapter: string, given: object | undefined, known: readonly string[] = []) {
  if (given === undefined) return;
  const isOptions = typeof given === 'object' && given !== null;
  const unknown = isOptions ? Object.keys(given).find((key) => !known.includes(key)) : '';
  if (unknown === undefined) return;
  const subject =
    unknown === '' ? `${adapter}() does not take this argument` : `${adapter}() has no option "${unknown}"`;
  const option = unknown === '' || unknown === 'readOnly' ? 'readOnly: true' : `${unknown}: …`;
  throw new ValidationError(
    `${subject}. Options of statements belong beside the source: new TGP({ sql: { source, ${option} } }), or createSqlTools(source, { ${option} }).`,
    { details: { field: unknown === '' ? 'options' : unknown } },
  );
}
