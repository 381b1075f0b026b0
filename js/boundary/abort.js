/** Helpers for AbortSignals. */

import { AbortedError, ValidationError } from './errors.js';
import { guarded, ignored } from './guarded.js';

/**
 * Whether a value works as an AbortSignal. Signals of another realm and polyfills do.
 * @param {any} value
 * @returns {value is AbortSignal}
 */
export function isAbortSignal(value) {
  try {
    return (
      typeof value === 'object' &&
      value !== null &&
      typeof value.aborted === 'boolean' &&
      typeof value.addEventListener === 'function' &&
      typeof value.removeEventListener === 'function'
    );
  } catch {
    return false;
  }
}

/**
 * The signal in the options of a call.
 * @param {any} options
 * @param {string} field
 * @returns {AbortSignal | undefined}
 */
export function signalOf(options, field) {
  let signal;
  try {
    signal = options?.[field];
  } catch (cause) {
    throw new ValidationError(`"${field}" could not be read. Pass an AbortSignal.`, { cause, details: { field } });
  }
  if (signal === undefined || signal === null) return undefined;
  if (isAbortSignal(signal)) return signal;
  throw new ValidationError(`"${field}" must be an AbortSignal.`, { details: { field } });
}

/**
 * Throws if the signal has fired, so that nothing starts after an abort.
 * @param {AbortSignal | undefined} signal
 */
export function throwIfAborted(signal) {
  if (signal?.aborted) throw aborted(signal);
}

/**
 * The promise's outcome, or AbortedError as soon as the signal fires. The work behind the promise continues.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<T>}
 */
export async function untilAborted(promise, signal) {
  if (!signal) return promise;
  throwIfAborted(signal);
  let release = ignored;
  /** @type {Promise<never>} */
  const fired = new Promise((_, reject) => {
    release = onAbort(signal, () => reject(aborted(signal)));
  });
  try {
    return await Promise.race([promise, fired]);
  } finally {
    release();
  }
}

/**
 * Calls back when the signal fires.
 * @param {AbortSignal | undefined} signal of the application, which may be a polyfill that throws
 * @param {() => void} callback
 * @returns {() => void} removes the listener
 */
export function onAbort(signal, callback) {
  if (!signal) return ignored;
  const listener = guarded(ignored, callback);
  signal.addEventListener('abort', listener, { once: true });
  return guarded(ignored, () => signal.removeEventListener('abort', listener));
}

/** @param {AbortSignal} signal */
function aborted(signal) {
  return new AbortedError('The call was aborted before it finished. Nothing more of it will happen.', {
    cause: signal.reason,
  });
}
