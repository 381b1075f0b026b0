/** The outcome of code in a comparable form. */

import { isDeepStrictEqual } from 'node:util';

/**
 * @typedef {{ name: string, code: string, expected?: unknown, error?: string, file?: string }} Case
 * @typedef {{ value: unknown } | { error: string, message?: string }} Outcome the class of an error, and what it said
 */

/**
 * Whether two outcomes are equal. Error messages may differ.
 * @param {Outcome} actual
 * @param {Outcome} expected
 */
export function sameOutcome(actual, expected) {
  if ('error' in actual || 'error' in expected) {
    return 'error' in actual && 'error' in expected && actual.error === expected.error;
  }
  return isDeepStrictEqual(actual.value, expected.value);
}

/**
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function asTable(head, rows) {
  const cell = (/** @type {string[]} */ row, /** @type {number} */ column) => row[column] ?? '';
  const sums = head.map((_, column) =>
    column === 0 ? 'all' : `${rows.reduce((sum, row) => sum + Number(cell(row, column)), 0)}`,
  );
  const lines = [head, ...rows, sums];
  const width = (/** @type {number} */ column) => Math.max(...lines.map((line) => cell(line, column).length));
  const shown = (/** @type {string[]} */ line) =>
    line.map((text, column) => (column === 0 ? text.padEnd(width(0)) : text.padStart(width(column)))).join('  ');
  return lines.map(shown).join('\n');
}
