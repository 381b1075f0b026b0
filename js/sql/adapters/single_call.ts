/** Executes each statement as a single call of an application function, without transactions. */

import { SqlError } from '../../boundary/errors.js';
import type { SqlExecutor } from '../../types/sql.js';
import type { DatabaseAdapter } from '../adapter.js';
import { beforeDeadline } from '../waiting/statement_deadline.js';
import { functionAnswer } from './function_answer.js';

/** Maximum number of timed-out calls without an answer; then further calls are refused. */
const MAX_UNANSWERED = 100;

export function singleCall(run: SqlExecutor): NonNullable<DatabaseAdapter['once']> {
  let unanswered = 0;
  return async ({ sql, values, returns }, limits) => {
    if (unanswered >= MAX_UNANSWERED) throw noAnswers();
    const work = (async () => run(sql, values))();
    const giveUp = () => {
      unanswered += 1;
      const end = () => {
        unanswered -= 1;
      };
      work.then(end, end);
    };
    const answer = await beforeDeadline(work, limits.statementTimeoutMs, giveUp, mayStillHappen);
    return functionAnswer(answer, returns, limits);
  };
}

function mayStillHappen(ms: number) {
  return new SqlError(
    `The statement timed out after ${ms} ms. It cannot be stopped and may still take effect: check the data before retrying.`,
    { details: { reason: 'timeout' } },
  );
}

function noAnswers() {
  return new SqlError(
    `The database has not answered ${MAX_UNANSWERED} earlier statements that timed out. Retry when it responds.`,
    { details: { reason: 'busy' } },
  );
}
