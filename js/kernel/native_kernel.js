import { guarded } from '../boundary/guarded.js';
import { native } from '../boundary/native.js';

/**
 * @typedef {import('../boundary/typed_native.js').NativeKernel} NativeKernel
 * @typedef {import('./open_runs.js').RunOutcome} RunOutcome
 * @typedef {import('../../binding.cjs').BindingHostCall} BindingHostCall
 */

/**
 * A native kernel, which has not booted yet. It asks `functions` for what guests call, and tells `runs` how each run ended.
 * The native part holds what it calls: through here it must not reach the functions, which may know the whole application.
 * @param {import('./host_functions.js').HostFunctions} functions
 * @param {import('./open_runs.js').OpenRuns} runs
 * @param {import('../../index.js').Logger} log
 * @returns {NativeKernel}
 */
export function createNativeKernel(functions, runs, log) {
  const fail = (/** @type {unknown} */ error) => log.error('A call from the native part failed.', error);
  const known = new WeakRef(functions);
  /** @type {WeakRef<NativeKernel>} */
  let itself;
  const answer = (/** @type {Parameters<NativeKernel['answer']>} */ ...given) => itself.deref()?.answer(...given);
  const kernel = new (native().BindingKernel)(
    functions.names,
    functions.dryNames,
    functions.sqlDialect,
    guarded(fail, (/** @type {BindingHostCall} */ question) => known.deref()?.serve(question, answer)),
    guarded(fail, (/** @type {number} */ runId, /** @type {RunOutcome} */ outcome) => runs.end(runId, outcome)),
  );
  itself = new WeakRef(kernel);
  return kernel;
}
