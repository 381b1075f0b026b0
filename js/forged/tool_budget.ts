/** Limits how many forged tools are offered by name. */

/**
 * Selects candidates in order, up to a budget of tools and characters.
 * @template Candidate with the size of its name, description and schema
 */
export class ToolBudget<Candidate extends { chars: number }> {
  chosen: Candidate[] = [];
  #tools;
  #chars;

  constructor({ tools, chars }: { tools: number; chars: number }) {
    this.#tools = tools;
    this.#chars = chars;
  }

  get isSpent() {
    return this.chosen.length >= this.#tools;
  }

  /** @param candidate is skipped if it exceeds the remaining characters */
  offer(candidate: Candidate) {
    if (this.isSpent || candidate.chars > this.#chars) return;
    this.chosen.push(candidate);
    this.#chars -= candidate.chars;
  }
}
