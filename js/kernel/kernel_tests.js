/** Runs the test files of tools and combines their results. */

import { parseArguments, requireText } from '../boundary/validation.js';
import { TestOptionsSchema } from './option_schemas.js';
import { testRun } from './runnable.js';
import { testText } from './test_text.js';

/**
 * @typedef {import('../../index.js').TestResult} TestResult
 * @typedef {import('../../index.js').TestFileResult} TestFileResult
 * @typedef {import('../../index.js').ExecOptions} ExecOptions
 * @typedef {(path: string | undefined, signal: AbortSignal | undefined) => Promise<string[]>} List
 * @typedef {(runnable: import('./runnable.js').Runnable, options: ExecOptions) => Promise<import('../../index.js').ExecResult>} Run
 */

/** Files run concurrently; more would only wait for a worker. With a token one at a time, so that files do not split its budget. */
const CONCURRENCY = { open: 4, token: 1 };

/**
 * @param {string | undefined} path of a tool, a test or a folder; undefined for all
 * @param {import('../../index.js').TestOptions | undefined} options
 * @param {List} list
 * @param {Run} run
 * @param {(path: string) => Promise<unknown>} accept accepts a test as the specification
 * @param {{ isHeld: boolean, by: keyof typeof CONCURRENCY }} caller `isHeld`: whether the caller must write tests first
 * @returns {Promise<TestResult>}
 */
export async function runTests(path, options, list, run, accept, { isHeld, by }) {
  if (path !== undefined) requireText(path, 'path');
  const {
    caseMs,
    coverage,
    accept: isAccepted,
    ...limits
  } = parseArguments(TestOptionsSchema, options ?? {}, 'test options');
  const paths = await list(path, limits.signal);
  if (isAccepted) for (const test of paths) await accept(test);
  /** @type {TestFileResult[]} */
  const files = [];
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

/**
 * @param {string | undefined} path
 * @param {TestFileResult[]} files
 * @param {boolean} isHeld
 * @returns {TestResult}
 */
function combined(path, files, isHeld) {
  const total = (/** @type {(file: TestFileResult) => number} */ count) =>
    files.reduce((sum, file) => sum + count(file), 0);
  const failed = files.length === 0 ? 1 : total((file) => file.failed);
  const [only] = files;
  const { tool, coverage, state } = (files.length === 1 && only) || {};
  const result = {
    ok: failed === 0,
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
