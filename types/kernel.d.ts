import type { Agent, AgentOptions, KernelSessions } from './agent.js';
import type { FilledTGPConfig, TGPConfigInput } from './config.js';
import type { Confinement } from './confinement.js';
import type { DryRunOption, DryRunResult } from './dry_run.js';
import type { ApprovalError, IoError, ShutdownError, ValidationError } from './errors.js';
import type { createNodeVFS, VFSAdapter } from './files.js';
import type { HostCall, SandboxFunction } from './functions.js';
import type { KernelLedger, RedactEvent } from './ledger.js';
import type { EmbedTexts, MemoryReport, Stats } from './memory.js';
import type { Approve, attenuate, KernelPolicy, TokenCaveats } from './policy.js';
import type { ExecOptions, ExecResult, ExecToolOptions } from './runs.js';
import type { SqlSettings, SqlSource } from './sql.js';
import type { TelemetryOptions } from './telemetry.js';
import type { Mode, TestOptions, TestResult } from './tests.js';
import type { ForgedTools, KernelGit, ToolSet, ToolsChange, ToolsOptions, WriteFileResult } from './tools.js';

/** The logger of the kernel. `console` can be used. */
export type Logger = {
  debug(message: string, ...rest: unknown[]): void;
  info(message: string, ...rest: unknown[]): void;
  warn(message: string, ...rest: unknown[]): void;
  error(message: string, ...rest: unknown[]): void;
};

/** Options of {@link TGP}. All are optional: `new TGP()` works in an empty folder. */
export type TGPOptions = {
  /**
   * The config file. Relative paths inside it start from its own folder. A named file must exist; without a
   * name `./tgp.config.{ts,mts,js,mjs,cjs,json}` is used if there is one. Excludes `config`.
   */
  configFile?: string;
  /** The configuration itself, instead of a file. Relative paths start from the current folder. */
  config?: TGPConfigInput;
  /**
   * Functions of the application that tools find on `tgp`, beside the built-in ones; one of the same name replaces the
   * built-in. They may be async, and calls of one run overlap. Arguments and answers cross as JSON; an answer that
   * JSON cannot hold, such as one with NaN in it, is an error in the tool. What a function throws is thrown in the tool. An
   * answer holds two million values and 16 million characters of JSON at most.
   *
   * `this` is a {@link HostCall}: its signal fires when the run ends and the answer is no longer needed. An arrow
   * function has no `this` of its own; write a method.
   *
   * {@link TGP.exec} in a function runs below the run that called it, as `tgp.exec_tool` does: within what is left to that
   * run, in its transaction, at most `sandbox.callDepth` deep, and it ends with it.
   *
   * An entry may have a description and a schema: `{ description, parameters, execute }`. Models and the type checker use them,
   * and `execute` gets one object that is valid for `parameters`; an invalid one is a {@link ValidationError} in the tool.
   * Functions may also be set in the config file; functions set here override them by name.
   */
  sandboxAPI?: Record<string, SandboxFunction>;
  /**
   * An embedding model for tool search, instead of the weights of `@tgp/memory`.
   * @example
   * import { embedMany } from 'ai';
   * new TGP({ embed: async (texts) => (await embedMany({ model, values: texts })).embeddings });
   */
  embed?: EmbedTexts;
  /**
   * The database behind `tgp.exec_sql` in tools. All statements of a run, those of nested tools included, are one
   * transaction: begun at the first statement, committed when the run succeeds, rolled back when it throws, times out,
   * runs out of memory, crashes or is aborted. Pass a source, or `{ source, readOnly: true, … }`. It may also be set in the config
   * file, and is then closed with the kernel; the source set here overrides it.
   */
  sql?: SqlSource | SqlSettings;
  /**
   * Where the files are, instead of the config's `rootDir`. One of {@link createNodeVFS} is worked on directly, with its
   * Git repository.
   *
   * Any other adapter stays the source of truth. The kernel works in a private temporary folder that it brings in line before every
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
  /** Removes data from ledger events before they are recorded. */
  redact?: RedactEvent;
  /** The approver of calls that need approval. Without it such a call fails with {@link ApprovalError}. */
  approve?: Approve;
  /**
   * Settings of telemetry to the application's OpenTelemetry, if any, and to the channel `tgp:call`; `false` disables it. See
   * docs/observability.md.
   */
  telemetry?: false | TelemetryOptions;
  /** Default: `console`, without debug messages. */
  logger?: Logger;
  /** @deprecated Accepted and ignored, with one warning: the native kernel reads and writes files itself. */
  fs?: unknown;
  /** @deprecated Accepted and ignored, with one warning: the native kernel talks to Git remotes itself. */
  http?: unknown;
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
  /** A safe automatic fix; {@link TGP.fix} applies all of them. */
  fix?: { line: number; column: number; endLine: number; endColumn: number; text: string };
};

