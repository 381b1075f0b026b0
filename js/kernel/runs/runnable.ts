/** Kinds of runs: a tool, a test file, or code. */

import type { NativeKernel } from '../../boundary/typed_native.js';

type Start = (kernel: NativeKernel, runId: number, args: string, options: string, parent: number | undefined) => void;
/** A run: its name in the ledger, the options specific to its kind, and how to start it. */
export type Runnable = { tool: string; path?: string; more?: { caseMs?: number; coverage?: boolean }; start: Start };

/** The run of a tool. */
export const toolRun = (path: string): Runnable => ({
  tool: 'exec_tool',
  path,
  start: (kernel, runId, args, options, parent) => kernel.exec(runId, path, args, options, parent),
});

/** The run of a test file. */
export const testRun = (path: string, more: Runnable['more']): Runnable => ({
  tool: 'test_tool',
  path,
  more,
  start: (kernel, runId, _args, options, parent) => kernel.testFile(runId, path, options, parent),
});

/** The run of code that is not a file. */
export const codeRun = (code: string): Runnable => ({
  tool: 'run_code',
  start: (kernel, runId, args, options, parent) => kernel.runCode(runId, code, args, options, parent),
});
