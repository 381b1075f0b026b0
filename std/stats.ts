/** Statistics of lists of numbers. Functions that are undefined for an empty list throw. */

function needSome(values: readonly number[], what: string): void {
  if (values.length === 0) throw new RangeError(`The ${what} of no values is not defined`);
}

/** The sum, with compensation of rounding errors (Neumaier). */
export function sum(values: readonly number[]): number {
  let total = 0;
  let carried = 0;
  for (const value of values) {
    const next = total + value;
    carried += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + carried;
}

export function mean(values: readonly number[]): number {
  needSome(values, 'mean');
  return sum(values) / values.length;
}

export function min(values: readonly number[]): number {
  needSome(values, 'minimum');
  return values.reduce((left, right) => Math.min(left, right));
}

export function max(values: readonly number[]): number {
  needSome(values, 'maximum');
  return values.reduce((left, right) => Math.max(left, right));
}

/** The `q`-quantile (0 to 1), linearly interpolated between neighbours. */
export function quantile(values: readonly number[], q: number): number {
  needSome(values, 'quantile');
  if (!(q >= 0 && q <= 1)) throw new RangeError('A quantile is between 0 and 1');
  const sorted = [...values].sort((left, right) => left - right);
  const place = (sorted.length - 1) * q;
  const low = sorted[Math.floor(place)] as number;
  const high = sorted[Math.ceil(place)] as number;
  return low + (high - low) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The variance of a sample (divided by n − 1) or of a population (divided by n). */
export function variance(values: readonly number[], of: 'sample' | 'population' = 'sample'): number {
  const divisor = of === 'sample' ? values.length - 1 : values.length;
  if (divisor < 1) throw new RangeError('The variance needs more values');
  const centre = mean(values);
  return sum(values.map((value) => (value - centre) ** 2)) / divisor;
}

export const deviation = (values: readonly number[], of: 'sample' | 'population' = 'sample'): number =>
  Math.sqrt(variance(values, of));

/** Pearson's correlation of two lists of the same length, from −1 to 1. */
export function correlation(left: readonly number[], right: readonly number[]): number {
  if (left.length !== right.length) throw new RangeError('Correlated lists must have the same length');
  const [a, b] = [mean(left), mean(right)];
  const together = sum(left.map((value, index) => (value - a) * ((right[index] as number) - b)));
  const apart = Math.sqrt(sum(left.map((value) => (value - a) ** 2)) * sum(right.map((value) => (value - b) ** 2)));
  if (apart === 0) throw new RangeError('The correlation with a list of equal values is not defined');
  return together / apart;
}

/** Counts the values in equal intervals from the smallest to the largest. */
export function histogram(values: readonly number[], steps: number): { from: number; to: number; count: number }[] {
  if (!Number.isInteger(steps) || steps < 1) throw new RangeError('The number of steps must be a positive integer');
  const [low, high] = [min(values), max(values)];
  const width = (high - low) / steps || 1;
  const bars = Array.from({ length: steps }, (_, index) => ({
    from: low + index * width,
    to: low + (index + 1) * width,
    count: 0,
  }));
  for (const value of values) {
    const bar = bars[Math.min(Math.floor((value - low) / width), steps - 1)];
    if (bar) bar.count += 1;
  }
  return bars;
}
