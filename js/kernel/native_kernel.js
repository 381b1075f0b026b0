import { guarded } from '../boundary/guarded.js';
import { native } from '../boundary/native.js';

/**
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 * @typedef {import('./open_runs.js').RunOutcome} RunOutcome
 * @typedef {import('../../binding.cjs').BindingHostCall} BindingHostCall
 */

/**
 * A native kernel, which has not booted yet. It asks `functions` for what guests call, and tells `runs` how each run ended.
 * @param {import('./host_functions.js').HostFunctions} functions
 * @param {import('./open_runs.js').OpenRuns} runs
 * @param {import('../../index.js').Logger} log
 * @returns {NativeKernel}
 */
export function createNativeKernel(functions, runs, log) {
  const fail = (/** @type {unknown} */ error) => log.error('A call from the native part failed.', error);
  /** @type {NativeKernel} */
  const kernel = new (native().BindingKernel)(
    functions.names,
    guarded(fail, (/** @type {BindingHostCall} */ question) => functions.serve(question, kernel.answer.bind(kernel))),
    guarded(fail, (/** @type {number} */ runId, /** @type {RunOutcome} */ outcome) => runs.end(runId, outcome)),
  );
  return kernel;
}
