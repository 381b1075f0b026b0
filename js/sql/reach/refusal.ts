/** Errors for refused statements. */

import { SecurityViolation } from '../../boundary/errors.js';

export function shown(name: unknown) {
  return `'${String(name).slice(0, 64)}'`;
}

export function refused(what: string, advice: string) {
  return new SecurityViolation(`Security Violation: ${what}. ${advice}`, { details: { reason: 'refused' } });
}
