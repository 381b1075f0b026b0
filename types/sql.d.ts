import type { z } from 'zod';
import type { DescribeSchemaParams, ExecSqlParams } from './schemas.js';
import type { AgentTool } from './tools.js';

/** Runs one statement and gives its rows. */
export type SqlExecutor = (sql: string, params: any[]) => any;

/** Whose SQL it is. `'any'`: not known, so a statement must be harmless in all of them. */
export type SqlDialect = 'sqlite' | 'postgres' | 'mysql' | 'any';

/** A database, ready to hold one transaction per run. */
export type SqlAdapter = {
  readonly dialect: SqlDialect;
  /** Closes the connections that the adapter itself has opened. */
  close?(): Promise<void>;
};

/**
 * A database: an adapter; a pool or client of `pg`, `postgres`, `mysql2`, `better-sqlite3`, `node:sqlite`, drizzle, prisma
 * or knex, which is recognised by its shape; or a plain function, see {@link executor}.
 */
export type SqlSource = SqlAdapter | SqlExecutor | object;

/** What a statement does. `'maintain'`: ANALYZE, REINDEX, REFRESH and COMMENT. */
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
  /** Names of tables, `'users'` or `'schema.users'`. A name without a schema stands for the default schema. */
  tables?: string[];
  verbs?: SqlVerb[];
};

/**
 * What tools may do with a database. Whatever is set here, these are refused: transaction control, several statements at
 * once, and everything that reaches outside the database.
 */
export type SqlToolOptions = {
  /** Reading only. Default: false. */
  readOnly?: boolean;
  /**
   * Everything runs, its effect is reported, and then it is rolled back. `exec_sql` answers
   * `{ dryRun: true, affected, rows }`; in a kernel a tool sees its own changes until its run ends. Default: false.
   */
  dryRun?: boolean;
  /** Most rows of one statement; more is an error. Default: 10 000. */
  maxRows?: number;
  /** Most bytes of the rows of one statement, as JSON; more is an error. Default: 4 MB. */
  maxBytes?: number;
  /**
   * Longest time of one statement. It is stopped in the database; with `better-sqlite3` and `node:sqlite`, which work on
   * Node's own thread, and with plain functions and prisma it is rolled back when it has ended. Default: 10 000.
   */
  statementTimeoutMs?: number;
  /** Only these. With `tables`, a statement whose tables cannot be found out is refused. */
  allow?: SqlRuleList;
  /** Not these. The name of a denied table may stand nowhere in a statement. */
  deny?: SqlRuleList;
};

/** A database and what tools may do with it. */
export type SqlSettings = SqlToolOptions & { source: SqlSource };

/** Arguments of `exec_sql`. */
export type ExecSqlArgs = z.input<typeof ExecSqlParams>;
/** Arguments of `describe_schema`. */
export type DescribeSchemaArgs = z.input<typeof DescribeSchemaParams>;

/** What `exec_sql` answers with `dryRun`: nothing of it has stayed. */
export type DryRunResult = { dryRun: true; affected: number; rows: Record<string, any>[] };

/** One table or view, as `describe_schema` tells of it. */
export type TableDescription = {
  name: string;
  kind: 'table' | 'view';
  /** An estimate. */
  rows?: number;
  columns: { name: string; type: string; nullable: boolean; primaryKey?: true }[];
  foreignKeys: { column: string; references: string }[];
};

/** What `describe_schema` answers. */
export type SchemaDescription = {
  dialect: SqlDialect;
  tables: TableDescription[];
  /** Names of the tables beyond the first hundred. */
  notShown?: string[];
};

/** The tools that {@link createSqlTools} returns. */
export type SqlTools = {
  exec_sql: AgentTool<ExecSqlArgs, any>;
  describe_schema: AgentTool<DescribeSchemaArgs, SchemaDescription>;
};

/**
 * Tools for an agent to query a database by itself. Each `exec_sql` is one statement in a transaction of its own.
 *
 * Rows: integers beyond 2^53 and decimals are strings, dates are ISO text, bytes are `{ $base64: '…' }`, JSON and arrays
 * are values, NaN and the infinities are their names. Parameters take the same, and BigInt, Date and Uint8Array; NaN is
 * refused. Parameters of `tgp.exec_sql` in a tool cross as JSON first: bytes are passed as `{ $base64: '…' }`, a BigInt
 * arrives as its decimal text and NaN as NULL.
 *
 * @example
 * const tools = { ...tgpTools(kernel), ...createSqlTools(pool, { readOnly: true }) };
 */
export declare function createSqlTools(source: SqlSource, options?: SqlToolOptions): SqlTools;

/**
 * An embedded SQLite database. Needs no package; statements run on threads of their own and can be stopped.
 * @param fileOrOptions the path of the file, made when it is missing, or `':memory:'`
 */
export declare function sqlite(fileOrOptions: string | { file: string }): SqlAdapter;

/**
 * A plain function. It gets BEGIN, COMMIT and ROLLBACK like any other statement, so what is behind it must be one
 * connection and not a pool; runs take turns.
 */
export declare function executor(
  run: SqlExecutor,
  options?: {
    /** Default: `'any'`. */
    dialect?: SqlDialect;
    /** The function already is inside a transaction that its owner ends: nothing is begun or committed through it. */
    transactional?: boolean;
  },
): SqlAdapter;

/** A `Pool` or `Client` of `pg`. */
export declare function pg(source: any): SqlAdapter;
/** The `sql` of `postgres` (postgres.js). */
export declare function postgresJs(sql: any): SqlAdapter;
/** A pool or connection of `mysql2`, with callbacks or promises. MySQL commits at DDL, so tools cannot use that. */
export declare function mysql2(source: any): SqlAdapter;
/** A database of `better-sqlite3`. It works on Node's own thread; prefer {@link sqlite} for long statements. */
export declare function betterSqlite3(db: any): SqlAdapter;
/** A `DatabaseSync` of `node:sqlite`. It works on Node's own thread; prefer {@link sqlite} for long statements. */
export declare function nodeSqlite(db: any): SqlAdapter;
/** A drizzle database over one of the drivers above. */
export declare function drizzle(db: any): SqlAdapter;
/** A Prisma client over PostgreSQL, MySQL or SQLite. */
export declare function prisma(client: any): SqlAdapter;
/** A knex instance over pg, mysql2 or better-sqlite3. */
export declare function knex(instance: any): SqlAdapter;
