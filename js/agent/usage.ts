/** Usage and budget of a run: steps, tokens, money and time. */

import { TGPError, ValidationError } from '../boundary/errors.js';
import type { Usage as TurnUsage } from '../kernel/sessions/recorded_session.js';
import type { AgentBudget, AgentPrices } from '../types/agent.js';
import type { TGPErrorCode } from '../types/errors.js';

/** A code of agent runs. The closed list of codes of the package does not have it. */
const BUDGET_CODE: string = 'ERR_BUDGET';
const DEFAULT_STEPS = 100;
const PER_TOKENS = 1_000_000;

/** A budget limit was reached. The run ends with the outcome `budget`, not `failed`. */
export class BudgetReached extends TGPError {
  constructor(message: string) {
    super(BUDGET_CODE as TGPErrorCode, message);
  }
}

/** The usage of one run, compared with its budget. */
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

  /** @param msBefore duration of earlier runs of the task */
  constructor(budget: AgentBudget | undefined, prices: AgentPrices | undefined, msBefore: number) {
    this.#budget = { steps: DEFAULT_STEPS, ...budget };
    this.#prices = prices;
    this.#msBefore = msBefore;
  }

  add({ input, output, cached }: TurnUsage) {
    this.input += input;
    this.output += output;
    this.cached += cached;
    this.steps += 1;
  }

  /** The usage of a turn. If the provider reports no usage, an estimate is used, so that budgets still apply. */
  counted(reported: TurnUsage, estimate: () => TurnUsage) {
    this.#isReported ||= reported.input > 0 || reported.output > 0;
    return this.#isReported ? reported : estimate();
  }

  get total() {
    return this.input + this.output;
  }

  /** Duration of this run, without earlier runs. */
  get ms() {
    return Date.now() - this.#started;
  }

  get money(): number | undefined {
    if (this.#prices === undefined) return undefined;
    const { input, output, cachedInput = input } = this.#prices;
    const fresh = Math.max(0, this.input - this.cached);
    return (fresh * input + this.cached * cachedInput + this.output * output) / PER_TOKENS;
  }

  /** Milliseconds until the time limit. */
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
   * Throws if a limit is reached, or would be exceeded by the next prompt.
   * @param sent tokens of it, estimated
   */
  refuseBeyond(sent: number) {
    const { steps, money } = this.#budget;
    if (steps !== undefined && this.steps >= steps)
      throw new BudgetReached(`All ${steps} steps are used (budget.steps).`);
    if (this.msLeft === 0) throw this.timeIsUp();
    const left = this.tokensLeft;
    if (left !== undefined && left < sent) {
      throw new BudgetReached(
        `${this.total} of ${this.#budget.tokens} tokens are used, and the next step needs ${sent} (budget.tokens).`,
      );
    }
    if (money !== undefined && this.money !== undefined && this.money >= money) {
      throw new BudgetReached(`${shownMoney(this.money)} of ${money} are spent (budget.money).`);
    }
  }

  timeIsUp() {
    return new BudgetReached(`The time limit of ${this.#budget.ms} ms is reached (budget.ms).`);
  }

  tooLong(waitMs: number) {
    return new BudgetReached(
      `The next retry is in ${waitMs} ms, after the time limit of ${this.#budget.ms} ms (budget.ms).`,
    );
  }

  refuseUnpriced(model: string) {
    if (this.#budget.money === undefined || this.#prices !== undefined) return;
    throw new ValidationError(
      `"prices" has no entry for the model "${model}", so budget.money cannot be enforced. Add an entry, or remove budget.money.`,
      { details: { field: 'prices' } },
    );
  }
}

/** Formats money with four significant digits. */
function shownMoney(money: number) {
  return Number(money.toPrecision(4)).toString();
}

/** The prices of a model. */
export function pricesOf(
  given: AgentPrices | Record<string, AgentPrices> | undefined,
  model: string,
): AgentPrices | undefined {
  if (given === undefined) return undefined;
  if (isPrices(given)) return given;
  return Object.hasOwn(given, model) ? given[model] : undefined;
}

function isPrices(given: AgentPrices | Record<string, AgentPrices>): given is AgentPrices {
  return typeof given.input === 'number';
}
