/** Kinds of runs: a tool, a test file, or code. */

/**
 * @typedef {(kernel: import('../boundary/typed_native.js').NativeKernel, runId: number, args: string, options: string, parent: number | undefined) => void} Start
 * @typedef {{ tool: string, path?: string, more?: { caseMs?: number, coverage?: boolean }, start: Start }} Runnable a run:
 * its name in the ledger, the options specific to its kind, and how to start it
 */

/** @type {(path: string) => Runnable} */
export const toolRun = (path) => ({
  tool: 'exec_tool',
  path,
  start: (kernel, runId, args, options, parent) => kernel.exec(runId, path, args, options, parent),
});

/** @type {(path: string, more: Runnable['more']) => Runnable} */
export const testRun = (path, more) => ({
  tool: 'test_tool',
  path,
  more,
  start: (kernel, runId, _args, options, parent) => kernel.testFile(runId, path, options, parent),
});

/** @type {(code: string) => Runnable} */
export const codeRun = (code) => ({
  tool: 'run_code',
  start: (kernel, runId, args, options, parent) => kernel.runCode(runId, code, args, options, parent),
});