/** Result of a check. */
export type CheckResult = {
  valid: boolean;
  /** The diagnostics that make the tool invalid, as one line of text each. */
  errors: string[];
  /**
   * In the order of the source. `rule` is `'syntax'`, `'types'` (found by TypeScript's own checker), or the id of a rule;
   * `// tgp-ignore rule-id: reason` on the line of a finding or above it accepts that finding.
   */
  diagnostics: Diagnostic[];
  /**
   * Whether types were checked, against the sandbox's own declarations (`@tgp/core/sandbox`). The checker is an optional
   * dependency of this package; TypeScript 7 of the application (`typescript`, `typescript-7`, `@typescript/native-preview`) serves too.
   */
  typesChecked: boolean;
  /** Why types were not checked. */
  notice?: string;
};

/** Result of {@link TGP.fix}. */
export type FixResult = {
  /** Number of applied fixes. */
  applied: number;
  /** The write, if anything was fixed. */
  written?: Omit<WriteFileResult, 'success'>;
};

/** JSON Schema of a tool's arguments, read from its TypeScript signature and its JSDoc. */
export type ToolParameters = { [key: string]: any };

/** A search result of {@link TGP.find}. */
export type FoundTool = {
  path: string;
  name: string;
  description: string;
  /** From 0 to 1. Above 0.85 it does the same job: use it instead of writing another one. */
  score: number;
  parameters: ToolParameters;
};

/** Metadata of a source file under `tools/`. Everything but `uses` is derived from its text. */
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

/** Content of `meta.json`. */
export type RegistryState = {
  version?: number;
  /** By path. */
  tools: Record<string, Pick<ToolMetadata, 'path' | 'name' | 'description'> & Partial<ToolMetadata>>;
};

/**
 * The tools that exist. `meta.json` in the root is derived from them; the tools are the source of truth. Up
 * to 32 tools every write commits it along. Of more it is committed once one in 32 has changed, by `kernel.sync()`,
 * `registry.sync()` and `shutdown()`. With pull requests it is never committed.
 */
