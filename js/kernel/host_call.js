import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A call of one of the application's functions by a run.
 * @typedef {{ kernel: object, runId: number, above: HostCall | undefined }} HostCall
 */

/** @type {AsyncLocalStorage<HostCall>} */
const calls = new AsyncLocalStorage();

/**
 * Calls a function of the application; what it asks of the kernel is asked on behalf of run `runId`.
 * @template T
 * @param {object} kernel
 * @param {number} runId
 * @param {() => T} work
 * @returns {T}
 */
export function onBehalfOf(kernel, runId, work) {
  return calls.run({ kernel, runId, above: calls.getStore() }, work);
}

/**
 * The run of `kernel` that waits for whoever asks; none outside of its functions.
 * @param {object} kernel
 * @returns {number | undefined}
 */
export function waitingRun(kernel) {
  let call = calls.getStore();
  while (call && call.kernel !== kernel) call = call.above;
  return call?.runId;
}
