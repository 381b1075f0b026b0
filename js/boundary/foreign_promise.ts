/** Resolves results of application functions: values, promises or thenables. */

import { types } from 'node:util';
import { IoError } from './errors.js';

/** The method of a thenable. */
type Then = (resolve: (content: unknown) => void, reject: (reason: unknown) => void) => unknown;

/** Maximum nesting of thenables. */
const MAX_NESTED = 16;

/**
 * Awaits a value. Unlike `await` it ends on a thenable that resolves with itself, which would block the event loop forever.
 */
export async function settled(result: unknown): Promise<unknown> {
  let value = isPlainPromise(result) ? await result : result;
  for (let nested = 0; nested < MAX_NESTED; nested++) {
    const then = thenOf(value);
    if (then === undefined) return value;
    const thenable = value;
    // Wrapped in an object, because a promise that is resolved with a thenable follows it.
    const { content } = await new Promise<{ content: unknown }>((resolve, reject) => {
      Reflect.apply(then, thenable, [(content: unknown) => resolve({ content }), reject]);
    });
    value = content;
  }
  throw new IoError('The answer is a promise that never resolves to a value.');
}

/** Whether it is an unmodified native promise. */
function isPlainPromise(value: unknown): value is Promise<unknown> {
  return types.isPromise(value) && Object.getPrototypeOf(value) === Promise.prototype && !Object.hasOwn(value, 'then');
}

/** Whether a value is not a thenable. */
export function isSettled(value: unknown) {
  return thenOf(value) === undefined;
}

function thenOf(value: unknown): Then | undefined {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  const then = isObject ? (value as { then?: Then }).then : undefined;
  return typeof then === 'function' ? then : undefined;
}
