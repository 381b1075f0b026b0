/**
 * The ratio of two builds' costs over rounds, with its 95 % confidence interval and the verdict.
 *
 * Each round gives one ratio of figures measured in alternation. The estimate is the Hodges-Lehmann centre of their
 * logarithms: one round in four may be an outlier without moving it much. The interval is a bootstrap over rounds with expanded
 * percentiles, since plain ones are too narrow for few rounds (Hesterberg, "What Teachers Should Know About the Bootstrap", 2015).
 */

import { numbers } from '../../tools/statistics.mjs';

/** A significant loss of this size fails the comparison. */
export const LOSS = 1.1;
/** The minimum number of rounds for a verdict: with fewer, the coverage of the interval is below 90 %. */
export const MIN_ROUNDS = 5;
const RESAMPLES = 1000;
/** The standard normal distribution's 97.5th percentile: a two-sided interval of 95 %. */
const Z = 1.959964;

/**
 * @typedef {{ rounds: number, base: number, fresh: number, ratio: number, low: number, high: number }} Compared
 * `base` and `fresh` are medians of the rounds' figures, `ratio` is fresh / base
 * @typedef {'LOSS' | 'gain' | 'no loss' | 'unclear'} Verdict
 */

/** @param {number[]} values @returns {number} the mean of the two in the middle where their count is even */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of the means of all pairs. @param {number[]} values */
export function centre(values) {
  const means = new Float64Array((values.length * (values.length + 1)) / 2);
  let count = 0;
  for (let one = 0; one < values.length; one++) {
    for (let other = one; other < values.length; other++) {
      means[count++] = ((values[one] ?? 0) + (values[other] ?? 0)) / 2;
    }
  }
  means.sort();
  const half = count >> 1;
  const upper = means[half] ?? Number.NaN;
  return count % 2 === 1 ? upper : ((means[half - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * The 97.5th percentile of Student's t distribution (Cornish-Fisher expansion).
 * @param {number} freedom
 */
export function studentT(freedom) {
  return (
    Z +
    (Z ** 3 + Z) / (4 * freedom) +
    (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * freedom ** 2) +
    (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / (384 * freedom ** 3)
  );
}

/** The share of a normal distribution beyond so many deviations (Abramowitz and Stegun 26.2.17). @param {number} deviations */
function tail(deviations) {
  const t = 1 / (1 + 0.2316419 * deviations);
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp(-(deviations ** 2) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}

/**
 * The confidence interval of the centre. Deterministic for the same values.
 * @param {number[]} values
 * @returns {[number, number]}
 */
export function intervalOfCentre(values) {
  const n = values.length;
  if (n < 2) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const random = numbers(n);
  const drawn = new Array(n).fill(0);
  const centres = new Float64Array(RESAMPLES);
  for (let sample = 0; sample < RESAMPLES; sample++) {
    for (let at = 0; at < n; at++) drawn[at] = values[Math.floor(random() * n)] ?? 0;
    centres[sample] = centre(drawn);
  }
  centres.sort();
  const outside = Math.floor(tail(Math.sqrt(n / (n - 1)) * studentT(n - 1)) * RESAMPLES);
  return [centres[outside] ?? Number.NaN, centres[RESAMPLES - 1 - outside] ?? Number.NaN];
}

/**
 * @param {number[]} base a figure of each round; less is better
 * @param {number[]} fresh of the same rounds
 * @returns {Compared | undefined} nothing where no round has both
 */
export function compareRounds(base, fresh) {
  const pairs = base
    .map((value, round) => [value, fresh[round] ?? Number.NaN])
    .filter((pair) => pair.every((value) => Number.isFinite(value) && value > 0));
  if (pairs.length === 0) return undefined;
  const [bases, freshes] = [0, 1].map((side) => pairs.map((pair) => pair[side] ?? 0));
  const logs = pairs.map(([one = 1, other = 1]) => Math.log(other / one));
  const [low, high] = intervalOfCentre(logs);
  return {
    rounds: pairs.length,
    base: median(bases ?? []),
    fresh: median(freshes ?? []),
    ratio: Math.exp(centre(logs)),
    low: Math.exp(low),
    high: Math.exp(high),
  };
}

/**
 * A loss must be both large and significant. If a loss of 10 % is neither shown nor excluded, the verdict is unclear, which is
 * not a failure.
 * @param {Pick<Compared, 'rounds' | 'ratio' | 'low' | 'high'>} compared
 * @returns {Verdict}
 */
export function verdict({ rounds, ratio, low, high }) {
  if (rounds < MIN_ROUNDS) return 'unclear';
  if (ratio >= LOSS && low > 1) return 'LOSS';
  if (ratio <= 1 / LOSS && high < 1) return 'gain';
  return high < LOSS ? 'no loss' : 'unclear';
}
