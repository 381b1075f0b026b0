/** Spelling suggestions. */

/** A typing slip, not another word: about one edit per four letters. */
const LETTERS_PER_SLIP = 4;
/** Longer names are not compared letter by letter, nor are more than so many. */
const MAX_LETTERS = 100;
const MAX_CANDIDATES = 2_000;
/** Letters that are held against letters for one word, in all names together: some milliseconds of the event loop. */
const MAX_STEPS = 250_000;

/**
 * @param {string} word
 * @param {readonly string[]} candidates
 * @returns {string | undefined} the nearest, when it is near enough to have been meant
 */
export function nearest(word, candidates) {
  const [best] = ranked(word, candidates);
  if (best === undefined) return undefined;
  return best.slips <= mostSlips(word) ? best.candidate : undefined;
}

/** @param {string} word */
function mostSlips(word) {
  return Math.max(1, Math.floor(word.length / LETTERS_PER_SLIP));
}

/**
 * @param {string} word
 * @param {readonly string[]} candidates
 * @returns {string[]} the nearest first, and as they came among equals
 */
export function nearestFirst(word, candidates) {
  return ranked(word, candidates).map(({ candidate }) => candidate);
}

/**
 * @param {string} word
 * @param {readonly string[]} candidates
 */
function ranked(word, candidates) {
  const known = candidates.slice(0, MAX_CANDIDATES).map((candidate) => ({ candidate, slips: Infinity }));
  if (!isComparable(word)) return known;
  const wanted = word.toLowerCase();
  const isOfLength = (/** @type {{ candidate: string }} */ { candidate }) =>
    Math.abs(candidate.length - wanted.length) <= mostSlips(word);
  let steps = 0;
  // Names whose length alone says that they are other words have what is left of the budget.
  for (const entry of [...known.filter(isOfLength), ...known.filter((entry) => !isOfLength(entry))]) {
    if (!isComparable(entry.candidate)) continue;
    steps += (wanted.length + 1) * (entry.candidate.length + 1);
    if (steps > MAX_STEPS) break;
    entry.slips = editDistance(wanted, entry.candidate.toLowerCase());
  }
  return known.sort((left, right) => (left.slips === right.slips ? 0 : left.slips - right.slips));
}

/** @param {string} name */
function isComparable(name) {
  return name.length <= MAX_LETTERS;
}

/**
 * How many letters must be added, removed, changed or swapped with their neighbour. For short words.
 * @param {string} from
 * @param {string} to
 */
export function editDistance(from, to) {
  /** @type {number[]} */
  let before = [];
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 0; row < from.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < to.length; column += 1) {
      const changed = (above[column] ?? 0) + (from[row] === to[column] ? 0 : 1);
      let least = Math.min(changed, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1);
      if (row > 0 && column > 0 && from[row] === to[column - 1] && from[row - 1] === to[column]) {
        least = Math.min(least, (before[column - 1] ?? 0) + 1);
      }
      current.push(least);
    }
    before = above;
    above = current;
  }
  return above[to.length] ?? 0;
}
