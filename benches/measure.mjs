/** Measures repeated work. */

import { percentile } from '../tools/statistics.mjs';
import { record } from './record.mjs';

export { percentile };

/**
 * Times candidates in alternation, so that other load affects all of them equally.
 * @param {Record<string, () => unknown>} candidates
 * @param {{ rounds: number, warmup?: number }} options
 * @returns {Promise<Record<string, number[]>>} milliseconds
 */
export async function inTurns(candidates, { rounds, warmup = 20 }) {
  const names = Object.keys(candidates);
  const times = Object.fromEntries(names.map((name) => [name, /** @type {number[]} */ ([])]));
  for (let round = -warmup; round < rounds; round++) {
    for (const name of names) {
      const started = performance.now();
      await candidates[name]?.();
      if (round >= 0) times[name]?.push(performance.now() - started);
    }
  }
  return times;
}

/**
 * Prints and records medians and 95th percentiles, and each median as a multiple of the first candidate's.
 * @param {string} title
 * @param {Record<string, number[]>} times
 */
export function report(title, times) {
  const [first] = Object.values(times);
  const base = percentile(first ?? [], 0.5);
  process.stdout.write(`\n${title}\n`);
  for (const [name, values] of Object.entries(times)) {
    record(name, values, { group: title });
    const p50 = percentile(values, 0.5);
    const cells = [
      name.padEnd(44),
      `p50 ${p50.toFixed(3)} ms`.padStart(16),
      `p95 ${percentile(values, 0.95).toFixed(3)} ms`.padStart(18),
      `× ${(p50 / base).toFixed(1)}`.padStart(9),
    ];
    process.stdout.write(`  ${cells.join('  ')}\n`);
  }
}
