/** The configuration: as written (`…Input`), and with all defaults (`Filled…`, `Loaded…`). */

import type { HaltError, LimitError } from '../boundary/errors.js';
import type { SandboxFunction } from './functions.js';
import type { GuardianMode, KernelGuardian } from './guardian.js';
import type { TGPOptions } from './kernel.js';
import type { LedgerConfigInput } from './ledger.js';
import type { NetworkConfigInput } from './network.js';
import type { PolicyInput, TokensConfigInput } from './policy.js';
import type { ExecOptions } from './runs.js';
import type { SecretConfigInput } from './secrets.js';
import type { SqlSettings, SqlSource } from './sql.js';
import type { Mode } from './tests.js';

/** The Git repository of the tools and its remote. */
export type GitConfigInput = {
  /** The host of the remote. `'local'`: none; commits stay in the root, or go to the address in `repo`. Default: `'local'`. */
  provider?: 'local' | 'github' | 'gitlab' | 'bitbucket';
  /**
   * The remote: `owner/name` at the provider, any https or ssh address, a path or a `file://` address. A path is relative
   * to the folder of the config file. Without it nothing is pushed. ssh uses the program `ssh` with your own keys.
   */
  repo?: string;
  /** The branch of the tools. Default: `'main'`. */
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
  /**
   * `'direct'` pushes every write to the branch; `'pr'` makes one branch and one pull request per tool. With provider
   * `'local'` the branch is pushed, and no pull request is opened. Default: `'direct'`.
   */
  writeStrategy?: 'direct' | 'pr';
  /**
   * Maximum size of one fetch, in bytes as sent; unpacked it may be 32 times as much, in one object for 512 bytes. A
   * remote that sends more is an error with `code: 'ERR_GIT'` before anything of it is kept; with a local copy `boot()`
   * warns and continues with it. Default: 128 MiB; from 64 KiB to 2 GiB.
   */
  fetchBytes?: number;
  /**
   * Time for one exchange with the remote, in milliseconds: all that `boot()` or a push waits for it. Ten seconds for
   * the connection and thirty without a sign of life are the most in any case, but for a server that has been sent a
   * push: its hooks may take all of the time. Default: 300 000; from 100 to 3 600 000.
   */
  timeoutMs?: number;
};

