/** The class TGP: its options, and the results of its methods. */

import type { ApprovalError, IoError, ValidationError } from '../boundary/errors.js';
import type { createNodeVFS } from '../files/vfs.js';
import type { TGP } from '../kernel/tgp.js';
import type { TGPConfigInput } from './config.js';
import type { VFSAdapter } from './files.js';
import type { HostCall, SandboxFunction } from './functions.js';
import type { KernelGuardian, PlanReview } from './guardian.js';
import type { RedactEvent } from './ledger.js';
import type { EmbedTexts, MemoryReport } from './memory.js';
import type { Approve } from './policy.js';
import type { SqlSettings, SqlSource } from './sql.js';
import type { TelemetryOptions } from './telemetry.js';
import type { KernelGit, WriteFileResult } from './tools.js';

export type { TGP } from '../kernel/tgp.js';

/** @deprecated The name of {@link TGP} as a type in the TypeScript package. */
export type Kernel = TGP;
/** @deprecated The name of {@link KernelGit} in the TypeScript package. */
export type GitBackend = KernelGit;

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
  /** A second review of plans, after `reviews:` of the policy approved: {@link KernelGuardian.review}. If it fails, the plan is denied. */
  reviewPlan?: PlanReview;
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
   * dependency of this package; TypeScript 7 of the application (`typescript`, `typescript-7`, `@typescript/native-preview`) serves
   * too.
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
  /**
   * Successful runs on this machine. Not part of the history. New ones are stored within five seconds and when the process ends, so
   * a killed process loses those of its last five seconds.
   */
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
   * Registers a tool that another program has just written; nothing is checked or committed, unlike with
   * {@link KernelTools.write}. With `code`, a missing file is written first, and a file with another text is a
   * {@link ValidationError}; files outside `tools/` are ignored.
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
