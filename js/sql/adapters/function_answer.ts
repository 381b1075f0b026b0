/** Converts the result of an application's SQL function to an answer. */

import type { SqlAnswer, SqlLimits } from '../adapter.js';
import { rowText } from '../rows/json_writer.js';
import { rowsText } from '../rows/row_collector.js';

/** The result of a driver: rows, and the number of affected rows by its different names. */
type DriverResult = { rows?: unknown; rowCount?: unknown; affectedRows?: unknown; changes?: unknown };

/**
 * @param answer an array of rows, or a driver's result with `rows`
 * @param returns what the statement returns by its kind
 */
export function functionAnswer(answer: unknown, returns: 'rows' | 'count', limits: SqlLimits): SqlAnswer {
  const result = answer as DriverResult | null | undefined;
  const rows = rowsOf(result);
  const count = reportedCount(result);
  const isCount = returns === 'count' && rows.length === 0 && count !== undefined;
  return {
    // Without a reported count the answer is the rows: 0 would mean that nothing was changed.
    rows: isCount ? undefined : rowsText(rows, limits, rowText),
    affected: count ?? rows.length,
  };
}

function rowsOf(answer: DriverResult | null | undefined): unknown[] {
  if (Array.isArray(answer)) return answer;
  return Array.isArray(answer?.rows) ? answer.rows : [];
}

function reportedCount(answer: DriverResult | null | undefined): number | undefined {
  const count = answer?.rowCount ?? answer?.affectedRows ?? answer?.changes;
  return typeof count === 'number' || typeof count === 'bigint' ? Number(count) : undefined;
}
