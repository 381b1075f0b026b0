/** Messages of thrown values, which may be of any type and may throw when accessed. */

import { inspect } from 'node:util';
import type { BindingError } from '../../binding.cjs';
import { TGPError } from './errors.js';

const MAX_MESSAGE_CHARS = 10_000;
const MAX_DETAILS_CHARS = 1 << 20;
const UNREADABLE = 'A value was thrown that cannot be read.';

/** The message of a thrown value. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    const text = textOf(thrown);
    return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
  } catch {
    return UNREADABLE;
  }
}

/** The message of an error, of an error from another realm, or of an error-like object; any other value as text. */
function textOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message }: { message?: unknown } = thrown;
  if (typeof message === 'string' && (message !== '' || thrown instanceof Error)) return message;
  if (thrown instanceof Error) return String(message);
  return inspect(thrown, {
    depth: 2,
    breakLength: Number.POSITIVE_INFINITY,
    maxArrayLength: 20,
    maxStringLength: 1_000,
  });
}

/** As {@link messageOf}, with the code and the details of a TGPError. */
export function described(thrown: unknown): BindingError {
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

/** @param details as JSON */
function isShort(details: unknown) {
  return typeof details === 'string' && details.length <= MAX_DETAILS_CHARS;
}
