/** Statistics over many measurements. */

const RESAMPLES = 1000;
const CONFIDENCE = 0.95;
/** Above this number, values are thinned out evenly before the bootstrap: the interval is narrow anyway. */
const MAX_DRAWN = 5000;

/** @typedef {{ n: number, median: number, p95: number, p99: number, low: number, high: number }} Summary */

/**
 * @param {number[]} values
 * @param {number} share 0.5 is the median
 */
export function percentile(values, share) {
  return ofSorted(
    [...values].sort((a, b) => a - b),
    share,
  );
}

/** @param {number[]} sorted @param {number} share */
function ofSorted(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Median, tail, and the 95 % bootstrap confidence interval of the median. Deterministic for the same values.
 * @param {number[]} values
 * @returns {Summary}
 */
export function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = intervalOfMedian(sorted);
  return {
    n: sorted.length,
    median: ofSorted(sorted, 0.5),
    p95: ofSorted(sorted, 0.95),
    p99: ofSorted(sorted, 0.99),
    low,
    high,
  };
}

/**
 * The bootstrap: medians of repeated resamples with replacement.
 * @param {number[]} sorted
 * @returns {[number, number]}
 */
function intervalOfMedian(sorted) {
  if (sorted.length < 2) return [sorted[0] ?? Number.NaN, sorted[0] ?? Number.NaN];
  const step = Math.max(1, sorted.length / MAX_DRAWN);
  const drawn = Array.from({ length: Math.floor(sorted.length / step) }, (_, at) => sorted[Math.floor(at * step)] ?? 0);
  const random = numbers(drawn.length);
  const counts = new Uint32Array(drawn.length);
  const medians = Array.from({ length: RESAMPLES }, () => {
    counts.fill(0);
    for (let draw = 0; draw < drawn.length; draw++) {
      const at = Math.floor(random() * drawn.length);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    let seen = 0;
    const at = counts.findIndex((count) => {
      seen += count;
      return seen > drawn.length / 2;
    });
    return drawn[at] ?? Number.NaN;
  }).sort((a, b) => a - b);
  return [ofSorted(medians, (1 - CONFIDENCE) / 2), ofSorted(medians, (1 + CONFIDENCE) / 2)];
}

/**
 * A seeded generator of numbers between 0 and 1.
 * @param {number} seed
 */
export function numbers(seed) {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The slope of the least-squares line.
 * @param {[number, number][]} points
 */
export function slope(points) {
  const mean = (/** @type {0 | 1} */ at) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const spread = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  const together = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return spread === 0 ? 0 : together / spread;
}
