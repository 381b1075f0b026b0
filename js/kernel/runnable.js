/**
 * @typedef {(kernel: import('../boundary/typed_native.js').NativeKernel, runId: number, args: string, options: string, parent: number | undefined) => void} Start
 * @typedef {{ tool: string, path?: string, more?: { caseMs?: number, coverage?: boolean }, start: Start }} Runnable what can be
 * run, what the ledger calls that, and options that only it has
 */

/** @type {(path: string) => Runnable} */
export const theTool = (path) => ({
  tool: 'exec_tool',
  path,
  start: (kernel, runId, args, options, parent) => kernel.exec(runId, path, args, options, parent),
});

/** @type {(path: string, more: Runnable['more']) => Runnable} */
export const theTest = (path, more) => ({
  tool: 'test_tool',
  path,
  more,
  start: (kernel, runId, _args, options, parent) => kernel.testFile(runId, path, options, parent),
});

/** @type {(code: string) => Runnable} */
export const theCode = (code) => ({
  tool: 'run_code',
  start: (kernel, runId, args, options, parent) => kernel.runCode(runId, code, args, options, parent),
});