/** Limits and isolation of every run. */
export type SandboxConfigInput = {
  /** V8 heap and ArrayBuffers of one run together, in MB. Default: 64; from 8 to 4096. */
  memoryMb?: number;
  /**
   * CPU time of one run in milliseconds; waiting and loading packages do not count. Default: 50; from 1 to 3 600 000.
   */
  timeoutMs?: number;
  /**
   * CPU time in which one run may load packages, in milliseconds: to compile and evaluate them, each once. All the runs
   * that it starts, directly or through others, have as much again, together. When more than half is used, the run's
   * log has a warning. Default: 2000; from 1 to 3 600 000.
   */
  packageLoadMs?: number;
  /**
   * Time from start to result of one run in milliseconds. Default: 30 000, or `timeoutMs` if that is more; from 1 to 3
   * 600 000.
   */
  wallMs?: number;
  /**
   * Isolation of runs. `'process'`: in supervised worker processes, so that no tool can end, hang or bloat the host.
   * `'thread'`: on threads of the host, for code that its operator trusts. A tool there can end the host by asking V8 for too
   * much memory at once (`Array.prototype.sort.call({ length: 2 ** 31 })` is enough), keep a core busy forever with a
   * built-in function that ignores time limits, and use memory outside V8's heap that `memoryMb` does not limit. The first
   * boot warns about it. Default: `'process'`.
   */
  isolation?: 'process' | 'thread';
  /**
   * Maximum number of concurrent runs, each with all runs that it starts. A run that waits for another has its own
   * worker meanwhile. Default: 4, at most one per core; from 1 to 64.
   */
  workers?: number;
  /**
   * Runs that may wait for an answer or a timer without counting among `workers`; each has a worker of its own.
   * Default: 16, at most 1024 divided by `memoryMb`; from 0 to 256.
   */
  waiting?: number;
  /**
   * How many workers are kept ready while the kernel is in use. Of the kernels of one root in one process the newest
   * that is not shut down does so. Default: 1; from 0 to 64.
   */
  warm?: number;
  /**
   * Idle time after which a worker ends, in milliseconds. Workers of `warm` end when nothing has run for ten times as
   * long. The next run starts a worker again. Default: 60 000; from 10 to 86 400 000.
   */
  idleMs?: number;
  /**
   * Largest result, as JSON text; it may hold one array or object for every 8 bytes of this. Default: 8 MiB; from 64
   * bytes to 64 MiB.
   */
  resultBytes?: number;
  /** Largest arguments, as JSON text. Default: 4 MiB; from 64 bytes to 64 MiB. */
  argsBytes?: number;
  /**
   * Captured log text of one run, 32 bytes more for each line; the rest is cut off, and marked. Default: 256 KiB; from
   * 1 byte to 64 MiB.
   */
  logBytes?: number;
  /**
   * Host calls (`tgp.…`) of one run that may wait for an answer at one time; one more is a {@link LimitError}. Default:
   * 64; from 1 to 10 000.
   */
  hostCalls?: number;
  /**
   * Host calls that one run, with all that it starts, may make in all; one more is a {@link LimitError} in the tool.
   * Default: 10 000; from 1 to 10 000 000.
   */
  totalHostCalls?: number;
  /**
   * What one run, with all that it starts, may be given in answer to its host calls, as JSON text; more is a
   * {@link LimitError} in the tool. Default: 256 MiB; from 64 bytes to 2 GiB.
   */
  answerBytes?: number;
  /**
   * Runs that may wait for a worker at one time; one more is a {@link LimitError}. Default: 1000; from 1 to 100 000.
   */
  queue?: number;
  /**
   * How long a run may wait for a worker, in milliseconds; then it is a {@link LimitError}, and nothing of it has run.
   * Default: 120 000; from 1 to 3 600 000.
   */
  queueMs?: number;
  /** What one run may keep under `/tmp`, in bytes. Default: 16 MiB; from 0 to 256 MiB. */
  scratchBytes?: number;
  /** What one run may keep under `/tmp`, in files. Default: 256; from 0 to 65 536. */
  scratchFiles?: number;
  /**
   * What one run, with all that it starts, may write into the folders of `fs.allowedDirs`, in bytes; more is a
   * {@link LimitError} in the tool. Default: 64 MiB; from 0 to 2 GiB.
   */
  writeBytes?: number;
  /** As `writeBytes`, in files. Default: 1000; from 0 to 1 000 000. */
  writeFiles?: number;
  /** How deep tools may run tools with `tgp.exec_tool`. Default: 8; from 0 to 32. */
  callDepth?: number;
  /**
   * Runs that one run has started with `tgp.exec_tool`, directly or through others, and that are not over: one more is
   * a {@link LimitError} in the tool. However many they are, they share the turn of the run that was started first;
   * others do not wait for them. Default: 64; from 1 to 100 000.
   */
  nestedRuns?: number;
  /**
   * CPU time of all the runs that one run starts, directly or through others, together, in milliseconds; each has its
   * own `timeoutMs` besides. A run with a larger `timeoutMs` has that much. When it is used up, `tgp.exec_tool` throws
   * a {@link LimitError}. Default: 1000; from 1 to 3 600 000.
   */
  nestedTimeoutMs?: number;
  /**
   * Arguments of host calls, nested runs included, that one run with all that it starts may have under way at one time,
   * as JSON text and 64 bytes more for each array and object; more is a {@link LimitError} in the tool. One call alone
   * is always possible. Default: 32 MiB; from 64 bytes to 2 GiB.
   */
  pendingBytes?: number;
  /** Largest body of a request or a response, unpacked. Default: 8 MiB; from 64 bytes to 64 MiB. */
  fetchBytes?: number;
  /** Time for one request with all its redirects, in milliseconds. Default: 10 000; from 1 to 3 600 000. */
  fetchTimeoutMs?: number;
  /** Seed for deterministic random numbers in every run. Default: none. */
  seed?: number;
  /** Where the clock of every run starts, in milliseconds since 1970; see {@link ExecOptions.now}. Default: the real time. */
  now?: number;
};

