/** Databases: sources, rules, and the SQL tools of agents. */

import type { z } from 'zod';
import type { DescribeSchemaParams, ExecSqlParams } from '../tool_shape/tool_parameters.js';
import type { AgentTool, PreviewedTool } from './tools.js';

/** Runs one statement and returns its rows. */
export type SqlExecutor = (sql: string, params: any[]) => any;

/** A {@link SqlExecutor} that answers with a promise of rows. */
export type DBExecutor = (sql: string, params: any[]) => Promise<any[]>;

/** The SQL dialect. `'any'`: unknown, so a statement must be safe in all dialects. */
export type SqlDialect = 'sqlite' | 'postgres' | 'mysql' | 'any';

/** A database, ready to hold one transaction per run. */
export type SqlAdapter = {
  readonly dialect: SqlDialect;
  /** Closes the connections that the adapter itself has opened. */
  close?(): Promise<void>;
};

/**
 * Two functions of the application that let a run be one transaction, whatever is behind them.
 *
 * @example
 * const source = {
 *   query: (sql, params) => pool.query(sql, params),
 *   transaction: (work) => pool.begin((client) => work((sql, params) => client.query(sql, params))),
 * };
 */
export type SqlTransactions = {
  /** Runs one statement without a transaction. Used for schema lookups. */
  query: SqlExecutor;
  /**
   * Begins a transaction and calls `work` once with what runs statements inside it: a function, or a client with
   * `query(sql, params)`. Commits when `work` resolves; rolls back and rejects when it rejects. With `readOnly` the
   * transaction should be a reading one, and is rolled back in any case.
   */
  transaction(
    work: (query: SqlExecutor | { query: SqlExecutor }) => Promise<unknown>,
    options: { readOnly: boolean },
  ): Promise<unknown>;
  /** Default: `'any'`. */
  dialect?: SqlDialect;
};

/**
 * A database: an adapter; a pool or client of `pg`, `postgres`, `mysql2`, `better-sqlite3`, `node:sqlite`, drizzle, prisma
 * or knex, which is recognised by its shape; `{ query, transaction }`; or a plain function `(sql, params) => rows`.
 *
 * A plain function is called exactly once for each statement and gets nothing else: a pool or an HTTP driver may be behind
 * it, so there are no transactions. The statements of a run are executed in order. A failed statement does not affect the
 * others, and the tool may continue; changes made before a run failed, was aborted or timed out are kept, also with nested
 * tools. Rules are checked only by the text of a statement, `readOnly` and `dryRun` are refused, and the kernel warns once.
 */
export type SqlSource = SqlAdapter | SqlExecutor | SqlTransactions | object;

/** The verb of a statement. `'maintain'`: ANALYZE, REINDEX, REFRESH and COMMENT. */
export type SqlVerb =
  | 'select'
  | 'insert'
  | 'update'
  | 'delete'
  | 'replace'
  | 'merge'
  | 'truncate'
  | 'create'
  | 'alter'
  | 'drop'
  | 'show'
  | 'maintain';

/** Tables and verbs that {@link SqlToolOptions} allows or denies. */
export type SqlRuleList = {
  /**
   * Names of tables as the database has them, `'users'` or `'schema.users'`. A name without a schema stands for the default schema.
   */
  tables?: string[];
  verbs?: SqlVerb[];
};

/**
 * What tools may do with a database. Whatever is set here, these are refused: transaction control, several statements at
 * once, and everything that reaches outside the database.
 */
