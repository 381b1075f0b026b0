import type { TGP } from './kernel.js';
import type { Approve } from './policy.js';
import type { PreviewedTool } from './tools.js';

/** What an agent may run, and where. See `docs/shell.md`. */
export type ShellToolOptions = {
  /**
   * The programs, by names that are on the PATH or by absolute paths; each is looked up once. A shell or an interpreter runs whatever
   * it is given, behind the same walls.
   */
  programs: string[];
  /** The folder that programs work on: each run gets a copy of it. */
  cwd: string;
  /**
   * Has every run judged by its policy (tool `run_program`, effect `shell`) and recorded in its ledger, and every application of
   * changes too (tool `apply_changes`).
   */
  kernel?: TGP;
  /**
   * Asked before changes of a program go into `cwd`, unless a rule of the kernel's policy decides; `args` of the request has `program`,
   * `args`, `changes` (`{ path, kind, isShown }`: whether the diff says all of it) and `diff`. Without it, and without a rule, nothing is ever applied. An agent's own `approve` comes first.
   */
  approve?: Approve;
  /** `'sdk'`: runs are approved by the AI SDK, as with `tgpTools`. Needs `kernel`. */
  approval?: 'sdk';
  /** Who works with the tools, for ledger and policy. Needs `kernel`. */
  session?: string;
  model?: string;
  agent?: string;
  token?: string;
  /** Programs run, and nothing is ever applied. Default: false. */
  dryRun?: boolean;
  /** Environment variables of programs, beside PATH, HOME, TMPDIR and LANG. None of the application's own are there. */
  env?: Record<string, string>;
  /** Absolute paths that programs may read and execute, beside the system's folders and their own. */
  readable?: string[];
  /**
   * Names of files and folders that are left out of the copy, wherever they are, in any case; `*` stands for any letters. Default: `.env`
   * and its kin save examples, files of credentials (`.npmrc`, `.netrc`, `.git-credentials`, …), `.ssh`, `.aws`, key stores, and files of any
   * name that hold a private key. The workspace of a kernel is left out in any case.
   */
  hidden?: string[];
  /** Names of files and folders that programs see, without what is hidden in them, and cannot change, as in `hidden`. Default: `.git`, `node_modules`. The policy and `tgp.config.*` are among them in any case. */
  readOnly?: string[];
  /** Longest time of a run. Default: 60 000; from 100 to 3 600 000. */
  timeoutMs?: number;
  /** Most processor time of a run, with all its processes. Default: 120 000; from 100 to 36 000 000. */
  cpuMs?: number;
  /** Most memory of a run, with all its processes. Default: 1024; from 16 to 1 048 576. */
  memoryMb?: number;
  /** Most processes and threads at the same time. Default: 256; from 1 to 100 000. */
  processes?: number;
  /** Most files of the folder; a program may have twice as many. Default: 20 000; from 1 to 1 000 000. */
  files?: number;
  /** Most megabytes of the folder, and of one file; a program may have twice as many in all. Default: 256; from 1 to 100 000. */
  folderMb?: number;
  /** Kept of each output, half from its beginning and half from its end. Default: 65 536; from 256 to 4 194 304. */
  outputBytes?: number;
  /** Most characters of an answer for a model. Default: 16 000; from 1000 to 10 000 000. */
  resultChars?: number;
  /** How long `approve` may take; after that the answer is no. Default: 300 000; from 1 to 86 400 000. */
  approvalMs?: number;
};

/** What `run_program` takes. */
export type RunProgramArgs = {
  program: string;
  args?: string[];
  stdin?: string;
};

/** A file that a program has added, changed or removed in its copy. */
export type ProgramChange = {
  path: string;
  kind: 'added' | 'changed' | 'removed';
  /** A unified diff; missing where there was no more room for it. */
  diff?: string;
};

/** What `run_program` answers. */
export type RunProgramResult = {
  /** The program ended with 0, and what it changed was applied, if it changed anything. */
  success: boolean;
  exitCode?: number;
  /** The signal that ended it. */
  signal?: number;
  /**
   * Why it failed: `ERR_LIMIT` for what was ended at a limit, `ERR_APPROVAL` and `ERR_DENIED` for changes that nobody let in,
   * `ERR_GIT_CONFLICT` for those that somebody else's changes came before, `ERR_SECURITY_VIOLATION` for those that are no plain files.
   */
  code?: string;
  error?: string;
  stdout: string;
  stderr: string;
  changes: ProgramChange[];
  applied: boolean;
  notice?: string;
  stats: { wallMs: number; cpuMs: number; memoryBytes: number };
};

/** The tools that {@link createShellTools} returns. */
export type ShellTools = {
  run_program: PreviewedTool<RunProgramArgs, RunProgramResult>;
};

/**
 * A tool for an agent to run programs of the system, behind walls: in a copy of a folder, without network, with limits for time, memory,
 * processes and disk, and with nothing left of them afterwards. What they change is applied to the folder after approval.
 *
 * Linux only, with Landlock (6.2 or later) and seccomp; elsewhere it throws `ConfigError`.
 *
 * @example
 * const tools = { ...tgpTools(kernel), ...createShellTools({ kernel, programs: ['git', 'prettier'], cwd: '.', approve }) };
 */
export declare function createShellTools(options: ShellToolOptions): ShellTools;
