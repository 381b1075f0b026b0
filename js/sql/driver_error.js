/** What drivers, databases and functions of the application fail with, as failures of ours. */

import { SqlError, TGPError } from '../boundary/errors.js';

/** Characters of a message that are passed on. Databases quote values in theirs, whatever the size. */
const MAX_SAID = 2_000;
const MAX_CODE = 100;

/**
 * A driver's failure as one of ours, with what the database said.
 * @param {unknown} error
 * @param {string} what has failed
 * @returns {Error}
 */
export function asSqlError(error, what) {
  if (isOurs(error)) return error;
  const code = memberOf(error, 'code');
  const detail = memberOf(error, 'detail');
  const said = `${saidBy(error)}${typeof detail === 'string' ? ` (${shortened(detail)})` : ''}`;
  return new SqlError(`${what}. The database says: ${said}.`, {
    details: { reason: 'database', ...(typeof code === 'string' && { databaseCode: code.slice(0, MAX_CODE) }) },
  });
}

/**
 * @param {unknown} error why a row cannot be written as JSON
 * @returns {Error}
 */
export function unreadableRow(error) {
  if (isOurs(error)) return error;
  return new SqlError(
    `A row holds a value that cannot be read: ${saidBy(error)}. Select it as text, or leave it out.`,
    {
      details: { reason: 'value' },
    },
  );
}

/**
 * The message of whatever was thrown, without its full stop.
 * @param {unknown} error
 */
export function saidBy(error) {
  const message = memberOf(error, 'message');
  if (typeof message === 'string') return shortened(message);
  try {
    return shortened(String(error));
  } catch {
    return 'something without a message';
  }
}

/**
 * A text as it may be passed on, without its full stop.
 * @param {string} text
 */
export function shortened(text) {
  if (text.length <= MAX_SAID) return text.replace(/\.$/, '');
  // Half of a surrogate pair at the end would make the text invalid. A copy, so that the long text is not kept.
  const start = Buffer.from(text.slice(0, MAX_SAID))
    .toString()
    .replace(/\uFFFD$/, '');
  return `${start}… (${text.length} characters)`;
}

/**
 * A member of whatever was thrown.
 * @param {unknown} value
 * @param {string} name
 */
export function memberOf(value, name) {
  try {
    return /** @type {any} */ (value)?.[name];
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} error
 * @returns {error is TGPError}
 */
function isOurs(error) {
  try {
    return error instanceof TGPError;
  } catch {
    return false;
  }
}
