/** What others have thrown: anything, and not always something that can be looked at. */

import { inspect } from 'node:util';
import { TGPError } from './errors.js';

const MAX_MESSAGE_CHARS = 10_000;
const MAX_DETAILS_CHARS = 1 << 20;
const UNREADABLE = 'Something was thrown that cannot be read.';

/**
 * The words of what was thrown, and nothing that could throw again.
 * @param {unknown} thrown
 * @returns {string}
 */
export function messageOf(thrown) {
  try {
    const text = wordsOf(thrown);
    return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
  } catch {
    return UNREADABLE;
  }
}

/**
 * An error's message, also of an error from another realm or of an object that stands for one; any other value as it is
 * written.
 * @param {unknown} thrown
 * @returns {string}
 */
function wordsOf(thrown) {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message } = /** @type {{ message?: unknown }} */ (thrown);
  if (typeof message === 'string' && (message !== '' || thrown instanceof Error)) return message;
  if (thrown instanceof Error) return String(message);
  return inspect(thrown, {
    depth: 2,
    breakLength: Number.POSITIVE_INFINITY,
    maxArrayLength: 20,
    maxStringLength: 1_000,
  });
}

/**
 * As {@link messageOf}, with the code and the details of an error of ours.
 * @param {unknown} thrown
 * @returns {import('../../binding.cjs').BindingError}
 */
export function described(thrown) {
  const message = messageOf(thrown);
  try {
    if (thrown instanceof TGPError && typeof thrown.code === 'string') {
      const details = JSON.stringify(thrown.details);
      return { code: thrown.code, message, details: isGood(details) ? details : '{}' };
    }
  } catch {
    // Then it is nobody's in particular.
  }
  return { code: 'ERR_TOOL_THROWN', message, details: '{}' };
}

/** @param {unknown} details as JSON */
function isGood(details) {
  return typeof details === 'string' && details.length <= MAX_DETAILS_CHARS;
}
