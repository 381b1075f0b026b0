/** The tool that runs confined programs. */

import type { TGP } from '../kernel/tgp.js';
import type { Approve } from './policy.js';
import type { PreviewedTool } from './tools.js';

/** Options of {@link createShellTools}. See `docs/shell.md`. */
export type ShellToolOptions = {
  /**
   * The programs, by names that are on the PATH or by absolute paths; each is looked up once. A shell or an interpreter runs
   * whatever it is given, under the same confinement.
   */
  programs: string[];
  /** The folder that programs work on: each run gets a copy of it. */
  cwd: string;
  /**
   * A kernel whose policy judges and whose ledger records every run (tool `run_program`, effect `shell`) and every application of
   * changes (tool `apply_changes`).
   */
  kernel?: TGP;
  /**
   * The approver of changes before they are applied to `cwd`, unless a rule of the kernel's policy decides; `args` of the request
   * has `program`,
   * `args`, `changes` (`{ path, kind, isShown }`: whether the diff shows the whole change) and `diff`. Without it, and without a
   * rule, nothing is ever applied. An agent's own `approve` comes first.
   */
  approve?: Approve;
  /** `'sdk'`: runs are approved by the AI SDK, as with `tgpTools`. Requires `kernel`. */
  approval?: 'sdk';
  /** Identity of the caller, for ledger and policy. Requires `kernel`. */
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
   * Names of files and folders that are left out of the copy, wherever they are, in any case; `*` stands for any letters. Default:
   * `.env` and its kin save examples, files of credentials (`.npmrc`, `.netrc`, `.git-credentials`, …), `.ssh`, `.aws`, key stores,
   * and files of any name that hold a private key. The workspace of a kernel is left out in any case.
   */
  hidden?: string[];
  /**
   * Names of files and folders that programs see, without what is hidden in them, and cannot change, as in `hidden`. Default:
   * `.git`, `node_modules`. The policy and `tgp.config.*` are among them in any case.
   */
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
  /** Maximum number of characters of an answer for a model. Default: 16 000; from 1000 to 10 000 000. */
  resultChars?: number;
  /** Time limit of `approve`; after that the changes are refused. Default: 300 000; from 1 to 86 400 000. */
  approvalMs?: number;
};

/** Arguments of `run_program`. */
export type RunProgramArgs = {
  program: string;
  args?: string[];
  stdin?: string;
};

/** A file that a program has added, changed or removed in its copy. */
export type ProgramChange = {
  path: string;
  kind: 'added' | 'changed' | 'removed';
  /** A unified diff; missing if there was no room for it. */
  diff?: string;
};

/** Result of `run_program`. */
export type RunProgramResult = {
  /** The program ended with 0, and what it changed was applied, if it changed anything. */
  success: boolean;
  exitCode?: number;
  /** The signal that ended it. */
  signal?: number;
  /**
   * Why it failed: `ERR_LIMIT` for a program that reached a limit, `ERR_APPROVAL` and `ERR_DENIED` for changes that were not
   * allowed,
   * `ERR_GIT_CONFLICT` for changes that conflict with other changes, `ERR_SECURITY_VIOLATION` for changes that are not regular
   * files.
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
