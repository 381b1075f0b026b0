/** Limits how many forged tools are offered by name. */

/**
 * Selects candidates in order, up to a budget of tools and characters.
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

  /** @param {Candidate} candidate is skipped if it exceeds the remaining characters */
  offer(candidate) {
    if (this.isSpent || candidate.chars > this.#chars) return;
    this.chosen.push(candidate);
    this.#chars -= candidate.chars;
  }
}
