/** The quality of a search: shares of its answers. */

/** @typedef {{ path: string | null, found: { path: string, score: number }[] }} Answer `path`: the tool for the request */

/**
 * Share of answers whose tool is among the first.
 * @param {Answer[]} answers
 * @param {number} first
 */
export const share = (answers, first) =>
  answers.filter(({ path, found }) => found.slice(0, first).some((tool) => tool.path === path)).length / answers.length;

/** @param {Answer[]} answers */
export const firstThreeTen = (answers) => [1, 3, 10].map((first) => Number(share(answers, first).toFixed(3)));
