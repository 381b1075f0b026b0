/** Errors for runs whose transaction was not committed. */

import { SqlError } from '../../boundary/errors.js';
import { messageText } from '../driver_error.js';

/** A dry run whose rollback was not confirmed. */
export function notUndone() {
  return new SqlError(
    'The database did not confirm that the dry run was rolled back, so its changes may have been committed. Check the data before continuing.',
    { details: { reason: 'unknown' } },
  );
}

/** A statement after a failed one. */
export function afterFailure(failure: unknown) {
  if (isOfRun(failure)) return failure;
  return new SqlError(
    `An earlier statement of this run failed (${messageText(failure)}), so nothing more is executed and nothing will be committed.`,
    { details: { reason: 'failed' } },
  );
}

/** A run that continued after a failed statement. */
export function swallowed(failure: unknown) {
  if (isOfRun(failure)) return failure;
  return new SqlError(
    `Nothing was committed: a statement of the run failed (${messageText(failure)}) and the tool continued. Let the error end the tool, or avoid the failing statement.`,
    { details: { reason: 'swallowed' } },
  );
}

/** A run that ended before its writes. */
export function notAwaited() {
  return new SqlError(
    'Nothing was committed: the tool returned before a writing statement had finished. Await every tgp.exec_sql before returning.',
    { details: { reason: 'not_awaited' } },
  );
}

/** A nested run whose writes are mixed with those of others. */
export function notUndoneAlone() {
  return new SqlError(
    'The run was rolled back: a nested tool failed while other tools of the run were writing, so its writes could not be rolled back separately. Await each nested tool that writes before the next write.',
    { details: { reason: 'nested' } },
  );
}

/** Whether a failure already explains why the run was not committed. */
function isOfRun(failure: unknown): boolean {
  return failure instanceof SqlError && OF_RUN.has(failure.details?.reason);
}

const OF_RUN = new Set<unknown>(['nested', 'not_awaited']);
