/** Runs of tools: options and results. */

import type { AbortedError, StateError } from '../boundary/errors.js';
import type { DryRunResult } from './dry_run.js';
import type { Mode } from './tests.js';

/** Limits of one run, where they differ from the configuration's, and how to stop it. */
export type ExecOptions = {
  /** CPU time of the tool in milliseconds; waiting does not count. */
  timeoutMs?: number;
  /** Time from start to result in milliseconds. */
  wallMs?: number;
  /** V8 heap and ArrayBuffers together, in MB. */
  memoryMb?: number;
  /** Seed for deterministic random numbers: `Math.random` and `crypto`. Default: the configuration's, which is none. */
  seed?: number;
  /**
   * Where the run's clock starts, in milliseconds since 1970. Such a clock does not follow the real one: each reading is
   * one millisecond after the one before, and a timer that fires moves it by its delay. Default: the real time.
   */
  now?: number;
  /** Stops the run; it then fails with {@link AbortedError}. */
  signal?: AbortSignal;
  /**
   * Test mode of this call: with `'strict'` a tool whose tests have not passed is refused with {@link StateError}. Default: the
   * configuration's for agents, none for the application.
   */
  mode?: Mode;
  /** Whether this is a dry run, which returns a {@link DryRunResult}. Default: `false`. */
  dryRun?: boolean;
};

/** Options of a run of a tool or of code. */
export type ExecToolOptions = ExecOptions & {
  /**
   * Whether the arguments are validated first, by the parameters of the text that runs; those of nested runs too. An invalid
   * argument, or one that the type does not name, is a {@link ValidationError} that names the field (`details.field`) and has the
   * schema (`details.parameters`), and nothing is run. Default: `true`.
   */
  validate?: boolean;
};

/** One line that a tool wrote with `console`. */
export type LogEntry = {
  level: 'debug' | 'info' | 'log' | 'warn' | 'error';
  message: string;
};

/** Resource usage of a run. */
export type RunStats = {
  /** Without the time in which packages were loaded. */
  cpuMs: number;
  /** CPU time in which packages were loaded. Results for agents omit it if it is 0. */
  packageLoadMs?: number;
  wallMs: number;
  /** How long the run waited for a worker before it began, in milliseconds; `wallMs` does not include it. */
  queueMs: number;
  heapPeakBytes: number;
  hostCalls: number;
};

/** Result of a run. */
export type ExecResult<Result = any> = {
  result: Result;
  logs: LogEntry[];
  stats: RunStats;
};