/** Access of tools to the file system outside their root, and file limits. */
export type FSConfigInput = {
  /**
   * Folders that tools may read and write under the name given here: relative to the folder of the config file, or
   * absolute. One that is missing is created when a tool first writes there. One may hold `rootDir`, which stays out of reach
   * through it, and `.git` does anywhere. None may be `rootDir` or lie in it, be or hold the application's own folder, lie in
   * `node_modules` or have an application's files at its top; tools cannot put such files there. `'/tmp'` is the machine's, and
   * takes the place of the scratch folder of that name. Default: `['./tmp']`.
   */
  allowedDirs?: string[];
  /** Refuse every `..` in a path of a tool. `false` lets one stand that does not lead out. Default: `true`. */
  blockUpwardTraversal?: boolean;
  /**
   * Largest file of the root and of the allowed folders, in bytes; a larger one is a {@link LimitError}. One that comes
   * in from Git stays in the history and is named in a warning. Sources compile up to 1 MiB whatever is set here.
   * Default: 1 MiB; from 64 bytes to 64 MiB.
   */
  fileBytes?: number;
  /**
   * What the root may hold in all, in bytes, `.git` aside. A write that would make it larger is a {@link LimitError}
   * and changes nothing. Existing files do not block changes from Git, but a remote that changes more than this, or
   * more than 100 000 files or `rootFiles` if that is more, in one step is refused. Default: 1 GiB; from 1 KiB to 2
   * GiB.
   */
  rootBytes?: number;
  /** As `rootBytes`, in files. Default: 50 000; from 1 to 1 000 000. */
  rootFiles?: number;
};

/** Limits for models, through the AI SDK, `handleToolCall`, MCP and any other interface. */
export type AgentConfigInput = {
  /**
   * How long an approval is waited for, and how long it counts, in milliseconds. Default: 300 000; from 1000 to 86 400
   * 000.
   */
  approvalMs?: number;
  /**
   * Maximum number of characters of one result of a tool. What is longer is paged (`read_file`, `list_files`,
   * `search_files`) or shown in part; the whole result of a run is then in a file under the root that `read_file` pages
   * through. Default: 16 000; from 1000 to 10 000 000.
   */
  resultChars?: number;
  /**
   * Maximum number of forged tools that `liveTools`, `tools()` and the MCP server offer by name: those that were
   * written last or run most often. `find_tool` finds the rest, `exec_tool` runs it. Default: 100; from 0 to 10 000.
   */
  liveTools?: number;
  /** As `liveTools`, in characters of their names, descriptions and schemas. Default: 32 000; from 0 to 10 000 000. */
  liveToolChars?: number;
};

