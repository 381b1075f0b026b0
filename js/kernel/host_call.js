import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A call of one of the application's functions by run `runId`. `contextId` is the nearest run above it, or itself, that
 * JavaScript has started; `above` are the calls of other kernels that this one is part of. `function.isOpen` until the function
 * has answered.
 *
 * Whatever a function makes keeps it, a pool or a timer for as long as the process lives: nothing in here may know a kernel.
 * @typedef {{ kernel: KernelToken, runId: number, contextId: number, function: { isOpen: boolean }, above: HostCall | undefined }} HostCall
 * @typedef {Readonly<{}>} KernelToken an object that stands for one kernel
 */

/** @type {AsyncLocalStorage<HostCall>} */
const calls = new AsyncLocalStorage();

/**
 * Calls a function of the application; what it asks of the kernel is asked on behalf of run `runId`.
 * @template T
 * @param {Omit<HostCall, 'above'>} call
 * @param {() => T} work
 * @returns {T}
 */
export function onBehalfOf(call, work) {
  return calls.run({ ...call, above: without(call.kernel, calls.getStore()) }, work);
}

/**
 * The call of `kernel` that whoever asks is part of; none outside of its functions.
 * @param {KernelToken} kernel
 * @returns {HostCall | undefined}
 */
export function presentCall(kernel) {
  let call = calls.getStore();
  while (call && call.kernel !== kernel) call = call.above;
  return call;
}

/**
 * Nobody looks behind the present call of a kernel: kept, the calls of functions that start the next run later would be ever more.
 * @param {KernelToken} kernel
 * @param {HostCall | undefined} call
 * @returns {HostCall | undefined}
 */
function without(kernel, call) {
  if (call === undefined) return undefined;
  const above = without(kernel, call.above);
  if (call.kernel === kernel) return above;
  return above === call.above ? call : { ...call, above };
}
