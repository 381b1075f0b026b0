/**
 * @typedef {(kernel: import('../boundary/typed_native.js').NativeKernel, runId: number, args: string, options: string, parent: number | undefined) => void} Start
 * @typedef {{ tool: string, path?: string, start: Start }} Runnable what can be run, and what the ledger calls that
 */

/** @type {(path: string) => Runnable} */
export const theTool = (path) => ({
  tool: 'exec_tool',
  path,
  start: (kernel, runId, args, options, parent) => kernel.exec(runId, path, args, options, parent),
});

/** @type {(path: string, more: { caseMs?: number, coverage?: boolean }) => Runnable} */
export const theTest = (path, more) => ({
  tool: 'test_tool',
  path,
  start: (kernel, runId, _args, options, parent) =>
    kernel.testFile(runId, path, JSON.stringify({ ...JSON.parse(options), ...more }), parent),
});

/** @type {(code: string) => Runnable} */
export const theCode = (code) => ({
  tool: 'run_code',
  start: (kernel, runId, args, options, parent) => kernel.runCode(runId, code, args, options, parent),
});
