/** Which forged tools are offered by name when all of them would be too many. */

/**
 * As many as a budget allows, the first ones first.
 * @template {{ chars: number }} Candidate with the size of its name, description and schema
 */
export class ToolBudget {
  /** @type {Candidate[]} */
  chosen = [];
  #tools;
  #chars;

  /** @param {{ tools: number, chars: number }} budget */
  constructor({ tools, chars }) {
    this.#tools = tools;
    this.#chars = chars;
  }

  get isSpent() {
    return this.chosen.length >= this.#tools;
  }

  /** @param {Candidate} candidate one that is too large leaves its place to smaller ones */
  offer(candidate) {
    if (this.isSpent || candidate.chars > this.#chars) return;
    this.chosen.push(candidate);
    this.#chars -= candidate.chars;
  }
}
