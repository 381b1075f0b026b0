import { z } from 'zod';

/** @typedef {{ least: number, most: number, about: string }} Limit one of `limits.js` */

/**
 * A number within the range of its limit.
 * @param {Limit} limit
 */
export function limited({ least, most, about }) {
  const outside = (/** @type {{ input?: unknown }} */ { input }) =>
    `must be between ${least} and ${most}, not ${input}`;
  return z.int().min(least, { error: outside }).max(most, { error: outside }).optional().describe(about);
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
