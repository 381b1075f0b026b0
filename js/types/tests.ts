/** Tests of tools, and the test-first modes. */

import type { TGP } from '../kernel/tgp.js';
import type { ExecOptions, LogEntry, RunStats } from './runs.js';

/** The test mode: see `mode` of {@link TGPConfigInput}. */
export type Mode = 'explore' | 'strict' | 'debug';

/** Test state of a tool. */
export type ToolState = {
  phase: 'no_test' | 'red' | 'green' | 'changed';
  /** Why its tests do not count as passed, as a keyword: `'untried'`, `'hollow'`, `'weakened'`, … */
  reason: string;
};

/** Options of a test run. Limits apply to each file; by default a file has at least 5 s of CPU time and 30 s of wall time. */
export type TestOptions = ExecOptions & {
  /** Time limit of one test case, in milliseconds. Default: 5000. */
  caseMs?: number;
  /** Whether to report line coverage of the tool, measured by V8. Such a run is slower. */
  coverage?: boolean;
  /**
   * Accepts the current tests as the specification: removed cases are no longer required, and tests that never failed count. Only
   * for the application and people.
   */
  accept?: boolean;
};

/** One case of a test. */
export type TestCase = {
  /** With the names of the groups around it: `total > adds the rows`. */
  name: string;
  ok: boolean;
  /** Where it failed, in the test file. */
  line?: number;
  /** Where it failed, when that is in another file: `tools/reports/total.ts:7:9`. */
  at?: string;
  message?: string;
  /** Expected (`-`) and actual (`+`) value. */
  diff?: string;
  /** Set if it passed without any expectation, so it proves nothing. */
  hollow?: true;
};

/** Why a test file failed as a whole. */
export type TestReason = {
  /**
   * `missing`: the test file does not exist. `no-tool`: the tool is not written yet. `compile`: it does not compile. `check`: a
   * check keeps it from running. `empty`: it has no case that runs. `timeout`, `memory`, `crash`: the run was ended. `threw`: it
   * threw outside of a case. `incomplete`: it ended before its cases did. `changed`: a file was changed meanwhile.
   */
  kind:
    | 'missing'
    | 'no-tool'
    | 'compile'
    | 'check'
    | 'empty'
    | 'timeout'
    | 'memory'
    | 'crash'
    | 'threw'
    | 'incomplete'
    | 'changed';
  message: string;
  file?: string;
  line?: number;
  column?: number;
};

/** A source text that ran, identified by its hash. */
export type TestedText = {
  path: string;
  /** Hexadecimal, of the text in UTF-8. */
  sha256: string;
};

/** Line coverage of a tool. */
export type LineCoverage = {
  lines: { covered: number; total: number };
  /** Numbers of the lines that did not. */
  uncovered: number[];
};

/** Result of one test file. */
export type TestFileResult = {
  path: string;
  ok: boolean;
  passed: number;
  /** Cases that failed; 1 when the file failed as a whole and none of its cases did. */
  failed: number;
  /** Those that ran or should have. */
  cases: TestCase[];
  /** Skipped cases: `test.skip`, `test.todo`, and all others where there is a `test.only`. */
  skipped: { name: string; why: 'skip' | 'todo' }[];
  reason?: TestReason;
  /** Exactly the text of the test that ran. */
  tests: TestedText[];
  /** Exactly the text of the tool that ran; none when it did not. */
  tool?: TestedText;
  /**
   * Which lines of the tool ran, with the option `coverage`: of the tool as the test imports it, not as `tgp.exec_tool` runs it.
   */
  coverage?: LineCoverage;
  /** Test state of the tool with exactly these texts, if known. */
  state?: ToolState;
  logs: LogEntry[];
  stats: RunStats;
};

/**
 * Result of {@link TGP.test}. Each test file is a run of its own, with no network, no database and no application: a test fakes
 * them with `mockHost`. A file that does not compile, has no case or never ends is a failed result, not an exception.
 * @example
 * const { ok, text } = await kernel.test('tools/reports/revenue.ts');
 */
export type TestResult = {
  /** Whether something was tested, and all of it passed. */
  ok: boolean;
  passed: number;
  failed: number;
  skipped: number;
  /** The cases of all files. */
  cases: TestCase[];
  /** The texts of all tests that ran. */
  tests: TestedText[];
  /** The text of the tool, when tests of one tool ran. */
  tool?: TestedText;
  /** As of the file, when tests of one tool ran. */
  coverage?: LineCoverage;
  /** Test state of the tool, when one file was run. */
  state?: ToolState;
  files: TestFileResult[];
  /** For a person or a model: failures first. */
  text: string;
};
