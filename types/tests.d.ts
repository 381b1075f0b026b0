import type { TGP } from './kernel.js';
import type { ExecOptions, LogEntry, RunStats } from './runs.js';

/** How strict the kernel is about tests: see `mode` of {@link TGPConfigInput}. */
export type Mode = 'explore' | 'strict' | 'debug';

/** Where a tool stands between its first test and green. */
export type ToolState = {
  phase: 'no_test' | 'red' | 'green' | 'changed';
  /** What keeps it from being green, in a word: `'untried'`, `'hollow'`, `'weakened'`, … */
  reason: string;
};

/** What may be decided for a run of tests. Limits are for each file; where nothing is said a file has at least 5 s of CPU time and 30 s on the wall. */
export type TestOptions = ExecOptions & {
  /** How long one case may take, in milliseconds. Default: 5000. */
  caseMs?: number;
  /** Whether to tell which lines of the tool ran, by V8's own counters. Such a run is slower. */
  coverage?: boolean;
  /**
   * That these tests, as they are now, are what is meant: cases that are gone are missed no more, and what never failed counts. For
   * the application and people only.
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
  /** What was expected (`-`) and what came (`+`). */
  diff?: string;
  /** That it passed and expected nothing, which is no proof of anything. */
  hollow?: true;
};

/** Why a test file failed as a whole. */
export type TestReason = {
  /**
   * `missing`: there is no such test file. `no-tool`: the tool is not written yet. `compile`: it does not compile. `check`: a check
   * keeps it from running. `empty`: it has no case that runs. `timeout`, `memory`, `crash`: the run was ended. `threw`: it threw outside
   * of a case. `incomplete`: it ended before its cases did. `changed`: a file was changed meanwhile.
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

/** A text that ran, told by its hash. */
export type TestedText = {
  path: string;
  /** Hexadecimal, of the text in UTF-8. */
  sha256: string;
};

/** Which lines of a tool ran, of those on which something can run. */
export type LineCoverage = {
  lines: { covered: number; total: number };
  /** Numbers of the lines that did not. */
  uncovered: number[];
};

/** What came of one test file. */
export type TestFileResult = {
  path: string;
  ok: boolean;
  passed: number;
  /** Cases that failed; 1 when the file failed as a whole and none of its cases did. */
  failed: number;
  /** Those that ran or should have. */
  cases: TestCase[];
  /** Those that nobody wanted to run: `test.skip`, `test.todo`, and all others where there is a `test.only`. */
  skipped: { name: string; why: 'skip' | 'todo' }[];
  reason?: TestReason;
  /** Exactly the text of the test that ran. */
  tests: TestedText[];
  /** Exactly the text of the tool that ran; none when it did not. */
  tool?: TestedText;
  /** Which lines of the tool ran, with the option `coverage`: of the tool as the test imports it, not as `tgp.exec_tool` runs it. */
  coverage?: LineCoverage;
  /** Where the tool stands with exactly these texts; none where nothing was learnt of one. */
  state?: ToolState;
  logs: LogEntry[];
  stats: RunStats;
};

/**
 * What came of {@link TGP.test}. Each test file is a run of its own, with no network, no database and no application: a test fakes
 * them with `mockHost`. A file that does not compile, has no case or never ends is a failed result, and no exception.
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
  /** Where the tool stands, when one file was run. */
  state?: ToolState;
  files: TestFileResult[];
  /** For a person or a model: failures first. */
  text: string;
};
