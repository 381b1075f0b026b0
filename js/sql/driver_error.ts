/** Converts errors of drivers, databases and application functions to SqlError. */

import { SqlError, TGPError } from '../boundary/errors.js';

/** Maximum length of a forwarded message: databases quote values of any size. */
const MAX_MESSAGE_CHARS = 2_000;
const MAX_CODE = 100;

/**
 * A driver's error as an SqlError with the database's message.
 * @param what the failed operation
 */
export function asSqlError(error: unknown, what: string): Error {
  if (isOurs(error)) return error;
  const code = memberOf(error, 'code');
  const detail = memberOf(error, 'detail');
  const message = `${messageText(error)}${typeof detail === 'string' ? ` (${shortened(detail)})` : ''}`;
  return new SqlError(`${what}. The database reported: ${message}.`, {
    details: { reason: 'database', ...(typeof code === 'string' && { databaseCode: code.slice(0, MAX_CODE) }) },
  });
}

/** @param error why a row cannot be written as JSON */
export function unreadableRow(error: unknown): Error {
  if (isOurs(error)) return error;
  return new SqlError(
    `A row contains a value that cannot be read: ${messageText(error)}. Select it as text, or omit it.`,
    {
      details: { reason: 'value' },
    },
  );
}

/** The message of a thrown value, without its full stop. */
export function messageText(error: unknown) {
  const message = memberOf(error, 'message');
  if (typeof message === 'string') return shortened(message);
  try {
    return shortened(String(error));
  } catch {
    return 'an error without a message';
  }
}

/** A message shortened to the maximum length, without its full stop. */
export function shortened(text: string) {
  if (text.length <= MAX_MESSAGE_CHARS) return text.replace(/\.$/, '');
  // Drops a split surrogate pair at the end. Copied via a buffer, so that the long text is not retained.
  const start = Buffer.from(text.slice(0, MAX_MESSAGE_CHARS))
    .toString()
    .replace(/\uFFFD$/, '');
  return `${start}… (${text.length} characters)`;
}

/** A member of a thrown value. */
export function memberOf(value: unknown, name: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

function isOurs(error: unknown): error is TGPError {
  try {
    return error instanceof TGPError;
  } catch {
    return false;
  }
}
