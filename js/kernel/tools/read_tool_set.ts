/** Validates a set of tools passed by an application. */

import { ValidationError } from '../../boundary/errors.js';
import type { ToolSet } from '../../types/tools.js';

/** A copy of the tools. */
export function readTools(base: unknown): ToolSet {
  try {
    if (typeof base === 'object' && base !== null) return { ...base };
  } catch (cause) {
    throw wrong('base', 'a readable object of tools', cause);
  }
  throw wrong('base', 'an object of tools, such as tgpTools(kernel)');
}

/** The error for an argument of another type. */
export function wrong(field: string, what: string, cause?: unknown) {
  return new ValidationError(`"${field}" must be ${what}.`, { cause, details: { field } });
}
