/** Figures of a load run. The same scenario has the same figures, in the same order, for every build. */

import { percentile } from '../../tools/statistics.mjs';

/**
 * @typedef {'less' | 'more' | 'zero' | 'fact'} Good which value is good: less, more, only 0 (a promise), or neither
 * @typedef {{ name: string, value: number, unit: string, good: Good, note?: string }} Figure
 */

/** @param {string} name @param {number} value @param {string} [unit] @returns {Figure} */
export const cost = (name, value, unit = 'ms') => ({ name, value, unit, good: 'less' });

/** @param {string} name @param {number} value @param {string} unit @returns {Figure} */
export const gain = (name, value, unit) => ({ name, value, unit, good: 'more' });

/** @param {string} name @param {number} value @param {string} [note] @returns {Figure} */
export const fact = (name, value, note) => ({ name, value, unit: '', good: 'fact', ...(note && { note }) });

/**
 * The number of violations of a guarantee.
 * @param {string} name
 * @param {number} value
 * @param {string} [note]
 * @returns {Figure}
 */
export const broken = (name, value, note) => ({ name, value, unit: '', good: 'zero', ...(note && { note }) });

/** @type {[string, number][]} */
const ALL = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
  ['p99.9', 0.999],
  ['max', 1],
];

/**
 * Percentiles of times; of the short form p50, p99 and max.
 * @param {string} name
 * @param {number[]} times in milliseconds
 * @param {'long' | 'short'} [form]
 */
export function latencies(name, times, form = 'short') {
  const wanted = form === 'long' ? ALL : ALL.filter(([title]) => ['p50', 'p99', 'max'].includes(title));
  return wanted.map(([title, share]) => cost(`${name}, ${title}`, percentile(times, share)));
}

/**
 * `ERR_LIMIT 3, ERR_LEDGER 1`.
 * @param {string[]} codes
 */
export function countsOf(codes) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, count]) => `${code} ${count}`).join(', ');
}
