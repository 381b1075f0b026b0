/** Errors for refused statements. */

import { SecurityViolation } from '../boundary/errors.js';

/** @param {unknown} name */
export function shown(name) {
  return `'${String(name).slice(0, 64)}'`;
}

/**
 * @param {string} what
 * @param {string} advice
 */
export function refused(what, advice) {
  return new SecurityViolation(`Security Violation: ${what}. ${advice}`, { details: { reason: 'refused' } });
}
