/**
 * The members of database drivers that the adapters use. Drivers are optional peers of any version, some of these members are
 * internal, and objects of applications are recognised by their shape; so these are not the drivers' own types.
 */

/** A socket, plain or TLS, or a stream in its place. */
export type ByteStream = {
  readonly destroyed?: boolean;
  emit(event: string, ...args: unknown[]): boolean;
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  removeListener(event: 'data', listener: (chunk: Buffer) => void): unknown;
  isPaused?(): boolean;
  pause(): unknown;
  resume(): unknown;
  destroy(error?: Error): unknown;
};

type Listening = {
  on(event: string, listener: (event?: unknown) => void): unknown;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: (event?: unknown) => void): unknown;
};

/** A client of `pg`. */
export type PgClient = Listening & {
  readonly constructor: (new (config: object) => PgClient) & { Query: new (config: object) => PgQuery };
  readonly connection: PgProtocol;
  readonly host?: string;
  readonly port: number;
  readonly user: unknown;
  readonly database: unknown;
  readonly ssl: unknown;
  readonly sslNegotiation: unknown;
  readonly processID: unknown;
  readonly secretKey: unknown;
  query(query: PgQuery): unknown;
};

/** The connection of a `pg` client. */
type PgProtocol = Listening & {
  readonly stream: ByteStream;
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: unknown, secretKey: unknown): void;
};

/** A query of `pg`. */
export type PgQuery = {
  submit(connection: PgProtocol): unknown;
  handleRowDescription(message: { fields: PgField[] }): void;
  handleDataRow(message: { fields: (string | null)[] }): void;
  handleCommandComplete(message: { text: string }): void;
  handleError(error: unknown): void;
  handleReadyForQuery(): void;
  callback?(): void;
};

/** A column of `pg`. */
export type PgField = { name: string; dataTypeID: number };

/** A connection of `mysql2` with callbacks. */
export type MysqlConnection = Listening & {
  readonly constructor: MysqlConnectionClass;
  readonly config: unknown;
  readonly threadId: unknown;
  readonly stream: ByteStream;
  readonly _command?: unknown;
  readonly _fatalError?: unknown;
  readonly _closing?: boolean;
  _inflatedPacketsParser?: MysqlParser;
  packetParser?: MysqlParser;
  addCommand(command: MysqlCommand): MysqlCommand;
  query(sql: string, callback: (error: unknown, answer: { warningStatus: number }) => void): unknown;
  execute(options: object): MysqlCommand;
  unprepare(options: object): unknown;
  destroy(): void;
};

type MysqlConnectionClass = new (options: { config: unknown }) => MysqlConnection;

/** The packet parser of a `mysql2` connection. */
export type MysqlParser = { execute(bytes: Buffer): unknown };

/** A running or queued command of `mysql2`. */
export type MysqlCommand = {
  /** The values of a prepared statement. */
  readonly parameters?: unknown;
  readonly options?: { typeCast?: unknown };
  statement: MysqlStatement;
  start(...args: unknown[]): unknown;
  on(event: 'fields', listener: (fields: MysqlField[] | undefined) => void): unknown;
  on(event: 'result', listener: (row: unknown) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
};

/** A column of `mysql2`. */
export type MysqlField = { name: string; columnType: number; extendedFormat?: string };

/** A prepared statement of `mysql2`. */
export type MysqlStatement = { readonly parameters?: readonly unknown[] };

/** A pool of `mysql2`. */
export type MysqlPool = {
  promise?(): MysqlPool;
  getConnection(): Promise<{ readonly connection: MysqlConnection; release(): void; destroy(): void }>;
};

/** The `sql` of postgres.js. */
export type PostgresJs = {
  readonly options?: { max?: number };
  unsafe(text: string, parameters: unknown[], settings: object): PostgresJsQuery;
  typed(value: unknown, type: number): unknown;
};

/** A query of postgres.js, which is sent when it is awaited. */
export type PostgresJsQuery = Promise<PostgresJsResult> & {
  handler: (query: PostgresJsQuery) => unknown;
  canceller?: ((query: PostgresJsQuery) => Promise<unknown>) | null;
  raw(): PostgresJsQuery;
  forEach(
    onRow: (row: (Buffer | null)[], result: { statement: { columns: { name: string; type: number }[] } }) => void,
  ): Promise<PostgresJsResult>;
};

/** The outcome of a query of postgres.js. */
type PostgresJsResult = { columns?: unknown[]; count: number | null; command: unknown };

/** A connection of postgres.js. */
export type PostgresJsConnection = {
  reserved: object | null;
  onclose: () => void;
  execute(query: PostgresJsQuery): unknown;
  terminate(): void;
};

/** A client of Prisma. */
export type PrismaClient = {
  readonly _activeProvider?: string;
  readonly _engineConfig?: { activeProvider?: string };
  $transaction(work: (transaction: PrismaTransaction) => Promise<unknown>, limits: object): Promise<unknown>;
};

/** An open transaction of Prisma. */
export type PrismaTransaction = {
  $queryRawUnsafe(sql: string, ...values: unknown[]): PromiseLike<unknown>;
  $executeRawUnsafe(sql: string, ...values: unknown[]): PromiseLike<unknown>;
};

/** The client of a knex instance. */
export type KnexClient<Connection = unknown> = {
  readonly driverName: string;
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<unknown>;
};

/** A row of a PRAGMA. */
export type PragmaRow = Record<string, unknown>;

/** A database of `better-sqlite3`. */
export type BetterSqlite3 = {
  readonly open: boolean;
  readonly inTransaction: boolean;
  readonly readonly: boolean;
  pragma(source: string): PragmaRow[];
  exec(sql: string): unknown;
  prepare(sql: string): BetterSqlite3Statement;
};

type BetterSqlite3Statement = {
  /** Whether it returns rows. */
  readonly reader: boolean;
  safeIntegers(on: boolean): BetterSqlite3Statement;
  iterate(...values: unknown[]): Iterable<object>;
  get(): { n: number };
  run(...values: unknown[]): unknown;
};

/** A `DatabaseSync` of `node:sqlite`. */
export type NodeSqlite = {
  readonly isOpen?: boolean;
  readonly isTransaction?: boolean;
  exec(sql: string): unknown;
  prepare(sql: string): NodeSqliteStatement;
};

type NodeSqliteStatement = {
  setReadBigInts(on: boolean): void;
  iterate?(...values: unknown[]): Iterable<object>;
  all(...values: unknown[]): PragmaRow[];
  get(): { n: number };
  run(...values: unknown[]): unknown;
};
