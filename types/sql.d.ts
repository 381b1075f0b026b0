import type { z } from 'zod';
import type { TGP } from './kernel.js';
import type { DescribeSchemaParams, ExecSqlParams } from './schemas.js';
import type { AgentTool, PreviewedTool, TGPToolsOptions, tgpTools } from './tools.js';

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
  /** Names of tables as the database has them, `'users'` or `'schema.users'`. A name without a schema stands for the default schema. */
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
   * PostgreSQL still refuses writes of a statement that only reads by its text, and functions with unknown effects are refused; with
   * the dialect `'any'` those are all functions that not every database has. The tables that views of PostgreSQL, MySQL and MariaDB
   * read are not checked: revoke the right to use such views from the role that tools connect with.
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

/**
 * Creates tools for an agent to query a database directly. Each `exec_sql` is one statement in its own transaction.
 *
 * Rows: integers beyond 2^53 and decimals are strings, dates are ISO text, bytes are `{ $base64: '…' }`, JSON and arrays
 * are values, NaN and the infinities are their names. Parameters take the same, and BigInt, Date and Uint8Array; NaN is
 * refused. Parameters of `tgp.exec_sql` in a tool cross as JSON first: bytes are passed as `{ $base64: '…' }`, a BigInt
 * arrives as its decimal text and NaN as NULL.
 *
 * With a kernel they use its database and its SQL settings; `options` override them, and set the identity of the caller like those of
 * {@link tgpTools}. If the database is set in the config, boot the kernel first.
 *
 * @example
 * const tools = { ...tgpTools(kernel), ...createSqlTools(pool, { readOnly: true }) };
 * @example
 * await kernel.boot();
 * const tools = { ...tgpTools(kernel), ...createSqlTools(kernel) };
 */
export declare function createSqlTools(source: SqlSource | TGP, options?: SqlToolOptions & TGPToolsOptions): SqlTools;

/**
 * An embedded SQLite database. Needs no package; statements run on threads of their own and can be stopped. No other SQLite
 * of the same process may have the file open: two copies do not see each other's locks. Pass the application's own database
 * instead ({@link betterSqlite3}, {@link nodeSqlite}).
 *
 * A database may use 40 MB of memory in total for all concurrent runs. A value may have 8 MB, and more when `maxBytes` is larger,
 * to 32 MB; the more a statement computes at once, the shorter its values may be. `LIKE` and `GLOB` are functions that can be stopped, and use no index: for a prefix in a large table
 * compare with `>=` and `<`.
 * @param fileOrOptions the path of the file, created if it is missing, or `':memory:'`
 */
export declare function sqlite(fileOrOptions: string | { file: string }): SqlAdapter;

/**
 * An adapter for a function, with its properties. By default it is called once for each statement, like a plain function, see
 * {@link SqlSource}. What it returns is in memory already when `maxRows` and `maxBytes` are checked, and nothing can stop
 * it: a statement that timed out may still take effect.
 */
export declare function executor(
  run: SqlExecutor,
  options?: {
    /** Default: `'any'`. */
    dialect?: SqlDialect;
    /**
     * The function uses a single connection, not a pool: it gets BEGIN, COMMIT and ROLLBACK like any other statement, each
     * run is one transaction, and runs are serialised. While it has not answered a statement that timed out or was aborted,
     * others are refused. Default: false.
     */
    oneConnection?: boolean;
    /** The function is already inside a transaction that its owner ends: no BEGIN or COMMIT is sent through it. */
    transactional?: boolean;
  },
): SqlAdapter;

/**
 * A `Pool` or `Client` of `pg`. Rows beyond `maxBytes` are dropped on their way from the socket, before the driver takes
 * them into memory; so it must be `pg` itself and not `pg-native`.
 */
export declare function pg(source: any): SqlAdapter;
/** The `sql` of `postgres` (postgres.js). */
export declare function postgresJs(sql: any, options?: PostgresJsOptions): SqlAdapter;
/** Options of {@link postgresJs}. */
export type PostgresJsOptions = {
  /**
   * Accepts a connection whose socket is not accessible, such as a custom one of the application. Rows are then in
   * memory, whatever their size, before `maxBytes` is checked. Default: false, such a connection is refused.
   */
  unmetered?: boolean;
};
/**
 * A pool or connection of `mysql2`, with callbacks or promises. MySQL commits at DDL, so tools cannot use that. Versions
 * before 3.24 send whole numbers among the parameters as text; where the type itself matters, as in `SELECT ?` or
 * `JSON_OBJECT('n', ?)`, write `CAST(? AS SIGNED)` there.
 */
export declare function mysql2(source: any): SqlAdapter;

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

/**
 * A database of `better-sqlite3`. The driver works on Node's own thread, where nothing can stop a statement, so tools do
 * not use its connection: the same file is opened once more by the SQLite of this package, in a process of its own, since
 * two copies of SQLite in one process do not see each other's locks. That process is started by the first run, and ends ten
 * seconds after the last.
 *
 * - Runs take turns, as they would on one connection.
 * - What the application has committed, tools see; what they commit, it sees. Its own open transaction is not theirs:
 *   while one is open, tools that write are refused, and others do not see its changes.
 * - A write of the application waits for a run that has written, as for any other process, for as long as its own `timeout`
 *   says (5 s in better-sqlite3, 0 in node:sqlite unless it is set). It waits on Node's own thread, where the run cannot be
 *   ended meanwhile: if the application is blocked for half a second, the run is rolled back with an error, so that the
 *   application continues.
 * - The file keeps its journal mode. With WAL (`db.pragma('journal_mode = WAL')`) reading and writing do not wait for each
 *   other; without it, the same holds for a run that has only read.
 * - `readonly`, `foreign_keys` and `synchronous` are as the application has them when it hands the database over.
 * - A database in memory is refused, and functions, extensions, temporary tables, attached databases and keys of encrypted
 *   files are not available to tools, unless they use the application's connection: see {@link SyncSqliteOptions}.
 */
export declare function betterSqlite3(db: any, options?: SyncSqliteOptions): SqlAdapter;
/** A `DatabaseSync` of `node:sqlite`. The documentation of {@link betterSqlite3} applies. */
export declare function nodeSqlite(db: any, options?: SyncSqliteOptions): SqlAdapter;
/** A drizzle database over one of the drivers above, with the options of that driver's adapter. */
export declare function drizzle(db: any, options?: SyncSqliteOptions & PostgresJsOptions): SqlAdapter;
/**
 * A Prisma client over PostgreSQL, MySQL or SQLite. It reads all rows of a statement into memory, whatever their size,
 * before `maxBytes` is checked; for agents that are not trusted, pass the pool of the driver beneath it.
 */
export declare function prisma(client: any): SqlAdapter;
/** A knex instance over pg, mysql2 or better-sqlite3; the options are those of {@link betterSqlite3}. */
export declare function knex(instance: any, options?: SyncSqliteOptions): SqlAdapter;
