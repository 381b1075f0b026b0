/** The answer of a statement as JSON: its rows, or one row with the number of affected rows. */

import type { SqlAnswer } from '../adapter.js';

export function answerText({ rows, affected }: SqlAnswer): string {
  return rows ?? JSON.stringify([{ affected }]);
}

/** The answer as objects. */
export function answerRows(answer: SqlAnswer): Record<string, unknown>[] {
  return JSON.parse(answerText(answer));
}
