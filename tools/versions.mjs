/** Semantic versions (https://semver.org): parsing and comparison. */

const NUMBER = '(0|[1-9]\\d*)';
const WORD = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const VERSION = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${WORD}(?:\\.${WORD})*))?$`);

/**
 * @param {string} text
 * @returns {{ numbers: number[], preview: string[] } | undefined} without `preview` words it is a version for everybody
 */
export function readVersion(text) {
  const match = VERSION.exec(text);
  if (match === null) return undefined;
  return { numbers: match.slice(1, 4).map(Number), preview: match[4]?.split('.') ?? [] };
}

/** @param {string} version */
export function isPreview(version) {
  return (readVersion(version)?.preview.length ?? 0) > 0;
}

/**
 * Whether one version comes before another.
 * @param {string} one
 * @param {string} other
 */
export function isOlder(one, other) {
  const [left, right] = [readVersion(one), readVersion(other)];
  if (left === undefined || right === undefined) return false;
  const numbers = order(left.numbers, right.numbers, (a, b) => a - b);
  if (numbers !== 0) return numbers < 0;
  if (left.preview.length === 0 || right.preview.length === 0) return left.preview.length > right.preview.length;
  return order(left.preview, right.preview, byWord) < 0;
}

/**
 * @template T
 * @param {T[]} left
 * @param {T[]} right
 * @param {(a: T, b: T) => number} compare
 */
function order(left, right, compare) {
  for (const [index, a] of left.entries()) {
    const b = right[index];
    if (b === undefined) return 1;
    const found = compare(a, b);
    if (found !== 0) return found;
  }
  return left.length - right.length;
}

/**
 * Numeric identifiers precede others, and are compared as numbers.
 * @param {string} a
 * @param {string} b
 */
function byWord(a, b) {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
