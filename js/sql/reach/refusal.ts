/** Errors for refused statements. */

import { SecurityViolation } from '../../boundary/errors.js';

/** A name in quotes, truncated. */
export function shown(name: unknown) {
  return `'${String(name).slice(0, 64)}'`;
}

/** The error for a statement that reaches too far. */
export function refused(what: string, advice: string) {
  return new SecurityViolation(`Security Violation: ${what}. ${advice}`, { details: { reason: 'refused' } });
}
