/** Creates the native kernel. */

import { guarded } from '../boundary/guarded.js';
import { native } from '../boundary/native.js';

/**
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 * @typedef {import('./open_runs.js').RunOutcome} RunOutcome
 * @typedef {import('../../binding.cjs').BindingHostCall} BindingHostCall
 */

/**
 * A native kernel before its boot. It calls `functions` for guests, and reports the end of runs to `runs`. The native part keeps strong
 * references to its callbacks, so these hold `functions`, which may reference the whole application, only weakly.
 * @param {import('./host_functions.js').HostFunctions} functions
 * @param {import('./open_runs.js').OpenRuns} runs
 * @param {import('../../index.js').Logger} log
 * @returns {NativeKernel}
 */
export function createNativeKernel(functions, runs, log) {
  const fail = (/** @type {unknown} */ error) => log.error('A call from the native part failed.', error);
  const weakFunctions = new WeakRef(functions);
  /** @type {WeakRef<NativeKernel>} */
  let itself;
  const answer = (/** @type {Parameters<NativeKernel['answer']>} */ ...args) => itself.deref()?.answer(...args);
  const kernel = new (native().BindingKernel)(
    functions.names,
    functions.dryNames,
    functions.sqlDialect,
    guarded(fail, (/** @type {BindingHostCall} */ question) => weakFunctions.deref()?.serve(question, answer)),
    guarded(fail, (/** @type {number} */ runId, /** @type {RunOutcome} */ outcome) => runs.end(runId, outcome)),
  );
  itself = new WeakRef(kernel);
  return kernel;
}
