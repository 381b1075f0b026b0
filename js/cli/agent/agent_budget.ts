/** Parses the budget options of an agent: `--budget`, `--max-steps` and `--price`. */

import { ValidationError } from '../../boundary/errors.js';
import type { AgentBudget, AgentPrices } from '../../types/agent.js';

const SCALES = { '': 1, k: 1_000, m: 1_000_000 };
const UNITS = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };
const FORM = 'Use tokens, such as 200k, or a list such as tokens=200k,money=2.50,time=10min.';

/** @param text such as `200k` or `tokens=200k,money=2.50,time=10min` */
export function budgetOf(text: string | undefined, steps: number | undefined): AgentBudget | undefined {
  const budget: AgentBudget = steps === undefined ? {} : { steps };
  for (const part of text?.split(',') ?? []) {
    const [name, value] = part.includes('=') ? part.split('=', 2) : ['tokens', part];
    Object.assign(budget, limitOf(String(name).trim(), String(value).trim()));
  }
  return Object.keys(budget).length === 0 ? undefined : budget;
}

/** @param text price of a million input and output tokens: `1.25/10` */
export function priceOf(text: string | undefined): AgentPrices | undefined {
  if (text === undefined) return undefined;
  const [, input, output] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (input !== undefined && output !== undefined) return { input: Number(input), output: Number(output) };
  throw new ValidationError(
    '--price is not valid. Use the price of a million input and output tokens, such as 1.25/10.',
    {
      details: { field: 'price' },
    },
  );
}

function limitOf(name: string, value: string): AgentBudget {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value) ?? [];
  const amount = Number(number);
  const small = unit.toLowerCase();
  if (number !== '' && amount > 0) {
    if (name === 'tokens' && isIn(SCALES, small)) return { tokens: Math.round(amount * SCALES[small]) };
    if (name === 'time' && isIn(UNITS, small)) return { ms: Math.round(amount * UNITS[small]) };
    if (name === 'money' && unit === '') return { money: amount };
    if (name === 'steps' && unit === '' && Number.isInteger(amount)) return { steps: amount };
  }
  throw new ValidationError(`--budget is not valid. ${FORM}`, { details: { field: 'budget' } });
}

function isIn<Table extends object>(table: Table, key: string): key is Extract<keyof Table, string> {
  return Object.hasOwn(table, key);
}
