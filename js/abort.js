import { AbortedError } from './errors.js';

/**
 * Throws when the caller has given up, so that nothing starts after an abort.
 * @param {AbortSignal | undefined} signal
 */
export function throwIfAborted(signal) {
  if (signal?.aborted) throw aborted(signal);
}

/**
 * The promise's outcome, or AbortedError as soon as the signal fires. The work behind the promise goes on.
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<T>}
 */
export async function untilAborted(promise, signal) {
  if (!signal) return promise;
  throwIfAborted(signal);
  const { promise: fired, release } = whenAborted(signal);
  try {
    return await Promise.race([promise, fired]);
  } finally {
    release();
  }
}

/**
 * @param {AbortSignal} signal
 * @returns {{ promise: Promise<never>, release: () => void }}
 */
function whenAborted(signal) {
  let release = () => {};
  const promise = new Promise((_, reject) => {
    const onAbort = () => reject(aborted(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    release = () => signal.removeEventListener('abort', onAbort);
  });
  return { promise: /** @type {Promise<never>} */ (promise), release };
}

/** @param {AbortSignal} signal */
function aborted(signal) {
  return new AbortedError('The call was aborted before it finished. Nothing more of it will happen.', {
    cause: signal.reason,
  });
}
