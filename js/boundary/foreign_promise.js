/** What functions of others return: a value, a promise, or something that calls itself one. */

import { types } from 'node:util';
import { IoError } from './errors.js';

/** Promises of promises that are waited for. */
const MAX_NESTED = 16;

/**
 * The value that something stands for. `await` would do the same, but it follows a thenable that resolves with itself for
 * ever, and nothing else of the process gets a turn meanwhile.
 * @param {unknown} given
 * @returns {Promise<unknown>}
 */
export async function settled(given) {
  let value = isPlainPromise(given) ? await given : given;
  for (let nested = 0; nested < MAX_NESTED; nested++) {
    const then = thenOf(value);
    if (then === undefined) return value;
    const thenable = value;
    // In a box: a promise that is resolved with a thenable follows it at once.
    const { content } = await new Promise((resolve, reject) => {
      Reflect.apply(then, thenable, [(/** @type {unknown} */ content) => resolve({ content }), reject]);
    });
    value = content;
  }
  throw new IoError('The answer is a promise that never comes to a value.');
}

/**
 * Whether it is a promise of Node's own, which need not be asked for its `then`.
 * @param {unknown} value
 * @returns {value is Promise<unknown>}
 */
function isPlainPromise(value) {
  return types.isPromise(value) && Object.getPrototypeOf(value) === Promise.prototype && !Object.hasOwn(value, 'then');
}

/**
 * Whether a value stands for itself.
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
