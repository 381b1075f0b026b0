/** Parses the budget options of an agent: `--budget`, `--max-steps` and `--price`. */

import { ValidationError } from '../boundary/errors.js';

/** @typedef {import('../../index.js').AgentBudget} AgentBudget */

const SCALES = { '': 1, k: 1_000, m: 1_000_000 };
const UNITS = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };
const FORM = 'Use tokens, such as 200k, or a list such as tokens=200k,money=2.50,time=10min.';

/**
 * @param {string | undefined} text such as `200k` or `tokens=200k,money=2.50,time=10min`
 * @param {number | undefined} steps
 * @returns {AgentBudget | undefined}
 */
export function budgetOf(text, steps) {
  /** @type {AgentBudget} */
  const budget = steps === undefined ? {} : { steps };
  for (const part of text?.split(',') ?? []) {
    const [name, value] = part.includes('=') ? part.split('=', 2) : ['tokens', part];
    Object.assign(budget, limitOf(String(name).trim(), String(value).trim()));
  }
  return Object.keys(budget).length === 0 ? undefined : budget;
}

/**
 * @param {string | undefined} text price of a million input and output tokens: `1.25/10`
 * @returns {import('../../index.js').AgentPrices | undefined}
 */
export function priceOf(text) {
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

/**
 * @param {string} name
 * @param {string} value
 * @returns {AgentBudget}
 */
function limitOf(name, value) {
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

/**
 * @template {object} Table
 * @param {Table} table
 * @param {string} key
 * @returns {key is Extract<keyof Table, string>}
 */
function isIn(table, key) {
  return Object.hasOwn(table, key);
}
