/** What a run uses, what that costs, and when it is enough. */

import { TGPError, ValidationError } from '../boundary/errors.js';

/**
 * @typedef {import('../../index.js').AgentBudget} AgentBudget
 * @typedef {import('../../index.js').AgentPrices} AgentPrices
 * @typedef {import('../kernel/session_fold.js').Usage} TurnUsage
 */

const DEFAULT_STEPS = 100;
const PER_TOKENS = 1_000_000;

/** Something is used up. The run ends there, and is no failure. */
export class BudgetReached extends TGPError {
  /** @param {string} message */
  constructor(message) {
    super(/** @type {any} */ ('ERR_BUDGET'), message);
  }
}

export class RunUsage {
  #budget;
  #prices;
  #started = Date.now();
  #msBefore;
  #isReported = false;
  input = 0;
  output = 0;
  cached = 0;
  steps = 0;

  /**
   * @param {AgentBudget | undefined} budget
   * @param {AgentPrices | undefined} prices
   * @param {number} msBefore what the task has taken before it was resumed
   */
  constructor(budget, prices, msBefore) {
    this.#budget = { steps: DEFAULT_STEPS, ...budget };
    this.#prices = prices;
    this.#msBefore = msBefore;
  }

  /** @param {TurnUsage} usage */
  add({ input, output, cached }) {
    this.input += input;
    this.output += output;
    this.cached += cached;
    this.steps += 1;
  }

  /**
   * What a turn used: an estimate as long as the provider reports nothing at all, so that a budget holds all the same.
   * @param {TurnUsage} reported
   * @param {() => TurnUsage} estimate
   */
  counted(reported, estimate) {
    this.#isReported ||= reported.input > 0 || reported.output > 0;
    return this.#isReported ? reported : estimate();
  }

  get total() {
    return this.input + this.output;
  }

  /** Of this run; what it took before does not count. */
  get ms() {
    return Date.now() - this.#started;
  }

  /** @returns {number | undefined} */
  get money() {
    if (this.#prices === undefined) return undefined;
    const { input, output, cachedInput = input } = this.#prices;
    const fresh = Math.max(0, this.input - this.cached);
    return (fresh * input + this.cached * cachedInput + this.output * output) / PER_TOKENS;
  }

  /** Milliseconds until the time is up. */
  get msLeft() {
    const { ms } = this.#budget;
    return ms === undefined ? undefined : Math.max(0, ms - this.#msBefore - this.ms);
  }

  /** Tokens that a turn may still use, in and out. */
  get tokensLeft() {
    const { tokens } = this.#budget;
    return tokens === undefined ? undefined : Math.max(0, tokens - this.total);
  }

  /**
   * Refuses another turn when something is used up, or would be by what is about to be sent.
   * @param {number} sent tokens of it, estimated
   */
  refuseBeyond(sent) {
    const { steps, money } = this.#budget;
    if (steps !== undefined && this.steps >= steps)
      throw new BudgetReached(`All ${steps} steps are used (budget.steps).`);
    if (this.msLeft === 0) throw this.timeIsUp();
    const left = this.tokensLeft;
    if (left !== undefined && left < sent) {
      throw new BudgetReached(
        `${this.total} of ${this.#budget.tokens} tokens are used, and the next step would need ${sent} (budget.tokens).`,
      );
    }
    if (money !== undefined && this.money !== undefined && this.money >= money) {
      throw new BudgetReached(`${shownMoney(this.money)} of ${money} are spent (budget.money).`);
    }
  }

  timeIsUp() {
    return new BudgetReached(`The time of ${this.#budget.ms} ms is up (budget.ms).`);
  }

  /** @param {number} waitMs */
  tooLong(waitMs) {
    return new BudgetReached(
      `The provider is to be asked again in ${waitMs} ms, which is more than is left of ${this.#budget.ms} ms (budget.ms).`,
    );
  }

  /** @param {string} model */
  refuseUnpriced(model) {
    if (this.#budget.money === undefined || this.#prices !== undefined) return;
    throw new ValidationError(
      `"prices" has no entry for the model "${model}", so that budget.money could not be kept. Add one, or leave budget.money out.`,
      { details: { field: 'prices' } },
    );
  }
}

/**
 * With as many digits as tell it from what was allowed.
 * @param {number} money
 */
function shownMoney(money) {
  return Number(money.toPrecision(4)).toString();
}

/**
 * The prices of a model.
 * @param {AgentPrices | Record<string, AgentPrices> | undefined} given
 * @param {string} model
 * @returns {AgentPrices | undefined}
 */
export function pricesOf(given, model) {
  if (given === undefined) return undefined;
  if (typeof (/** @type {any} */ (given).input) === 'number') return /** @type {AgentPrices} */ (given);
  const byModel = /** @type {Record<string, AgentPrices>} */ (given);
  return Object.hasOwn(byModel, model) ? byModel[model] : undefined;
}
