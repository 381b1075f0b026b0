/** Why nothing of a run was committed. */

import { SqlError } from '../boundary/errors.js';
import { saidBy } from './driver_error.js';

export function notUndone() {
  return new SqlError(
    'The database did not say that the dry run was rolled back, so its changes may have stayed. Look at the data before going on.',
    { details: { reason: 'unknown' } },
  );
}

/** @param {unknown} failure */
export function afterFailure(failure) {
  return new SqlError(
    `An earlier statement of this run failed (${saidBy(failure)}), so nothing more is executed and nothing will be committed.`,
    { details: { reason: 'failed' } },
  );
}

/** @param {unknown} failure */
export function swallowed(failure) {
  return new SqlError(
    `Nothing was committed: a statement of the run failed (${saidBy(failure)}) and the tool went on. Let the error end the tool, or avoid the failing statement.`,
    { details: { reason: 'swallowed' } },
  );
}

export function notAwaited() {
  return new SqlError(
    'Nothing was committed: the tool returned before a statement that writes was done. Await every tgp.exec_sql before returning.',
    { details: { reason: 'not_awaited' } },
  );
}

/** A nested run has failed, and what it wrote cannot be told from the rest. */
export function notUndoneAlone() {
  return new SqlError('a tool that this one called was ended, and what it wrote can only be undone with all the rest', {
    details: { reason: 'nested' },
  });
}