export type Registry = {
  /** Reads every tool again. Not needed after ordinary changes, which are detected, even those by other programs. */
  hydrate(): Promise<void>;
  /**
   * Registers a tool that another program has just written. With `code`, a missing file is written first, and a file with
   * another text is a {@link ValidationError}; files outside `tools/` are ignored.
   */
  register(path: string): Promise<ToolMetadata>;
  register(path: string, code: string): Promise<ToolMetadata | undefined>;
  /**
   * All tools, sorted by path, synchronously. Before the boot it is an empty array; awaited, it boots the kernel and returns all
   * tools. With `options.vfs` it has the files of the last call; awaited, it reads them again.
   * The objects are copies; their members (`parameters`, `tags`, `imports`) are frozen. With more than 1000 tools,
   * files that another program changed are found a moment later.
   */
  list(): ToolMetadata[];
  /**
   * Embeds all tools now and waits for it, for example before the first search or when an image is built. Otherwise searches do
   * it in the background.
   */
  remember(): Promise<MemoryReport>;
  /** Rebuilds `meta.json` from the tools and commits it. Only needed after changes by other programs. */
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
  /** Does not block, starts no process and does not read the configuration; {@link TGP.boot} does. */
  constructor(options?: TGPOptions);
  /**
   * The configuration with every default, secrets masked. Before the boot it is made of `options.config`; a config file is read
   * by the boot. The object stays the same.
   */
  get config(): FilledTGPConfig;
  /** The logger of the kernel. */
  logger: Logger;
  /**
   * Reads the configuration and prepares the workspace. Optional: every call boots when needed. Concurrent and repeated
   * calls are one boot; after a failure the next call tries again. It ends when the tools are known, so that lists and prompts wait
   * for nothing; other calls that boot the kernel do not wait for that. After {@link TGP.shutdown} it boots again and
   * reads the config file again.
   */
  boot(): Promise<void>;
  /** A dry run of {@link TGP.exec}: nothing is changed. */
  exec<Result = any>(
    path: string,
    args: unknown,
    options: ExecToolOptions & DryRunOption,
  ): Promise<DryRunResult<Result>>;
  /**
   * Runs a tool in the sandbox.
   * @param path the tool, relative to the root
   * @param args what the tool gets. Dates cross as ISO strings, BigInts as decimal strings, Maps as objects, Sets as
   * arrays, and members that are undefined are left out; functions, symbols, cycles, NaN and the infinities are a
   * {@link ValidationError}. They are the application's own, so they are validated against the tool's schema only with `validate`;
   * arguments of agents and of the command line always are. Default: `{}`.
   * @throws {TGPError} of the class of the failure; `details.logs` has the logs of the tool
   */
  exec<Result = any>(path: string, args?: unknown, options?: ExecToolOptions): Promise<ExecResult<Result>>;
  /** A dry run of {@link TGP.run}: nothing is changed. */
  run<Result = any>(code: string, args: unknown, options: ExecOptions & DryRunOption): Promise<DryRunResult<Result>>;
  /**
   * Runs TypeScript that is in no file: same sandbox, limits and checks as {@link TGP.exec}, nothing written, committed or
   * registered. Its imports are those of a file in `tools/`; errors name it `tools/.code.ts`.
   * @throws {TGPError} as {@link TGP.exec}
   */
  run<Result = any>(code: string, args?: unknown, options?: ExecOptions): Promise<ExecResult<Result>>;
  /** Runs the tests of a tool (`tools/a/b.test.ts` of `tools/a/b.ts`), a test file, all below a folder, or all there are. */
  test(path?: string, options?: TestOptions): Promise<TestResult>;
  /** Checks a tool's source without running it: syntax, the eight standards and, when TypeScript is there, types. */
  check(path: string, options?: { signal?: AbortSignal }): Promise<CheckResult>;
  /** A dry run of {@link TGP.fix}: nothing is changed. */
  fix(path: string, options: { signal?: AbortSignal } & DryRunOption): Promise<DryRunResult>;
  /** Applies every repair that the findings of a tool offer, and commits the result. */
  fix(path: string, options?: { signal?: AbortSignal }): Promise<FixResult>;
  /** The confinement of the sandbox on this machine, and its V8 engine; starts a worker if none has run yet. */
  confinement(): Promise<Confinement>;
  /**
   * Searches tools by a description of a job, best match first; empty if no tool matches. The search uses words, their stems and
   * antonyms, and with an embedding model (see `memory` in {@link TGPConfigInput}) also their meaning.
   * @param options.limit most tools to return. Default: 5.
   */
  find(query: string, options?: { limit?: number; signal?: AbortSignal }): Promise<FoundTool[]>;
  /** Counts of forged and reused tools on this machine. */
  stats(): Promise<Stats>;
  /**
   * The tools that can be run, each as a tool that a model calls by its own name and with its own schema: `reports_downgrade` for
   * `tools/reports/downgrade.ts`. Providers take some 128 tools at most, and each costs tokens in every step: of more than
   * `agent.liveTools` only the most recently written or most often run ones are included, which is logged once. `find_tool` and
   * `exec_tool` reach the others; `query` and `limit` select.
   *
   * The names are a snapshot; the code behind each is always current. Call it again for every conversation, or use
   * {@link TGP.liveTools}, which also includes tools that are forged later.
   * @example
   * const tools = { ...tgpTools(kernel), ...(await kernel.tools()) };
   */
  tools(options?: ToolsOptions): Promise<ForgedTools>;
  /**
   * The tools of `base` and the forged tools, as many as {@link TGP.tools} returns, in one object that is updated in place: once a write, a fix, a revert or a
   * sync of this kernel is done, the object has the tools as they then are. The AI SDK (4 to 7) reads it at every step, so that
   * a model can forge a tool in one step and call it by name in the next. Pass the object itself: a copy is not updated.
   * Changes by other processes are detected at the next call of {@link TGP.refreshTools}.
   * @example
   * await generateText({ model, tools: await kernel.liveTools(tgpTools(kernel)), stopWhen: stepCountIs(20), prompt });
   */
  liveTools<Base extends Record<string, any> = ForgedTools>(base?: Base): Promise<Base & ToolSet>;
  /**
   * Checks for changes by other processes, which are detected within a second, and updates live sets and listeners, for example
   * in `prepareStep`.
   */
  refreshTools(): Promise<void>;
  /**
   * Calls `listener` when tools were forged, changed or removed, before the call that did it is done.
   * @returns a function that removes the listener
   */
  onToolsChanged(listener: (change: ToolsChange) => void): () => void;
  /** The registry of tools and their metadata. */
  readonly registry: Registry;
  /** The files of the root, for the application's own use: neither checked as an agent's writes are, nor committed. */
  readonly vfs: VFSAdapter;
  /**
   * Pushes local commits, then pulls remote commits. Does nothing without a remote.
   * @throws {GitConflictError} when others changed the same file; both versions are kept
   * @throws {GitError} when the remote cannot be reached; nothing is lost
   */
  sync(options?: { dryRun?: false }): Promise<void>;
  /** The repository: history, commits and the remote. */
  readonly git: KernelGit;
  /**
   * The ledger: calls of all kernels with this root, and their results.
   * @example
   * for (const { ts, tool, path } of await kernel.ledger.tail({ session: 'order-77', type: 'CALL' })) console.log(ts, tool, path);
   */
  readonly ledger: KernelLedger;
  /** The sessions of agents. */
  readonly sessions: KernelSessions;
  /**
   * Creates an agent: a model that works on tasks with the tools of this kernel, using the tool loop of the AI SDK (`ai` 6 or
   * later, which the application installs). Nothing happens before {@link Agent.run}.
   * @example
   * const agent = kernel.agent({ model: 'openai/gpt-5', budget: { steps: 40, tokens: 500_000 } });
   * const { outcome, text } = await agent.run('Which customers have not paid for 30 days?').result;
   * @throws {ValidationError} for invalid options
   */
  agent(options: AgentOptions): Agent;
  /** The policy: validates rules, explains a call, and replays recorded calls. */
  readonly policy: KernelPolicy;
  /**
   * Issues a capability token: its holder can do only what its caveats cover and the policy allows. {@link attenuate} narrows it.
   * Without `tokens.keys` in the configuration it is valid only for this kernel.
   * @example
   * const { token } = await kernel.issueToken({ allow: ['read', 'run'], paths: ['tools/reports/**'], calls: 20 });
   * const tools = tgpTools(kernel, { token });
   *
   * @throws {ValidationError} for invalid caveats
   */
  issueToken(caveats: TokenCaveats): Promise<{ token: string; id: string }>;
  /** Revokes a token by its id, with all tokens derived from it, in this kernel. */
  revokeToken(id: string): Promise<void>;
  /**
   * Ends all runs and workers, and waits for the last push. May be called more than once; every other call then fails with
   * {@link ShutdownError}, until {@link TGP.boot} is called.
   * @param options.pushTimeoutMs how long to wait for the push; what is not pushed then stays committed, and the next kernel
   * pushes it. Platforms that stop a process give it a few seconds. Default: 10 000.
   */
  shutdown(options?: { pushTimeoutMs?: number }): Promise<void>;
  /** {@link TGP.shutdown}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
  /**
   * The system prompt for the kernel tools: the protocol, the eight standards with an example each, facts about this
   * kernel's sandbox (limits, packages, addresses, folders, the database, your functions), its typed API, the functions of
   * `@tgp/std`, and the tools that exist with their signatures. The limits and the tools are current; before
   * {@link TGP.boot} they are unknown, and the prompt instructs the model to search for tools.
   *
   * It keeps within `maxTokens`, estimated as a third of its UTF-8 bytes, which is more than current tokenisers count. Sections
   * that do not fit are shortened in this order: the functions of `@tgp/std`, the examples of the standards, the API and the facts down
   * to names, the standards down to theirs, the longer protocol. Of tools the descriptions go first; then the most used
   * ones are shown, and how many are left out.
   * @param options.maxTokens at least 50. Default: 4000.
   * @param options.mode of an agent whose tools have another one than the configuration.
   * @param options.catalogue false: without the tools that exist, for an agent that may not know all of them. Default: true.
   * @throws {ValidationError} when `maxTokens` is not valid
   */
  getSystemPrompt(options?: { maxTokens?: number; mode?: Mode; catalogue?: boolean }): string;
}
