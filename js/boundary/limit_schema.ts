/** Zod schemas for limits. */

import { z } from 'zod';

/** A limit of `limits.ts`. */
type Limit = { least: number; most: number; about: string };

/** A number within the range of its limit. */
export function limited({ least, most, about }: Limit) {
  return wholeNumber(least, most).optional().describe(about);
}

/** The schema of an integer within a range. */
export function wholeNumber(least: number, most: number) {
  const outside = ({ code, input }: { code?: string; input?: unknown }) =>
    code === 'too_big' || code === 'too_small' ? `must be between ${least} and ${most}, not ${input}` : undefined;
  // Numbers beyond the safe integers fail before the range check, so that they are reported once.
  const whole = z.int({ error: outside, abort: true });
  return whole.min(least, { error: outside }).max(most, { error: outside });
}

/** The limits of a group, each as an optional number within its range. */
export function limitsOf<Group extends Record<string, Limit>>(group: Group) {
  const schemas = Object.entries(group).map(([key, limit]) => [key, limited(limit)]);
  return Object.fromEntries(schemas) as { [Key in keyof Group]: ReturnType<typeof limited> };
}
