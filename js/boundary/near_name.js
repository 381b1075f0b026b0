/** The name that somebody meant who wrote one that does not exist. */

/** A typing slip, not another word: about one for so many letters. */
const LETTERS_PER_SLIP = 4;
/** Longer names are not compared: nobody writes them by hand. */
const MAX_CHARS = 200;

/**
 * The nearest of the names, if it is near enough for a slip.
 * @param {string} word
 * @param {string[]} names
 * @returns {string | undefined}
 */
export function nearest(word, names) {
  if (word.length > MAX_CHARS) return undefined;
  const ranked = names
    .filter((name) => name.length <= MAX_CHARS)
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance);
  const best = ranked[0];
  const most = Math.max(1, Math.floor(word.length / LETTERS_PER_SLIP));
  return best && best.distance <= most ? best.name : undefined;
}

/**
 * How many letters must be added, left out, changed or swapped with their neighbour.
 * @param {string} from
 * @param {string} to
 */
function editDistance(from, to) {
  /** @type {number[]} */
  let before = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 0; row < from.length; row++) {
    const current = [row + 1];
    for (let column = 0; column < to.length; column++) {
      const changed = (previous[column] ?? 0) + (from[row] === to[column] ? 0 : 1);
      const isSwap = row > 0 && column > 0 && from[row] === to[column - 1] && from[row - 1] === to[column];
      const swapped = isSwap ? (before[column - 1] ?? 0) + 1 : changed;
      current.push(Math.min(changed, swapped, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    before = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
