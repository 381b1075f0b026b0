/** What a function of the application returns for a statement. */

import { rowText } from './json_writer.js';
import { rowsText } from './row_collector.js';

/**
 * @param {any} answer an array of rows, or a driver's result with `rows`
 * @param {'rows' | 'count'} returns what the statement gives by nature
 * @param {import('./adapter.js').SqlLimits} limits
 * @returns {import('./adapter.js').SqlAnswer}
 */
export function functionAnswer(answer, returns, limits) {
  const rows = rowsOf(answer);
  const empty = returns === 'count' && rows?.length === 0;
  return {
    rows: rows && !empty ? rowsText(rows, limits, rowText) : undefined,
    affected: affectedBy(answer, rows),
  };
}

/**
 * @param {any} answer
 * @returns {unknown[] | undefined}
 */
function rowsOf(answer) {
  if (Array.isArray(answer)) return answer;
  return Array.isArray(answer?.rows) ? answer.rows : undefined;
}

/**
 * @param {any} answer
 * @param {unknown[] | undefined} rows
 */
function affectedBy(answer, rows) {
  const told = answer?.rowCount ?? answer?.affectedRows ?? answer?.changes;
  return typeof told === 'number' || typeof told === 'bigint' ? Number(told) : (rows?.length ?? 0);
}
