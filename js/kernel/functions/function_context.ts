/** Async context of application functions: which run of which kernel has called them. */

import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A call of an application function by run `runId`. `contextId` is the nearest run started from JavaScript: this run or an
 * ancestor. `above` is the enclosing call of another kernel. `function.isOpen` is true until the function has returned.
 *
 * Pools and timers that a function creates keep this context as long as they live, so it must not reference a kernel.
 */
type FunctionCall = {
  kernel: KernelToken;
  runId: number;
  contextId: number;
  function: { isOpen: boolean };
  above: FunctionCall | undefined;
};
/** Identifies a kernel without referencing it. */
type KernelToken = object;

const calls = new AsyncLocalStorage<FunctionCall>();

/** Calls an application function; its kernel calls are made on behalf of run `runId`. */
export function onBehalfOf<T>(call: Omit<FunctionCall, 'above'>, work: () => T): T {
  return calls.run({ ...call, above: without(call.kernel, calls.getStore()) }, work);
}

/** The current call of `kernel` in this async context; undefined outside its functions. */
export function currentCall(kernel: KernelToken): FunctionCall | undefined {
  let call = calls.getStore();
  while (call && call.kernel !== kernel) call = call.above;
  return call;
}

/**
 * Removes older calls of a kernel from the chain. Only the current one is needed, and functions that start further runs would
 * make the chain grow without bound.
 */
function without(kernel: KernelToken, call: FunctionCall | undefined): FunctionCall | undefined {
  if (call === undefined) return undefined;
  const above = without(kernel, call.above);
  if (call.kernel === kernel) return above;
  return above === call.above ? call : { ...call, above };
}
