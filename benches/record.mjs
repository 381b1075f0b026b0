/** Records the results of a benchmark for the runner: one line per measure, in the file `TGP_BENCH_OUT`. */

import { appendFileSync } from 'node:fs';
import { summary } from '../tools/statistics.mjs';

/**
 * @typedef {object} Measure
 * @property {string} name what was measured
 * @property {string} [group] the table it belongs to
 * @property {string} [unit]
 * @property {number} [at] the position on a curve
 * @property {Record<string, number | string>} [facts] additional data
 * @typedef {Measure & Partial<import('../tools/statistics.mjs').Summary>} Recorded
 */

/** Whether this is a quick run: `npm run bench -- --quick`. */
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
