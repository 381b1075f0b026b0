/** Resolves results of application functions: values, promises or thenables. */

import { types } from 'node:util';
import { IoError } from './errors.js';

/** Maximum nesting of thenables. */
const MAX_NESTED = 16;

/**
 * Awaits a value. Unlike `await` it ends on a thenable that resolves with itself, which would block the event loop forever.
 * @param {unknown} result
 * @returns {Promise<unknown>}
 */
export async function settled(result) {
  let value = isPlainPromise(result) ? await result : result;
  for (let nested = 0; nested < MAX_NESTED; nested++) {
    const then = thenOf(value);
    if (then === undefined) return value;
    const thenable = value;
    // Wrapped in an object, because a promise that is resolved with a thenable follows it.
    const { content } = await new Promise((resolve, reject) => {
      Reflect.apply(then, thenable, [(/** @type {unknown} */ content) => resolve({ content }), reject]);
    });
    value = content;
  }
  throw new IoError('The answer is a promise that never resolves to a value.');
}

/**
 * Whether it is an unmodified native promise.
 * @param {unknown} value
 * @returns {value is Promise<unknown>}
 */
function isPlainPromise(value) {
  return types.isPromise(value) && Object.getPrototypeOf(value) === Promise.prototype && !Object.hasOwn(value, 'then');
}

/**
 * Whether a value is not a thenable.
 * @param {unknown} value
 */
export function isSettled(value) {
  return thenOf(value) === undefined;
}

/**
 * @param {any} value
 * @returns {Function | undefined}
 */
function thenOf(value) {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  const then = isObject ? value.then : undefined;
  return typeof then === 'function' ? then : undefined;
}
