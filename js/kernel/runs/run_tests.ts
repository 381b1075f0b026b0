/** Runs the test files of tools and combines their results. */

import { parseArguments, requireText } from '../../boundary/validation.js';
import type { ExecOptions, ExecResult } from '../../types/runs.js';
import type { TestFileResult, TestOptions, TestResult } from '../../types/tests.js';
import { TestOptionsSchema } from '../config/option_schemas.js';
import type { Runnable } from './runnable.js';
import { testRun } from './runnable.js';
import { testText } from './test_text.js';

type List = (path: string | undefined, signal: AbortSignal | undefined) => Promise<string[]>;
/** Runs a test file. A dry run has only a result. */
type Run = (runnable: Runnable, options: ExecOptions) => Promise<Partial<ExecResult>>;

/** Files run concurrently; more would only wait for a worker. With a token one at a time, so that files do not split its budget. */
const CONCURRENCY = { open: 4, token: 1 };

/**
 * @param path of a tool, a test or a folder; undefined for all
 * @param accept accepts a test as the specification
 * @param caller `isHeld`: whether the caller must write tests first
 */
export async function runTests(
  path: string | undefined,
  options: TestOptions | undefined,
  list: List,
  run: Run,
  accept: (path: string) => Promise<unknown>,
  { isHeld, by }: { isHeld: boolean; by: keyof typeof CONCURRENCY },
): Promise<TestResult> {
  if (path !== undefined) requireText(path, 'path');
  const {
    caseMs,
    coverage,
    accept: isAccepted,
    ...limits
  } = parseArguments(TestOptionsSchema, options ?? {}, 'test options');
  const paths = await list(path, limits.signal);
  if (isAccepted) for (const test of paths) await accept(test);
  const files: TestFileResult[] = [];
  let next = 0;
  const worker = async () => {
    while (next < paths.length) {
      const at = next++;
      const { result, logs, stats } = await run(testRun(paths[at] ?? '', { caseMs, coverage }), limits);
      files[at] = { ...result, logs, stats };
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY[by], paths.length) }, worker));
  return combined(path, files, isHeld);
}

function combined(path: string | undefined, files: TestFileResult[], isHeld: boolean): TestResult {
  const total = (count: (file: TestFileResult) => number) => files.reduce((sum, file) => sum + count(file), 0);
  const failed = total((file) => file.failed);
  const [only] = files;
  const { tool, coverage, state } = (files.length === 1 && only) || {};
  const result = {
    ok: files.length > 0 && failed === 0,
    passed: total((file) => file.passed),
    failed,
    skipped: total((file) => file.skipped.length),
    cases: files.flatMap((file) => file.cases),
    tests: files.flatMap((file) => file.tests),
    ...(tool && { tool }),
    ...(coverage && { coverage }),
    ...(state && { state }),
    files,
  };
  return { ...result, text: testText(path, result, isHeld) };
}
