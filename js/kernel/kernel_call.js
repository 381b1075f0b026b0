import { throwIfAborted } from '../boundary/abort.js';
import { unwrap } from '../boundary/errors.js';

/**
 * @typedef {import('../../binding.cjs').BindingKernel} BindingKernel
 * @typedef {import('../../binding.cjs').BindingOutcome} BindingOutcome
 */

/**
 * Nothing starts once the signal has fired.
 * @param {BindingKernel} kernel
 * @param {(kernel: BindingKernel) => Promise<BindingOutcome>} start
 * @param {AbortSignal | undefined} signal
 */
export async function begin(kernel, start, signal) {
  throwIfAborted(signal);
  const outcome = await start(kernel);
  return unwrap(outcome, outcome.error?.code === 'ERR_ABORTED' ? { cause: signal?.reason } : {});
}
