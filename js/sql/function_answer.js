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
  const told = toldCount(answer);
  const isCount = returns === 'count' && rows.length === 0 && told !== undefined;
  return {
    // Without a count there is none to tell: 0 would say that nothing was changed.
    rows: isCount ? undefined : rowsText(rows, limits, rowText),
    affected: told ?? rows.length,
  };
}

/**
 * @param {any} answer
 * @returns {unknown[]}
 */
function rowsOf(answer) {
  if (Array.isArray(answer)) return answer;
  return Array.isArray(answer?.rows) ? answer.rows : [];
}

/**
 * @param {any} answer
 * @returns {number | undefined}
 */
function toldCount(answer) {
  const told = answer?.rowCount ?? answer?.affectedRows ?? answer?.changes;
  return typeof told === 'number' || typeof told === 'bigint' ? Number(told) : undefined;
}
