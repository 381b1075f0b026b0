/** Validates a set of tools passed by an application. */

import { ValidationError } from '../boundary/errors.js';

/**
 * @param {unknown} base
 * @returns {import('../../index.js').ToolSet}
 */
export function readTools(base) {
  try {
    if (typeof base === 'object' && base !== null) return { ...base };
  } catch (cause) {
    throw wrong('base', 'a readable object of tools', cause);
  }
  throw wrong('base', 'an object of tools, such as tgpTools(kernel)');
}

/**
 * @param {string} field
 * @param {string} what
 * @param {unknown} [cause]
 */
export function wrong(field, what, cause) {
  return new ValidationError(`"${field}" must be ${what}.`, { cause, details: { field } });
}