export type SqlToolOptions = {
  /** Reading only, by the statement's text and in the database. Not over a plain function. Default: false. */
  readOnly?: boolean;
  /**
   * Whether tools may change the schema: CREATE, ALTER, DROP and TRUNCATE of tables, indexes and views, SELECT … INTO a new
   * table, and ANALYZE, REINDEX, REFRESH and COMMENT. `readOnly` refuses them still, and MySQL and MariaDB, which commit at
   * each of them, always. Default: false.
   */
  ddl?: boolean;
  /**
   * Everything runs, its effect is reported, and then it is rolled back. `exec_sql` answers
   * `{ dryRun: true, affected, rows }`; in a kernel a tool sees its own changes until its run ends. Not over a
   * plain function. Default: false.
   */
  dryRun?: boolean;
  /** Maximum number of rows of one statement; more is an error. Default: 10 000; from 1 to 1 000 000. */
  maxRows?: number;
  /**
   * Maximum number of bytes of the rows of one statement, as JSON; more is an error. Default: 4 MiB; from 64 bytes to
   * 64 MiB.
   */
  maxBytes?: number;
  /**
   * Maximum number of characters of the rows that one call of `exec_sql` shows a model; the last entry then describes
   * how to get the rest. Default: 16 000; from 1000 to 10 000 000.
   */
  resultChars?: number;
  /**
   * Maximum time of one statement. It is stopped in the database; with plain functions, prisma and `onMainThread` it is
   * rolled back when it has ended. Default: 10 000; from 1 to 3 600 000.
   */
  statementTimeoutMs?: number;
  /**
   * Allows only these. With `tables`, a statement whose tables cannot be determined is refused; with `sqlite(file)` the tables
   * below a view and those that triggers and foreign keys access must be allowed as well. Rules that allow only reading are
   * also enforced by the database, which then refuses writes of any function that a statement calls. If writing is allowed,
   * PostgreSQL still refuses writes of a statement that only reads by its text, and functions with unknown effects are refused;
   * with the dialect `'any'` those are all functions that not every database has. The tables that views of PostgreSQL, MySQL and
   * MariaDB read are not checked: revoke the right to use such views from the role that tools connect with.
   */
  allow?: SqlRuleList;
  /**
   * Denies these. A statement may not contain the name of a denied table anywhere, nor that of a catalogue that shows values of
   * other tables or statements of other users; the tables that views read are checked with `sqlite(file)` only. Denying `delete` or
   * `insert` also denies `replace`, denying `delete` also denies `truncate`.
   */
  deny?: SqlRuleList;
};

/** A database and what tools may do with it. */
export type SqlSettings = SqlToolOptions & { source: SqlSource };

/** Arguments of `exec_sql`. */
export type ExecSqlArgs = z.input<typeof ExecSqlParams>;
/** Arguments of `describe_schema`. */
export type DescribeSchemaArgs = z.input<typeof DescribeSchemaParams>;

/** Result of `exec_sql` with the option `dryRun` of {@link createSqlTools}: all changes were rolled back. */
export type SqlDryRunResult = { dryRun: true; affected: number; rows: Record<string, any>[] };

/** One table or view, as `describe_schema` shows it. */
export type TableDescription = {
  name: string;
  kind: 'table' | 'view';
  /** An estimate. */
  rows?: number;
  columns: { name: string; type: string; nullable: boolean; primaryKey?: true }[];
  foreignKeys: { column: string; references: string }[];
};

/** Result of `describe_schema`. */
export type SchemaDescription = {
  dialect: SqlDialect;
  tables: TableDescription[];
  /** Names of tables that are not described: a hundred are, or fewer with very many columns. At most a thousand. */
  notShown?: string[];
  /** Number of further tables. */
  notNamed?: number;
  /** Set if the requested table does not exist, with a suggested name. */
  notice?: string;
};

/** The tools that {@link createSqlTools} returns. */
export type SqlTools = {
  exec_sql: PreviewedTool<ExecSqlArgs, any>;
  describe_schema: AgentTool<DescribeSchemaArgs, SchemaDescription>;
};
/** Options of {@link postgresJs}. */
export type PostgresJsOptions = {
  /**
   * Accepts a connection whose socket is not accessible, such as a custom one of the application. Rows are then in
   * memory, whatever their size, before `maxBytes` is checked. Default: false, such a connection is refused.
   */
  unmetered?: boolean;
};

/** Options of the adapters for drivers that work on Node's own thread. */
export type SyncSqliteOptions = {
  /**
   * Tools use the application's own connection, on Node's own thread. They then take part in its transactions and see its
   * temporary tables, attached databases, functions and extensions, and a database in memory works. But nothing can stop a
   * statement. One that never ends blocks the whole application forever, and a huge value is in memory before
   * `maxBytes` is checked. For tools and agents that are trusted. Default: false.
   */
  onMainThread?: boolean;
};
