import type { z } from 'zod';

/** Where the kernel reports what is worth knowing and is no error. `console` fits. */
export type Logger = {
  debug(message: string, ...rest: unknown[]): void;
  info(message: string, ...rest: unknown[]): void;
  warn(message: string, ...rest: unknown[]): void;
  error(message: string, ...rest: unknown[]): void;
};

/** Text files below one root. All paths are relative to it, with `/`. */
export type VFSAdapter = {
  /** The text of a file. Rejects when it does not exist. */
  readFile(path: string): Promise<string>;
  /** As `readFile`, at once. */
  readSync(path: string): string;
  /** Makes `content` the text of a file, and makes the folders that it needs. */
  writeFile(path: string, content: string): Promise<void>;
  /** Removes a file; nothing when it does not exist. */
  remove(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** The files in a folder, or with `recursive` all files below it; none when it does not exist. */
  listFiles(dir: string, recursive?: boolean): Promise<string[]>;
  /**
   * Anything that changes whenever the text of the file does, such as a row's version. Optional: a kernel does not read a
   * file again whose stamp it knows.
   */
  stamp?(path: string): Promise<string | number>;
};

/**
 * Files on disk below `rootDir`, which no path, symlink or race can leave. A write is all or nothing, and survives a
 * power cut. A path that would leave, or that belongs to `.git`, is a {@link SecurityViolation}.
 */
export declare function createNodeVFS(rootDir: string): VFSAdapter;

/** Files in memory, with the same behaviour as those on disk. */
export declare function createMemoryVFS(initialFiles?: Record<string, string>): VFSAdapter;

/** Options of {@link TGP}. All are optional: `new TGP()` works in an empty folder. */
export type TGPOptions = {
  /**
   * The config file. Relative paths inside it start from its own folder. When it is named it must exist; when it is
   * not, `./tgp.config.{ts,mts,js,mjs,cjs,json}` is used if there is one. Excludes `config`.
   */
  configFile?: string;
  /** The configuration itself, instead of a file. Relative paths start from the current folder. */
  config?: TGPConfigInput;
  /**
   * Functions of the application that tools find on `tgp`, beside the built-in ones; one of the same name replaces the
   * built-in. They may be async, and calls of one run overlap. Arguments and answers cross as JSON. What a function
   * throws is thrown in the tool.
   */
  sandboxAPI?: Record<string, (...args: any[]) => any>;
  /**
   * The database behind `tgp.exec_sql` in tools. All statements of a run, those of nested tools included, are one
   * transaction: begun at the first statement, committed when the run succeeds, rolled back when it throws, times out,
   * runs out of memory, crashes or is aborted. Pass a source, or `{ source, readOnly: true, … }`.
   */
  sql?: SqlSource | SqlSettings;
  /**
   * Where the files are, instead of the config's `rootDir`. One of {@link createNodeVFS} is worked on directly, with its
   * Git repository.
   *
   * Any other adapter stays the truth. The kernel works in a private temporary folder that it brings in line before every
   * call: what was changed through the adapter is seen by the next call. A run sees the files as they are when it starts.
   * Every change of the kernel (writes, patches, repairs, reverts, and what comes in from Git, removals too) reaches the
   * adapter before the call returns, and is read back. It is all or nothing: when the adapter refuses a file, those before
   * it are put back and the call is an {@link IoError}. A file that was changed through the adapter in between is not
   * overwritten. An adapter without `stamp` is read whole before every call. Paths that the jail refuses and files above 1 MiB
   * are left out, with a warning.
   *
   * With `git.repo` the history is kept at the remote. Without, it ends with the kernel, and writes report
   * `persisted: false`.
   */
  vfs?: VFSAdapter;
  /** Default: `console`, without debug messages. */
  logger?: Logger;
  /** @deprecated Accepted and ignored, with one warning: the native kernel reads and writes files itself. */
  fs?: unknown;
  /** @deprecated Accepted and ignored, with one warning: the native kernel talks to Git remotes itself. */
  http?: unknown;
};

/** Limits of one run, where they differ from the configuration's, and how to stop it. */
export type ExecOptions = {
  /** CPU time of the tool in milliseconds; waiting does not count. */
  timeoutMs?: number;
  /** Time from start to result in milliseconds. */
  wallMs?: number;
  /** V8 heap and ArrayBuffers together, in MB. */
  memoryMb?: number;
  /** Makes chance repeatable: `Math.random` and `crypto`. Default: the configuration's, which is none. */
  seed?: number;
  /**
   * Where the run's clock starts, in milliseconds since 1970. Such a clock does not follow the real one: each reading is
   * one millisecond after the one before, and a timer that fires moves it by its delay. Default: the real time.
   */
  now?: number;
  /** Stops the run; it then fails with {@link AbortedError}. */
  signal?: AbortSignal;
};

/** One line that a tool wrote with `console`. */
export type LogEntry = {
  level: 'debug' | 'info' | 'log' | 'warn' | 'error';
  message: string;
};

/** What a run used. */
export type RunStats = {
  cpuMs: number;
  wallMs: number;
  heapPeakBytes: number;
  hostCalls: number;
};

/** What a run gives. */
export type ExecResult<Result = any> = {
  result: Result;
  logs: LogEntry[];
  stats: RunStats;
};

/** Whether the system gave a wall: `'partial'` on an older kernel. */
export type ConfinementHold = 'active' | 'partial' | 'missing';

/** The walls around the sandbox's workers. With `isolation: 'thread'` there are none but V8. */
export type Confinement = {
  isolation: 'process' | 'thread';
  /** Nothing can gain rights. */
  noNewPrivileges: ConfinementHold;
  /** The rights of a host that runs as root are given up. */
  capabilities: ConfinementHold;
  /** No file, port or foreign process can be reached. */
  landlock: ConfinementHold;
  /** Only the system calls that V8 needs are left. */
  seccomp: ConfinementHold;
  /** Memory, files and core dumps are bounded by the system too. */
  resourceLimits: ConfinementHold;
};

/** One finding about a tool's source. Lines and columns count from 1, in the TypeScript text. */
export type Diagnostic = {
  rule: string;
  /** Which of the eight standards it belongs to. */
  standard?: number;
  /** Only an error makes a tool invalid. */
  severity: 'error' | 'warning' | 'advice';
  message: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  /** What to write instead. */
  help?: string;
  /** A repair that can be applied without looking; {@link TGP.fix} applies them all. */
  fix?: { line: number; column: number; endLine: number; endColumn: number; text: string };
};

/** What a check finds. */
export type CheckResult = {
  valid: boolean;
  /** The diagnostics that make the tool invalid, one readable line each. */
  errors: string[];
  /**
   * In the order of the source. `rule` is `'syntax'`, `'types'` (found by TypeScript's own checker), or the id of a rule;
   * `// tgp-ignore rule-id: reason` on the line of a finding or above it accepts that finding.
   */
  diagnostics: Diagnostic[];
  /**
   * Whether types were checked, against the sandbox's own declarations (`@tgp/core/sandbox`). It takes `typescript` 7 or later,
   * installed in the application.
   */
  typesChecked: boolean;
  /** Why types were not checked. */
  notice?: string;
};

/** What {@link TGP.fix} did. */
export type FixResult = {
  /** How many repairs were made. */
  applied: number;
  /** The write, when there was anything to write. */
  written?: Omit<WriteFileResult, 'success'>;
};

/** JSON Schema of a tool's arguments, read from its TypeScript signature and its JSDoc. */
export type ToolParameters = { [key: string]: any };

/** A tool that may do the job. */
export type FoundTool = {
  path: string;
  name: string;
  description: string;
  /** From 0 to 1. Above 0.85 it does the same job: use it instead of writing another one. */
  score: number;
  parameters: ToolParameters;
};

/** What the registry knows about a source file under `tools/`. Everything but `uses` follows from its text. */
export type ToolMetadata = {
  path: string;
  name: string;
  description: string;
  parameters: ToolParameters;
  /** The folders it lies in, and `@tags` of its JSDoc. */
  tags: string[];
  imports: string[];
  /** A `'module'` has no default export: other tools import it, it cannot be run. */
  kind: 'tool' | 'module';
  /** Of the text that the entry was made of. */
  hash: string;
  /** Successful runs on this machine. Not part of the history. */
  uses: number;
};

/**
 * The tools that exist. `meta.json` in the root is derived from them; whatever happens to it, the tools are the truth. Up
 * to 32 tools every write commits it along. Of more it is committed once one in 32 has changed, by `kernel.sync()`,
 * `registry.sync()` and `shutdown()`. With pull requests it is never committed.
 */
export type Registry = {
  /** Reads every tool again. Not needed after ordinary changes, not even of other programs: those are seen. */
  hydrate(): Promise<void>;
  /** Takes note of one tool that another program wrote just now. */
  register(path: string): Promise<ToolMetadata>;
  /** Every tool, sorted by path. */
  list(): Promise<ToolMetadata[]>;
  /** Makes `meta.json` what the tools say, and commits it. Only needed after changes by other programs. */
  sync(): Promise<Omit<WriteFileResult, 'success'>>;
};

/**
 * The kernel: one workspace of tools, its Git repository and its sandbox.
 *
 * @example
 * const kernel = new TGP();
 * const { result } = await kernel.exec('tools/shipping/dim_weight.ts', { length: 10, width: 20, height: 30 });
 * await kernel.shutdown();
 */
export declare class TGP {
  /** Never blocks, starts no process and does not look at the configuration; {@link TGP.boot} does. */
  constructor(options?: TGPOptions);
  /** The configuration with every default once booted; before that, `options.config` as given. */
  get config(): TGPConfig | TGPConfigInput;
  /** Where the kernel reports. */
  logger: Logger;
  /**
   * Reads the configuration and prepares the workspace. Optional: every call boots when needed. Concurrent and repeated
   * calls are one boot; after a failure the next call tries again.
   */
  boot(): Promise<void>;
  /**
   * Runs a tool in the sandbox.
   * @param path the tool, relative to the root
   * @param args what the tool gets. Dates cross as ISO strings, BigInts as decimal strings, Maps as objects, Sets as
   * arrays; functions, symbols and cycles are a {@link ValidationError}. Default: `{}`.
   * @throws {TGPError} of the class that says what went wrong; `details.logs` holds what the tool had logged
   */
  exec<Result = any>(path: string, args?: unknown, options?: ExecOptions): Promise<ExecResult<Result>>;
  /** Checks a tool's source without running it: syntax, the eight standards and, when TypeScript is there, types. */
  check(path: string, options?: { signal?: AbortSignal }): Promise<CheckResult>;
  /** Applies every repair that the findings of a tool offer, and commits the result. */
  fix(path: string, options?: { signal?: AbortSignal }): Promise<FixResult>;
  /** What holds the sandbox beyond V8 on this machine; starts a worker if none has run yet. */
  confinement(): Promise<Confinement>;
  /**
   * The tools that fit a description of a job, best first. Words decide, with their stems, synonyms and opposites.
   * @param options.limit most tools to return. Default: 5.
   */
  find(query: string, options?: { limit?: number; signal?: AbortSignal }): Promise<FoundTool[]>;
  /**
   * Every tool that can be run, as a tool that a model calls by its own name and with its own schema: `reports_downgrade` for
   * `tools/reports/downgrade.ts`. Providers take some 128 tools at most: `query` and `limit` choose.
   *
   * The names are those of now, the code behind each is always the current one. Ask again for every conversation, or use
   * {@link TGP.liveTools}, which also has the tools that are forged meanwhile.
   * @example
   * const tools = { ...tgpTools(kernel), ...(await kernel.tools()) };
   */
  tools(options?: ToolsOptions): Promise<ForgedTools>;
  /**
   * The tools of `base` and every forged tool in one object that is kept fresh in place: once a write, a fix, a revert or a
   * sync of this kernel is done, the object has the tools as they then are. The AI SDK (4 to 7) reads it at every step, so that
   * a model can forge a tool in one step and call it by name in the next. Pass the object itself: a copy is not kept fresh.
   * Changes by other processes are seen at the next call of {@link TGP.refreshTools}.
   * @example
   * await generateText({ model, tools: await kernel.liveTools(tgpTools(kernel)), stopWhen: stepCountIs(20), prompt });
   */
  liveTools<Base extends Record<string, any> = ForgedTools>(base?: Base): Promise<Base & ToolSet>;
  /**
   * Looks for changes by other processes, which are seen within a second, and brings live sets and listeners up to date; for
   * `prepareStep`, say.
   */
  refreshTools(): Promise<void>;
  /**
   * Calls `listener` when tools were forged, changed or removed, before the call that did it is done.
   * @returns a function that ends it
   */
  onToolsChanged(listener: (change: ToolsChange) => void): () => void;
  /** The tools that exist, and what they say about themselves. */
  get registry(): Registry;
  /** The files of the root, for the application's own use: neither checked as an agent's writes are, nor committed. */
  get vfs(): VFSAdapter;
  /**
   * Pushes whatever is not pushed yet, then brings in what others pushed. Nothing without a remote.
   * @throws {GitConflictError} when others changed the same file; both versions are kept
   * @throws {GitError} when the remote cannot be reached; nothing is lost
   */
  sync(): Promise<void>;
  /** The repository: history, and what the kernel tools do with the remote. */
  get git(): KernelGit;
  /**
   * Ends all runs and workers, and waits for the last push. May be called more than once; every other call then fails with
   * {@link ShutdownError}.
   * @param options.pushTimeoutMs how long to wait for the push; what is not pushed then stays committed, and the next kernel
   * pushes it. Platforms that stop a process give it a few seconds. Default: 10 000.
   */
  shutdown(options?: { pushTimeoutMs?: number }): Promise<void>;
  /** {@link TGP.shutdown}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /**
   * What a model has to know to use the kernel tools: the protocol, the eight standards with an example each, the typed API of
   * the sandbox, and the tools that exist with their signatures. The tools are those of now; before {@link TGP.boot} they are
   * not known, and the prompt tells the model to look for them.
   *
   * It keeps within `maxTokens`, estimated as a third of its UTF-8 bytes, which is more than tokenisers of today make of it. What
   * does not fit gives way in this order: the documentation of the sandbox's API, the examples of the standards, the API down
   * to its names, the standards down to theirs, the longer protocol. Of tools the descriptions go first; then the most used
   * ones are shown, and how many are left out.
   * @param options.maxTokens at least 50. Default: 4000.
   * @throws {ValidationError} when `maxTokens` is no such number
   */
  getSystemPrompt(options?: { maxTokens?: number }): string;
}

/** The part of the AI SDK's call options that the tools use. */
export type ToolCallOptions = {
  abortSignal?: AbortSignal;
};

/**
 * A tool of an agent. The same object works in Vercel AI SDK 4 to 7. `parameters` and `inputSchema` are one schema: a
 * plain JSON Schema that the SDKs also recognise as one of their own.
 */
export type AgentTool<Args = any, Result = any> = {
  description: string;
  parameters: any;
  inputSchema: any;
  /** Checks the arguments, then runs. Fails by rejecting with a {@link TGPError}, never by throwing at once. */
  execute: (args: Args, options?: ToolCallOptions) => Promise<Result>;
};

/** Tools of an agent by name. */
export type ToolSet = Record<string, AgentTool>;

/** A tool that an agent has forged. It reports as `exec_tool` does, and refuses arguments that do not fit its schema. */
export type ForgedTool = AgentTool<any, ExecToolResult>;

/** Forged tools by the name that a model calls: at most 64 of `a-z A-Z 0-9 _ -`, no two alike, none of the kernel's own. */
export type ForgedTools = Record<string, ForgedTool>;

/** Which of the forged tools {@link TGP.tools} returns. */
export type ToolsOptions = {
  /** Only tools that fit this description of a job, at most `limit` or 5. */
  query?: string;
  /** Most tools to return; without `query` those that were run most often. Default: all. */
  limit?: number;
};

/** What has become of the tools that can be run. `name` is the one of {@link TGP.tools}. */
export type ToolsChange = {
  added: { name: string; path: string }[];
  changed: { name: string; path: string }[];
  removed: { name: string; path: string }[];
};

/** Arguments of `list_files`. */
export type ListFilesArgs = z.input<typeof ListFilesParams>;
/** Arguments of `read_file`. */
export type ReadFileArgs = z.input<typeof ReadFileParams>;
/** Arguments of `write_file`. */
export type WriteFileArgs = z.input<typeof WriteFileParams>;
/** Arguments of `patch_file`. */
export type PatchFileArgs = z.input<typeof PatchFileParams>;
/** Arguments of `apply_diff`. */
export type ApplyDiffArgs = z.input<typeof ApplyDiffParams>;
/** Arguments of `search_files`. */
export type SearchFilesArgs = z.input<typeof SearchFilesParams>;
/** Arguments of `find_tool`. */
export type FindToolArgs = z.input<typeof FindToolParams>;
/** Arguments of `file_history`. */
export type FileHistoryArgs = z.input<typeof FileHistoryParams>;
/** Arguments of `check_tool`. */
export type CheckToolArgs = z.input<typeof CheckToolParams>;
/** Arguments of `exec_tool`. */
export type ExecToolArgs = z.input<typeof ExecToolParams>;

/** Where a change of files is now. */
export type Persistence = {
  /**
   * `true`: committed, and at the remote if there is one. `'local'`: committed here and pushed later; `problem` says why.
   * `false`: on disk only.
   */
  persisted: boolean | 'local';
  /** The commit that holds it. */
  commit?: string;
  /** The pull request that asks for it, with `writeStrategy: 'pr'`. */
  pullRequest?: { number: number; url: string };
  /** Why it is not committed, or not at the remote yet. */
  problem?: string;
};

/** A write of one file: where it is now, and what the kernel noticed. */
export type WriteResult = Persistence & {
  path: string;
  /** Other tools that do the same job: one of them is probably enough. */
  similar?: { path: string; score: number }[];
  /** What the check finds wrong with a tool, one line per error; {@link TGPTools.check_tool} says more. */
  findings?: string[];
  /** With `check: 'strict'`: why the types were not checked, where they would decide. */
  notice?: string;
};

/** What `write_file` and `patch_file` answer. A write that fails rejects instead. */
export type WriteFileResult = WriteResult & { success: true };

/** One commit of a file's history. */
export type FileHistoryEntry = {
  commit: string;
  message: string;
  author: string;
  /** ISO 8601. */
  date: string;
};

/** The repository of a kernel. */
export type KernelGit = {
  /**
   * Brings in what others pushed, local commits on top, and returns the files that changed.
   * @throws {GitError} when the remote cannot be reached
   */
  hydrate(): Promise<{ changed: string[] }>;
  /** Commits files as they are on disk, in one commit, and pushes it. A file that is not there is removed. */
  persist(message: string, files: string[]): Promise<Persistence>;
  /** The commits that changed a file, or all of them, newest first. Default limit: 20. */
  log(path?: string, options?: { limit?: number }): Promise<FileHistoryEntry[]>;
  /** A unified diff of a file, or of everything. Default: what the current commit changed. */
  diff(path?: string, options?: { from?: string; to?: string }): Promise<string>;
  /** Makes a file what it was in `commit`, as a new commit. */
  revert(path: string, commit: string): Promise<WriteResult>;
};

/** What `apply_diff` answers. */
export type ApplyDiffResult = WriteFileResult & {
  /** Each change of the diff, in its order. */
  applied: {
    /** Where it was made, counted from 1 in the file as it was. */
    line: number;
    /** What was forgiven, when the text did not fit exactly. */
    tolerated?: 'trailing-space' | 'whitespace';
    /** How far the diff's own line number was off. */
    lineOffset?: number;
  }[];
};

/** What `search_files` answers. */
export type SearchFilesResult = {
  /** In the order of the paths. Lines and columns count from 1; long lines are cut. */
  matches: { path: string; line: number; column: number; text: string }[];
  /** Whether there are more matches than were returned. */
  truncated: boolean;
  /** How many text files were looked into: all that `list_files` names. Nothing of `.git` is read, and `.gitignore` hides nothing. */
  files: number;
};

/** What `exec_tool` tells a model: it reports a failed run, it does not throw. */
export type ExecToolResult =
  | { success: true; result: any; logs: LogEntry[]; stats: RunStats }
  | {
      success: false;
      error: string;
      code: TGPErrorCode;
      logs: LogEntry[];
      stack?: string;
      line?: number;
      column?: number;
    };

/** The tools that {@link tgpTools} returns. */
export type TGPTools = {
  list_files: AgentTool<ListFilesArgs, string[]>;
  read_file: AgentTool<ReadFileArgs, string>;
  write_file: AgentTool<WriteFileArgs, WriteFileResult>;
  patch_file: AgentTool<PatchFileArgs, WriteFileResult>;
  apply_diff: AgentTool<ApplyDiffArgs, ApplyDiffResult>;
  search_files: AgentTool<SearchFilesArgs, SearchFilesResult>;
  find_tool: AgentTool<FindToolArgs, FoundTool[]>;
  file_history: AgentTool<FileHistoryArgs, FileHistoryEntry[]>;
  check_tool: AgentTool<CheckToolArgs, CheckResult>;
  exec_tool: AgentTool<ExecToolArgs, ExecToolResult>;
};

/**
 * The kernel's tools, ready for an agent.
 *
 * @example
 * await generateText({ model, tools: tgpTools(kernel), system: kernel.getSystemPrompt(), stopWhen: stepCountIs(20), prompt });
 */
export declare function tgpTools(kernel: TGP): TGPTools;

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

/** The tools as a tool set of the Vercel AI SDK. They already are one; this returns a copy. */
export declare function formatTools<Tools extends ToolSet>(tools: Tools): Tools;

/** A JSON Schema. */
export type JSONSchemaObject = { [key: string]: any };

/** A tool as Chat Completions takes it. */
export type OpenAITool = {
  type: 'function';
  function: { name: string; description: string; parameters: JSONSchemaObject };
};

/** A tool as Responses takes it. */
export type OpenAIResponsesTool = {
  type: 'function';
  name: string;
  description: string;
  parameters: JSONSchemaObject;
  strict: false;
};

/**
 * The tools as `tools` of an OpenAI API: Chat Completions, or Responses with `{ api: 'responses' }`. Run what the model
 * calls with {@link handleToolCall}.
 */
export declare function toOpenAITools(tools: ToolSet, options?: { api?: 'chat' }): OpenAITool[];
/** The tools as `tools` of the Responses API. Run what the model calls with {@link handleToolCall}. */
export declare function toOpenAITools(tools: ToolSet, options: { api: 'responses' }): OpenAIResponsesTool[];

/** A tool as Anthropic's Messages API takes it. */
export type AnthropicTool = {
  name: string;
  description: string;
  input_schema: JSONSchemaObject & { type: 'object' };
};

/** The tools as `tools` of Anthropic's Messages API. Run what the model calls with {@link handleToolCall}. */
export declare function toAnthropicTools(tools: ToolSet): AnthropicTool[];

/**
 * The tools as tools of LangChain, made with the `tool` function of your own `@langchain/core/tools`. They never throw
 * except for an abort: a failure is text that the model reads.
 *
 * @example
 * import { tool } from '@langchain/core/tools';
 * const bound = model.bindTools(toLangChainTools(tgpTools(kernel), tool));
 */
export declare function toLangChainTools<Made>(
  tools: ToolSet,
  tool: (
    run: (args: any, config?: { signal?: AbortSignal }) => Promise<string>,
    fields: { name: string; description: string; schema: any },
  ) => Made,
): Made[];

/**
 * The tools as tools of the OpenAI Agents SDK, made with the `tool` function of your own `@openai/agents`. They never
 * throw except for an abort: a failure is text that the model reads.
 *
 * @example
 * import { Agent, tool } from '@openai/agents';
 * const agent = new Agent({ name: 'Smith', tools: toOpenAIAgentsTools(tgpTools(kernel), tool) });
 */
export declare function toOpenAIAgentsTools<Made>(
  tools: ToolSet,
  tool: (options: {
    name: string;
    description: string;
    parameters: any;
    strict: false;
    execute: (args: any, context?: any, details?: { signal?: AbortSignal }) => Promise<string>;
  }) => Made,
): Made[];

/** Options of {@link handleToolCall}. */
export type HandleToolCallOptions = {
  abortSignal?: AbortSignal;
  /** How much of a result the model gets to see, in characters; the cut is announced. Default: 16 000. */
  maxChars?: number;
};

/** One call as Chat Completions returns it. */
export type OpenAIToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
/** The message that answers an {@link OpenAIToolCall}. */
export type OpenAIToolMessage = { role: 'tool'; tool_call_id: string; content: string };
/** One call as Responses returns it. */
export type OpenAIFunctionCall = { type: 'function_call'; call_id: string; name: string; arguments: string };
/** The item that answers an {@link OpenAIFunctionCall}. */
export type OpenAIFunctionCallOutput = { type: 'function_call_output'; call_id: string; output: string };
/** One call as Anthropic's Messages API returns it. */
export type AnthropicToolUse = { type: 'tool_use'; id: string; name: string; input: unknown };
/** The content block that answers an {@link AnthropicToolUse}. */
export type AnthropicToolResult = { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean };
/** One call as LangChain's messages hold it. */
export type LangChainToolCall = { type?: 'tool_call'; id?: string; name: string; args: Record<string, any> };
/** The message that answers a {@link LangChainToolCall}. */
export type LangChainToolMessage = {
  role: 'tool';
  tool_call_id: string;
  name: string;
  content: string;
  status: 'success' | 'error';
};

/**
 * Runs one tool call of a model and answers it in the provider's own shape. A failure is an answer too, with the way out
 * first; only a call of an unknown shape and an abort reject.
 *
 * @example
 * for (const call of message.tool_calls ?? []) messages.push(await handleToolCall(tools, call));
 */
export declare function handleToolCall(
  tools: ToolSet,
  call: OpenAIToolCall,
  options?: HandleToolCallOptions,
): Promise<OpenAIToolMessage>;
/** Runs one call of the Responses API and answers it with an item. */
export declare function handleToolCall(
  tools: ToolSet,
  call: OpenAIFunctionCall,
  options?: HandleToolCallOptions,
): Promise<OpenAIFunctionCallOutput>;
/** Runs one call of Anthropic's Messages API and answers it with a content block. */
export declare function handleToolCall(
  tools: ToolSet,
  call: AnthropicToolUse,
  options?: HandleToolCallOptions,
): Promise<AnthropicToolResult>;
/** Runs one call of a LangChain message and answers it with a message. */
export declare function handleToolCall(
  tools: ToolSet,
  call: LangChainToolCall,
  options?: HandleToolCallOptions,
): Promise<LangChainToolMessage>;

/** Where the tools are kept, beside the root itself. */
export type GitConfigInput = {
  /** Who hosts the remote. `'local'`: nobody; commits stay in the root, or go to the address in `repo`. Default: `'local'`. */
  provider?: 'local' | 'github' | 'gitlab' | 'bitbucket';
  /**
   * The remote: `owner/name` at the provider, any https or ssh address, a path or a `file://` address. A path starts from
   * the folder of the config file. Without it nothing leaves the root. ssh uses the program `ssh` with your own keys.
   */
  repo?: string;
  /** The branch that tools live on. Default: `'main'`. */
  branch?: string;
  /** Address of the provider's API, for servers of your own. Default: the provider's. */
  apiBaseUrl?: string;
  auth?: {
    /**
     * Token for the remote and the API; shown masked. Default: the environment variable `TGP_GITHUB_TOKEN`,
     * `TGP_GITLAB_TOKEN` or `TGP_BITBUCKET_TOKEN` by provider, else `TGP_GIT_TOKEN`.
     */
    token?: string;
    /** Author name of the commits. */
    user?: string;
    /** Author address of the commits. */
    email?: string;
  };
  /** `'direct'` pushes every write to the branch; `'pr'` opens one pull request per tool. Default: `'direct'`. */
  writeStrategy?: 'direct' | 'pr';
};

/** Limits of every run, and where runs live. */
export type SandboxConfigInput = {
  /** V8 heap and ArrayBuffers of one run together, in MB. Default: 64. */
  memoryMb?: number;
  /** CPU time of one run in milliseconds; waiting does not count. Default: 50. */
  timeoutMs?: number;
  /** Time from start to result of one run in milliseconds. Default: 30 000. */
  wallMs?: number;
  /**
   * Where runs live. `'process'`: in supervised worker processes, so that no tool can end, hang or bloat the host.
   * `'thread'`: on threads of the host. Default: `'process'`.
   */
  isolation?: 'process' | 'thread';
  /** How many runs may go on at once. Default: one per core, at most 4. */
  workers?: number;
  /** How many workers are kept ready. Default: 1. */
  warm?: number;
  /** Largest result, as JSON text. */
  resultBytes?: number;
  /** Largest arguments, as JSON text. */
  argsBytes?: number;
  /** Captured log text of one run; the rest is cut off, and marked. */
  logBytes?: number;
  /** Host calls (`tgp.…`) of one run that may wait for an answer at one time; one more is a {@link LimitError}. Default: 64. */
  hostCalls?: number;
  /** Runs that may wait for a worker at one time; one more is a {@link LimitError}. Default: 1000. */
  queue?: number;
  /** What one run may keep under `/tmp`, in bytes. Default: 16 MB. */
  scratchBytes?: number;
  /** What one run may keep under `/tmp`, in files. Default: 256. */
  scratchFiles?: number;
  /**
   * What one run, with all that it starts, may write into the folders of `fs.allowedDirs`, in bytes; more is a
   * {@link LimitError} in the tool. Default: 64 MiB.
   */
  writeBytes?: number;
  /** As `writeBytes`, in files. Default: 1000. */
  writeFiles?: number;
  /** How deep tools may run tools with `tgp.exec_tool`. Default: 8. */
  callDepth?: number;
  /** Largest body of a request or a response, unpacked. Default: 8 MB. */
  fetchBytes?: number;
  /** Time for one request with all its redirects, in milliseconds. Default: 10 000. */
  fetchTimeoutMs?: number;
  /** Makes chance repeatable in every run. Default: none. */
  seed?: number;
  /** Where the clock of every run starts, in milliseconds since 1970; see {@link ExecOptions.now}. Default: the real time. */
  now?: number;
};

/** What tools may reach of the file system beyond their root. */
export type FSConfigInput = {
  /**
   * Folders that tools may read and write under the name given here: relative to the folder of the config file, or
   * absolute. They are created when they are missing. None may hold `rootDir` or lie in it. Default: none.
   */
  allowedDirs?: string[];
  /** Refuse every `..` in a path of a tool. `false` lets one stand that does not lead out. Default: `true`. */
  blockUpwardTraversal?: boolean;
  /**
   * Largest file of the root and of the allowed folders, in bytes; a larger one is a {@link LimitError}. Sources compile up
   * to 1 MiB whatever is set here. Default: 1 MiB.
   */
  fileBytes?: number;
  /**
   * What the root may hold in all, in bytes, `.git` aside. A write that would make it larger is a {@link LimitError} and
   * changes nothing; what comes in from Git is not held up. Default: 1 GiB.
   */
  rootBytes?: number;
  /** As `rootBytes`, in files. Default: 50 000. */
  rootFiles?: number;
};

/** What a config file exports. Every key is optional; unknown keys are refused by name. */
export type TGPConfigInput = {
  /** The agent's root, relative to the folder of the config file. Default: `'./.tgp'`. */
  rootDir?: string;
  git?: GitConfigInput;
  sandbox?: SandboxConfigInput;
  /**
   * What a tool that fails its check may still do. `'warn'`: it is committed, and it runs, but `exec_tool` refuses one that
   * makes code from text or imports what is forbidden. `'strict'`: it stays a draft on disk that is neither committed nor run,
   * by an agent or by the application; type errors count like others where TypeScript is installed, and where it is not, the
   * write's `notice` and one warning say so. `'off'`: everything that compiles. Default: `'warn'`.
   */
  check?: 'off' | 'warn' | 'strict';
  /**
   * What a rule's findings weigh, by the id that diagnostics name: `{ 'no-magic-numbers': 'warning', types: 'off' }`. Only
   * errors make a tool invalid.
   */
  rules?: Record<string, 'off' | 'advice' | 'warning' | 'error'>;
  fs?: FSConfigInput;
  /**
   * Packages that tools may import, with all their subpaths. They are found in the `node_modules` of the application,
   * from the folder of the config file upwards, and bundled; packages that need Node itself do not work. `@tgp/std` can
   * always be imported. Default: none.
   */
  allowedImports?: string[];
  /**
   * What tools may fetch. Scheme, host and port of a request must be those of an entry, and its path must begin with the
   * entry's, segment by segment; the same holds for every redirect. A private address must be named as such.
   * Default: nothing.
   *
   * @example ['https://api.stripe.com/v1', 'http://127.0.0.1:3000']
   */
  allowedFetchUrls?: string[];
};

/** The configuration with every default filled in. */
export type TGPConfig = {
  rootDir: string;
  git: Required<Omit<GitConfigInput, 'auth' | 'repo' | 'apiBaseUrl'>> &
    Pick<GitConfigInput, 'repo' | 'apiBaseUrl'> & { auth: { token?: string; user: string; email: string } };
  fs: Required<FSConfigInput>;
  allowedImports: string[];
  allowedFetchUrls: string[];
  sandbox: Required<Omit<SandboxConfigInput, 'seed' | 'now'>> & { seed: number | null; now: number | null };
  check: 'off' | 'warn' | 'strict';
  rules: Record<string, 'off' | 'advice' | 'warning' | 'error'>;
};

/**
 * Gives a config file its types.
 *
 * @example
 * export default defineTGPConfig({ rootDir: './.tgp', sandbox: { timeoutMs: 200 } });
 */
export declare function defineTGPConfig(config: TGPConfigInput): TGPConfigInput;

/**
 * Loads and checks a config file (.ts .mts .js .mjs .cjs .json). Defaults are not filled in: booting does that.
 * @throws {ConfigError} when it is missing, cannot be loaded, or holds a wrong or unknown key
 */
export declare function loadTGPConfig(configFile: string): Promise<TGPConfigInput>;

type Strict<Shape extends z.core.$ZodShape> = z.ZodObject<Shape, z.core.$strict>;
type Optional<Schema extends z.core.SomeType> = z.ZodOptional<Schema>;
// biome-ignore lint/complexity/noBannedTypes: zod's own spelling of an object without named keys
type AnyObject = z.ZodObject<{}, z.core.$loose>;

/** Checks {@link GitConfigInput}. */
export declare const GitConfigSchema: Strict<{
  provider: Optional<z.ZodEnum<{ local: 'local'; github: 'github'; gitlab: 'gitlab'; bitbucket: 'bitbucket' }>>;
  repo: Optional<z.ZodString>;
  branch: Optional<z.ZodString>;
  apiBaseUrl: Optional<z.ZodString>;
  auth: Optional<Strict<{ token: Optional<z.ZodString>; user: Optional<z.ZodString>; email: Optional<z.ZodString> }>>;
  writeStrategy: Optional<z.ZodEnum<{ direct: 'direct'; pr: 'pr' }>>;
}>;
/** Checks {@link SandboxConfigInput}. */
export declare const SandboxConfigSchema: Strict<{
  memoryMb: Optional<z.ZodInt>;
  timeoutMs: Optional<z.ZodInt>;
  wallMs: Optional<z.ZodInt>;
  isolation: Optional<z.ZodEnum<{ process: 'process'; thread: 'thread' }>>;
  workers: Optional<z.ZodInt>;
  warm: Optional<z.ZodInt>;
  resultBytes: Optional<z.ZodInt>;
  argsBytes: Optional<z.ZodInt>;
  logBytes: Optional<z.ZodInt>;
  hostCalls: Optional<z.ZodInt>;
  queue: Optional<z.ZodInt>;
  scratchBytes: Optional<z.ZodInt>;
  scratchFiles: Optional<z.ZodInt>;
  writeBytes: Optional<z.ZodInt>;
  writeFiles: Optional<z.ZodInt>;
  callDepth: Optional<z.ZodInt>;
  fetchBytes: Optional<z.ZodInt>;
  fetchTimeoutMs: Optional<z.ZodInt>;
  seed: Optional<z.ZodInt>;
  now: Optional<z.ZodInt>;
}>;
/** Checks {@link FSConfigInput}. */
export declare const FSConfigSchema: Strict<{
  allowedDirs: Optional<z.ZodArray<z.ZodString>>;
  blockUpwardTraversal: Optional<z.ZodBoolean>;
  fileBytes: Optional<z.ZodInt>;
  rootBytes: Optional<z.ZodInt>;
  rootFiles: Optional<z.ZodInt>;
}>;
/** Checks {@link TGPConfigInput}; unknown keys are refused. */
export declare const TGPConfigSchema: Strict<{
  rootDir: Optional<z.ZodString>;
  git: Optional<typeof GitConfigSchema>;
  sandbox: Optional<typeof SandboxConfigSchema>;
  check: Optional<z.ZodEnum<{ off: 'off'; warn: 'warn'; strict: 'strict' }>>;
  rules: Optional<
    z.ZodRecord<z.ZodString, z.ZodEnum<{ off: 'off'; advice: 'advice'; warning: 'warning'; error: 'error' }>>
  >;
  fs: Optional<typeof FSConfigSchema>;
  allowedImports: Optional<z.ZodArray<z.ZodString>>;
  allowedFetchUrls: Optional<z.ZodArray<z.ZodString>>;
}>;
/** A tool and its source, as one value. */
export declare const ToolSchema: Strict<{
  name: z.ZodString;
  description: z.ZodString;
  parameters: AnyObject;
  code: z.ZodString;
}>;
/** What {@link ToolSchema} gives. */
export type ToolDefinition = z.output<typeof ToolSchema>;

/** Checks {@link ListFilesArgs}. */
export declare const ListFilesParams: Strict<{ dir: z.ZodString }>;
/** Checks {@link ReadFileArgs}. */
export declare const ReadFileParams: Strict<{ path: z.ZodString }>;
/** Checks {@link WriteFileArgs}. */
export declare const WriteFileParams: Strict<{ path: z.ZodString; content: z.ZodString }>;
/** Checks {@link PatchFileArgs}. */
export declare const PatchFileParams: Strict<{ path: z.ZodString; search: z.ZodString; replace: z.ZodString }>;
/** Checks {@link ApplyDiffArgs}. */
export declare const ApplyDiffParams: Strict<{ path: z.ZodString; diff: z.ZodString }>;
/** Checks {@link SearchFilesArgs}. */
export declare const SearchFilesParams: Strict<{
  pattern: z.ZodString;
  glob: Optional<z.ZodString>;
  case: Optional<z.ZodEnum<{ sensitive: 'sensitive'; insensitive: 'insensitive' }>>;
  limit: Optional<z.ZodInt>;
}>;
/** Checks {@link FindToolArgs}. */
export declare const FindToolParams: Strict<{ query: z.ZodString; limit: Optional<z.ZodInt> }>;
/** Checks {@link FileHistoryArgs}. */
export declare const FileHistoryParams: Strict<{ path: z.ZodString; limit: Optional<z.ZodInt> }>;
/** Checks {@link CheckToolArgs}. */
export declare const CheckToolParams: Strict<{ path: z.ZodString }>;
/** Checks {@link ExecSqlArgs}. */
export declare const ExecSqlParams: Strict<{
  sql: z.ZodString;
  params: Optional<z.ZodUnion<readonly [z.ZodArray<z.ZodAny>, AnyObject]>>;
}>;
/** Checks {@link DescribeSchemaArgs}. */
export declare const DescribeSchemaParams: Strict<{ table: Optional<z.ZodString> }>;
/** Checks {@link ExecToolArgs}. */
export declare const ExecToolParams: Strict<{ path: z.ZodString; args: Optional<AnyObject> }>;

/** Every `code` there is. */
export type TGPErrorCode =
  | 'ERR_VALIDATION'
  | 'ERR_CONFIG'
  | 'ERR_NOT_FOUND'
  | 'ERR_SECURITY_VIOLATION'
  | 'ERR_COMPILATION'
  | 'ERR_ISOLATE_TIMEOUT'
  | 'ERR_ISOLATE_MEMORY'
  | 'ERR_ISOLATE_CRASHED'
  | 'ERR_TOOL_THROWN'
  | 'ERR_RESULT'
  | 'ERR_LIMIT'
  | 'ERR_SQL'
  | 'ERR_FETCH'
  | 'ERR_GIT'
  | 'ERR_GIT_CONFLICT'
  | 'ERR_IO'
  | 'ERR_ABORTED'
  | 'ERR_SHUTDOWN';

/** What an error carries beside its message. */
export type TGPErrorOptions = { details?: Record<string, unknown>; cause?: unknown };

/** Every failure of this package. `instanceof` also holds between its ESM and its CommonJS copy. */
export declare class TGPError extends Error {
  constructor(code: TGPErrorCode, message: string, options?: TGPErrorOptions);
  /** One of a closed list; it says which class this is. */
  code: TGPErrorCode;
  /** Facts beside the message. Never a host path or a secret. */
  details: Record<string, unknown>;
}

/** `ERR_VALIDATION`: an argument is wrong; `details.field` names it. Nothing was done. */
export declare class ValidationError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_CONFIG`: the configuration is wrong; `details.issues` names the keys. */
export declare class ConfigError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_NOT_FOUND`: there is no such file, or no such text in it. */
export declare class NotFoundError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_SECURITY_VIOLATION`: something outside the allowed was asked for. Nothing was touched. */
export declare class SecurityViolation extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_COMPILATION`: the tool's source is no valid TypeScript. */
export declare class CompilationError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
  /** Counted from 1, in the TypeScript source. */
  line: number | undefined;
  /** Counted from 1, in the TypeScript source. */
  column: number | undefined;
}
/** `ERR_ISOLATE_TIMEOUT`: the run reached its CPU or wall clock limit. */
export declare class IsolateTimeoutError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_ISOLATE_MEMORY`: the run reached its memory limit. */
export declare class IsolateMemoryError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_ISOLATE_CRASHED`: the worker of the run died. The next run gets a new one. */
export declare class IsolateCrashedError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_TOOL_THROWN`: the tool threw. `stack` is the tool's own, in its TypeScript source. */
export declare class ToolError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
  /** Counted from 1, in the TypeScript source. */
  line: number | undefined;
  /** Counted from 1, in the TypeScript source. */
  column: number | undefined;
}
/** `ERR_RESULT`: the result is too large or is not JSON data. */
export declare class ResultError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_LIMIT`: too much: runs that wait, host calls of one tool, or files that are too large or too many. The message says which. */
export declare class LimitError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_SQL`: a statement failed or was refused. */
export declare class SqlError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_FETCH`: a request failed or was refused. */
export declare class FetchError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_GIT`: the repository could not be read or written. */
export declare class GitError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_GIT_CONFLICT`: the same file was changed elsewhere; both versions are kept. */
export declare class GitConflictError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_IO`: the file system or the platform refused. */
export declare class IoError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_ABORTED`: the caller's signal fired; `cause` is its reason. */
export declare class AbortedError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_SHUTDOWN`: the kernel has been shut down. */
export declare class ShutdownError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