/** The configuration that a config file exports. Every key is optional; unknown keys are an error that names them. */
export type TGPConfigInput = {
  /**
   * The agent's root, relative to the folder of the config file: a folder of its own. One that is or holds the application's
   * own folder, or has its files at its top (`package.json`, `node_modules`, `tgp.config.*`, lock files, `.env`, …), is refused,
   * because agents write there and what they write would be executed. Default: `'./.tgp'`.
   */
  rootDir?: string;
  git?: GitConfigInput;
  sandbox?: SandboxConfigInput;
  /**
   * Handling of a tool that fails its check. `'warn'`: it is committed and can run, but `exec_tool` refuses a tool that
   * creates code from text or imports a forbidden module. `'strict'`: it stays a draft on disk that is neither committed nor run,
   * by an agent or by the application; type errors count like others where TypeScript is installed, and where it is not, the
   * write's `notice` and one warning say so. A function without a description, and a loop over one list that only pushes or sums
   * up, are then errors instead of advice. `'off'`: everything that compiles. Default: `'warn'`.
   */
  check?: 'off' | 'warn' | 'strict';
  /**
   * Whether tools are found by meaning as well as by words. `'auto'`: with {@link TGPOptions.embed}, or with the weights of the
   * optional package `@tgp/memory` when it is installed; they take about 25 MB of memory, once per process, from the first search
   * or write on. Without either, search uses words only. `'off'`: words only. Default: `'auto'`.
   */
  memory?: 'auto' | 'off';
  /**
   * Handling of a new tool that duplicates another tool, judged by code, descriptions, parameters, and, if the other tool was run,
   * the results for the same arguments. `'warn'`: it is written, and `similar` of the write names the other tool. `'strict'`: it is
   * refused with {@link DuplicateError}, which contains the call of the other tool. `'off'`: no check. Default: `'warn'`.
   */
  reuse?: 'off' | 'warn' | 'strict';
  /**
   * Test mode of agents. `'strict'`: a tool can be written only after its test has failed, and run or pushed only after its test
   * has passed. `'debug'`: existing tools may be changed and run first. `'explore'`: tests are not required. See
   * docs/tests.md. Default: `'explore'`.
   */
  mode?: Mode;
  /**
   * Handling of contradictions between the ledger and Git, and of invariants of the policy that do not hold. `'warn'`: a warning in
   * the log. `'halt'`: every call that does more than read fails with {@link HaltError}, in all processes, until
   * {@link KernelGuardian.reconcile}. `'off'`: no check. See docs/guardian.md. Default: `'off'`.
   */
  guardian?: GuardianMode;
  /**
   * Globs of tools that are exempt from tests, such as `'tools/scratch/**'`; `'tools/.code.ts'` stands for `run_code`. Default:
   * none.
   */
  exempt?: string[];
  /**
   * Severity of a rule's findings, by rule id: `{ 'no-magic-numbers': 'warning', types: 'off' }`. Only
   * errors make a tool invalid.
   */
  rules?: Record<string, 'off' | 'advice' | 'warning' | 'error'>;
  fs?: FSConfigInput;
  /**
   * Packages that tools may import, with all their subpaths. They are found in the `node_modules` of the application,
   * from the folder of the config file upwards, and bundled; the Node modules that they get there have no access to the system
   * (docs/packages.md lists tested packages). Parts of Node with a stand-in may be named too: `'path'`, `'crypto'`.
   * `@tgp/std` can always be imported. Default: `['@tgp/std', 'zod', 'date-fns']`, if the application has them.
   */
  allowedImports?: string[];
  /**
   * Addresses that tools may fetch. Scheme, host and port of a request must be those of an entry, and its path must begin with the
   * entry's, segment by segment; the same holds for every redirect. A private address must be named as such.
   * Default: nothing.
   *
   * @example ['https://api.stripe.com/v1', 'http://127.0.0.1:3000']
   */
  allowedFetchUrls?: string[];
  network?: NetworkConfigInput;
  agent?: AgentConfigInput;
  /**
   * Secrets that tools may use without seeing them, by name: letters, digits and `_`. Default: none.
   *
   * @example { STRIPE: { env: 'STRIPE_KEY', hosts: ['api.stripe.com'] } }
   */
  secrets?: Record<string, SecretConfigInput>;
  /**
   * The ledger: a tamper-evident log of all calls of the kernel and their results, in a file of the workspace (`kernel.ledger`,
   * `tgp ledger`, docs/ledger.md). `false` disables it. Default: on; if the root is not writable, the boot warns and continues
   * without it, unless the ledger is enabled by `true` or has settings.
   */
  ledger?: boolean | LedgerConfigInput;
  /**
   * The policy: `allow` (default), `safe`, the path of a policy file (relative to the config file), rules, or a function
   * (docs/policy.md). A file is watched: changes apply at once, and invalid rules change nothing.
   */
  policy?: PolicyInput;
  /** Keys and revocations of capability tokens ({@link TGP.issueToken}). */
  tokens?: TokensConfigInput;
  /**
   * The database behind `tgp.exec_sql`, so that `tgp exec` and `tgp mcp` have it too. {@link TGPOptions.sql} overrides it. A
   * database that a config file opens is closed when the kernel shuts down.
   */
  sql?: SqlSource | SqlSettings;
  /** The application's functions for tools. Functions of {@link TGPOptions.sandboxAPI} override them. */
  sandboxAPI?: Record<string, SandboxFunction>;
};

