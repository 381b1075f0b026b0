/** Converts the result of an application's SQL function to an answer. */

import { rowText } from './json_writer.js';
import { rowsText } from './row_collector.js';

/**
 * @param {any} answer an array of rows, or a driver's result with `rows`
 * @param {'rows' | 'count'} returns what the statement returns by its kind
 * @param {import('./adapter.js').SqlLimits} limits
 * @returns {import('./adapter.js').SqlAnswer}
 */
export function functionAnswer(answer, returns, limits) {
  const rows = rowsOf(answer);
  const count = reportedCount(answer);
  const isCount = returns === 'count' && rows.length === 0 && count !== undefined;
  return {
    // Without a reported count the answer is the rows: 0 would mean that nothing was changed.
    rows: isCount ? undefined : rowsText(rows, limits, rowText),
    affected: count ?? rows.length,
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
function reportedCount(answer) {
  const count = answer?.rowCount ?? answer?.affectedRows ?? answer?.changes;
  return typeof count === 'number' || typeof count === 'bigint' ? Number(count) : undefined;
}
