/** Zod schemas for limits. */

import { z } from 'zod';

/** @typedef {{ least: number, most: number, about: string }} Limit one of `limits.js` */

/**
 * A number within the range of its limit.
 * @param {Limit} limit
 */
export function limited({ least, most, about }) {
  return wholeNumber(least, most).optional().describe(about);
}

/**
 * @param {number} least
 * @param {number} most
 */
export function wholeNumber(least, most) {
  /** @param {{ code?: string, input?: unknown }} issue */
  const outside = ({ code, input }) =>
    code === 'too_big' || code === 'too_small' ? `must be between ${least} and ${most}, not ${input}` : undefined;
  // Numbers beyond the safe integers fail before the range check, so that they are reported once.
  const whole = z.int({ error: outside, abort: true });
  return whole.min(least, { error: outside }).max(most, { error: outside });
}

/**
 * The limits of a group, each as an optional number within its range.
 * @template {Record<string, Limit>} Group
 * @param {Group} group
 */
export function limitsOf(group) {
  const schemas = Object.entries(group).map(([key, limit]) => [key, limited(limit)]);
  return /** @type {{ [Key in keyof Group]: ReturnType<typeof limited> }} */ (Object.fromEntries(schemas));
}
