/** Which forged tools are offered by name when all of them would be too many. */

/**
 * @typedef {object} Candidate
 * @property {string} path
 * @property {number} changed when it was last written while this kernel ran; 0 for never
 * @property {boolean} isOffered whether a model has it already
 * @property {number} uses
 * @property {number} chars of its name, description and schema
 */

/**
 * The most useful ones within a budget: what was just written, then what is offered already, then what was run most often.
 * Their order is the given one, so that a prompt changes as little as possible.
 * @template {Candidate} Tool
 * @param {Tool[]} all
 * @param {{ tools: number, chars: number }} budget
 * @returns {Tool[]}
 */
export function chosenTools(all, budget) {
  const total = all.reduce((sum, { chars }) => sum + chars, 0);
  if (all.length <= budget.tools && total <= budget.chars) return all;
  const chosen = new Set();
  let left = budget.chars;
  for (const tool of [...all].sort(byUse)) {
    if (chosen.size >= budget.tools) break;
    // One that is too large leaves its place to smaller ones.
    if (tool.chars > left) continue;
    chosen.add(tool);
    left -= tool.chars;
  }
  return all.filter((tool) => chosen.has(tool));
}

/**
 * @param {Candidate} one
 * @param {Candidate} other
 */
function byUse(one, other) {
  return (
    other.changed - one.changed ||
    Number(other.isOffered) - Number(one.isOffered) ||
    other.uses - one.uses ||
    (one.path < other.path ? -1 : 1)
  );
}
