/** Spelling suggestions. */

/** A suggestion may differ by one edit per four letters. */
const LETTERS_PER_EDIT = 4;
/** Longer names, and more candidates, are not compared. */
const MAX_LETTERS = 100;
const MAX_CANDIDATES = 2_000;
/** Budget of character comparisons per word: some milliseconds of the event loop. */
const MAX_STEPS = 250_000;

/** @returns the closest candidate, if it is close enough */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = ranked(word, candidates);
  if (best === undefined) return undefined;
  return best.slips <= maxEdits(word) ? best.candidate : undefined;
}

function maxEdits(word: string) {
  return Math.max(1, Math.floor(word.length / LETTERS_PER_EDIT));
}

/** @returns the closest first; ties keep their order */
export function nearestFirst(word: string, candidates: readonly string[]): string[] {
  return ranked(word, candidates).map(({ candidate }) => candidate);
}

function ranked(word: string, candidates: readonly string[]) {
  const entries = candidates.slice(0, MAX_CANDIDATES).map((candidate) => ({ candidate, slips: Infinity }));
  if (!isComparable(word)) return entries;
  const wanted = word.toLowerCase();
  const isOfLength = ({ candidate }: { candidate: string }) =>
    Math.abs(candidate.length - wanted.length) <= maxEdits(word);
  let steps = 0;
  // Candidates of a very different length are compared last, within the remaining budget.
  for (const entry of [...entries.filter(isOfLength), ...entries.filter((entry) => !isOfLength(entry))]) {
    if (!isComparable(entry.candidate)) continue;
    steps += (wanted.length + 1) * (entry.candidate.length + 1);
    if (steps > MAX_STEPS) break;
    entry.slips = editDistance(wanted, entry.candidate.toLowerCase());
  }
  return entries.sort((left, right) => (left.slips === right.slips ? 0 : left.slips - right.slips));
}

function isComparable(name: string) {
  return name.length <= MAX_LETTERS;
}

/** The edit distance of two short words (insertions, deletions, substitutions, transpositions). */
export function editDistance(from: string, to: string) {
  let before: number[] = [];
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
