/** Queries on the conversation so far, for the acts. */

import { Stuck } from './scripted_model.js';

/** @typedef {import('./scripted_model.js').Turn} Turn */

/**
 * @param {boolean} condition
 * @param {string} promise
 */
export function expect(condition, promise) {
  if (!condition) throw new Stuck(`Expected: ${promise}.`);
}

/**
 * @param {Turn[]} turns
 * @param {number} index
 */
export function turn(turns, index) {
  const found = turns.at(index);
  if (!found) throw new Stuck('A tool result is missing.');
  return found;
}

/** @param {Turn[]} turns */
export function last(turns) {
  return turn(turns, -1);
}
