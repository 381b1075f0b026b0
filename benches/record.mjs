/** What a benchmark tells the program that runs them all: one line for each measure, in the file that `TGP_BENCH_OUT` names. */

import { appendFileSync } from 'node:fs';
import { summary } from './statistics.mjs';

/**
 * @typedef {object} Measure
 * @property {string} name what was measured
 * @property {string} [group] what it is compared with: the table that it stands in
 * @property {string} [unit]
 * @property {number} [at] the place on a curve
 * @property {Record<string, number | string>} [facts] what else is known of it
 * @typedef {Measure & Partial<import('./statistics.mjs').Summary>} Recorded
 */

/** Whether a look will do: `npm run bench -- --quick`. */
export const QUICK = process.env.TGP_BENCH_QUICK === '1';

/**
 * @param {string} name
 * @param {number[]} values nothing where there are only facts
 * @param {Omit<Measure, 'name'>} [about]
 */
export function record(name, values, { unit = 'ms', ...about } = {}) {
  const file = process.env.TGP_BENCH_OUT;
  if (file === undefined) return;
  const measured = values.length > 0 ? { unit, ...summary(values) } : {};
  appendFileSync(file, `${JSON.stringify({ name, ...about, ...measured })}\n`);
}
