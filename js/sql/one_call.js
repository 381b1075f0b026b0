/** A statement as one call of a function of the application, and nothing else: a pool or an HTTP driver may be behind it. */

import { SqlError } from '../boundary/errors.js';
import { functionAnswer } from './function_answer.js';
import { beforeDeadline } from './statement_deadline.js';

/** Calls that were given up and have not been answered yet; beyond them nothing more is called. */
const MAX_UNANSWERED = 100;

/**
 * @param {import('../../index.js').SqlExecutor} run
 * @returns {NonNullable<import('./adapter.js').SqlAdapter['once']>}
 */
export function oneCall(run) {
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

/** @param {number} ms */
function mayStillHappen(ms) {
  return new SqlError(
    `The statement timed out after ${ms} ms. It cannot be stopped and may still take effect: look at the data before sending it again.`,
    { details: { reason: 'timeout' } },
  );
}

function noAnswers() {
  return new SqlError(
    `The database has not answered ${MAX_UNANSWERED} earlier statements that timed out. Try again when it answers.`,
    { details: { reason: 'busy' } },
  );
}
