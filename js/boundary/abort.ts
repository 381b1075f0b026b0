/** Helpers for AbortSignals. */

import { AbortedError, ValidationError } from './errors.js';
import { guarded, ignored } from './guarded.js';

/** Whether a value works as an AbortSignal. Signals of another realm and polyfills do. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  try {
    if (typeof value !== 'object' || value === null) return false;
    const signal: Partial<AbortSignal> = value;
    return (
      typeof signal.aborted === 'boolean' &&
      typeof signal.addEventListener === 'function' &&
      typeof signal.removeEventListener === 'function'
    );
  } catch {
    return false;
  }
}

/** The signal in the options of a call. */
export function signalOf(options: unknown, field: string): AbortSignal | undefined {
  let signal: unknown;
  try {
    signal = (options as Record<string, unknown> | null | undefined)?.[field];
  } catch (cause) {
    throw new ValidationError(`"${field}" could not be read. Pass an AbortSignal.`, { cause, details: { field } });
  }
  if (signal === undefined || signal === null) return undefined;
  if (isAbortSignal(signal)) return signal;
  throw new ValidationError(`"${field}" must be an AbortSignal.`, { details: { field } });
}

/** Throws if the signal has fired, so that nothing starts after an abort. */
export function throwIfAborted(signal: AbortSignal | undefined) {
  if (signal?.aborted) throw aborted(signal);
}

/** The promise's outcome, or AbortedError as soon as the signal fires. The work behind the promise continues. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  throwIfAborted(signal);
  let release = ignored;
  const fired = new Promise<never>((_, reject) => {
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
 * @param signal of the application, which may be a polyfill that throws
 * @returns removes the listener
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return ignored;
  const listener = guarded(ignored, callback);
  signal.addEventListener('abort', listener, { once: true });
  return guarded(ignored, () => signal.removeEventListener('abort', listener));
}

function aborted(signal: AbortSignal) {
  return new AbortedError('The call was aborted before it finished. Nothing more of it will happen.', {
    cause: signal.reason,
  });
}