/** {@link GitConfigInput} with its defaults, the output of `GitConfigSchema`. */
export type GitConfig = {
  provider: 'local' | 'github' | 'gitlab' | 'bitbucket';
  repo?: string;
  branch: string;
  apiBaseUrl?: string;
  auth: { token?: string; user: string; email: string };
  writeStrategy: 'direct' | 'pr';
  fetchBytes?: number;
  timeoutMs?: number;
};

/** {@link FSConfigInput} with its defaults, the output of `FSConfigSchema`. */
export type FSConfig = {
  allowedDirs: string[];
  blockUpwardTraversal: boolean;
  fileBytes?: number;
  rootBytes?: number;
  rootFiles?: number;
};

/** A configuration with its main keys, such as the output of `TGPConfigSchema` or {@link FilledTGPConfig}. */
export type TGPConfig = {
  rootDir: string;
  git: GitConfig;
  fs: FSConfig;
  allowedImports: string[];
  allowedFetchUrls?: string[];
  network?: NetworkConfigInput;
  sandbox?: SandboxConfigInput;
  check?: 'off' | 'warn' | 'strict';
  memory?: 'auto' | 'off';
  reuse?: 'off' | 'warn' | 'strict';
  mode?: Mode;
  guardian?: GuardianMode;
  exempt?: string[];
  rules?: Record<string, 'off' | 'advice' | 'warning' | 'error'>;
};

/** The configuration with all defaults, as in `kernel.config`. */
export type FilledTGPConfig = {
  rootDir: string;
  git: Required<Omit<GitConfig, 'repo' | 'apiBaseUrl'>> & Pick<GitConfig, 'repo' | 'apiBaseUrl'>;
  fs: Required<FSConfig>;
  allowedImports: string[];
  allowedFetchUrls: string[];
  network: Required<Pick<NetworkConfigInput, 'noProxy' | 'forTools'>> & Pick<NetworkConfigInput, 'proxy' | 'ca'>;
  /** With their values masked. */
  secrets: Record<string, Required<Omit<SecretConfigInput, 'env'>>>;
  sandbox: Required<Omit<SandboxConfigInput, 'seed' | 'now'>> & Pick<SandboxConfigInput, 'seed' | 'now'>;
  agent: Required<AgentConfigInput>;
  /** With their keys masked. */
  tokens: Required<TokensConfigInput>;
  /** With the address of its database and its key masked, and without `retainEvents` if it was not set. */
  ledger: Required<Omit<LedgerConfigInput, 'postgres' | 'key' | 'retainEvents'>> &
    Pick<LedgerConfigInput, 'postgres' | 'key' | 'retainEvents'>;
  check: 'off' | 'warn' | 'strict';
  memory: 'auto' | 'off';
  reuse: 'off' | 'warn' | 'strict';
  mode: Mode;
  guardian: GuardianMode;
  exempt: string[];
  rules: Record<string, 'off' | 'advice' | 'warning' | 'error'>;
};

/** Result of {@link loadTGPConfig}: a configuration with all defaults, for `new TGP({ config })`. */
export type LoadedTGPConfig = Omit<FilledTGPConfig, 'secrets'> & {
  /** As in the file, with `value` or `env`. Environment variables are read at boot, so their values are not included. */
  secrets: Record<string, SecretConfigInput & Required<Pick<SecretConfigInput, 'hosts' | 'functions'>>>;
} & Pick<TGPConfigInput, 'sql' | 'sandboxAPI' | 'policy'>;
