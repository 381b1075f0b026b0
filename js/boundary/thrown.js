/** Messages of thrown values, which may be of any type and may throw when accessed. */

import { inspect } from 'node:util';
import { TGPError } from './errors.js';

const MAX_MESSAGE_CHARS = 10_000;
const MAX_DETAILS_CHARS = 1 << 20;
const UNREADABLE = 'A value was thrown that cannot be read.';

/**
 * The message of a thrown value. Never throws.
 * @param {unknown} thrown
 * @returns {string}
 */
export function messageOf(thrown) {
  try {
    const text = textOf(thrown);
    return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
  } catch {
    return UNREADABLE;
  }
}

/**
 * The message of an error, of an error from another realm, or of an error-like object; any other value as text.
 * @param {unknown} thrown
 * @returns {string}
 */
function textOf(thrown) {
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
 * As {@link messageOf}, with the code and the details of a TGPError.
 * @param {unknown} thrown
 * @returns {import('../../binding.cjs').BindingError}
 */
export function described(thrown) {
  const message = messageOf(thrown);
  try {
    if (thrown instanceof TGPError && typeof thrown.code === 'string') {
      const details = JSON.stringify(thrown.details);
      return { code: thrown.code, message, details: isShort(details) ? details : '{}' };
    }
  } catch {
    // Reported as an error without a code.
  }
  return { code: 'ERR_TOOL_THROWN', message, details: '{}' };
}

/** @param {unknown} details as JSON */
function isShort(details) {
  return typeof details === 'string' && details.length <= MAX_DETAILS_CHARS;
}
