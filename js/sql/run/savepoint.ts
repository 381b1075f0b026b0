/** Savepoints of nested runs, so that their writes can be rolled back separately, and around read-only statements. */

import { AbortedError } from '../../boundary/errors.js';
import type { SqlAnswer, SqlConnection, SqlLimits } from '../adapter.js';
import { settled } from '../waiting/bounded_wait.js';

/** What is done with a savepoint. */
export type SavepointAction = 'set' | 'keep' | 'undo';
/** Run ids from below the outermost run down to the caller. */
export type Nesting = readonly number[];
/** A savepoint; `isSeparate` while everything written since belongs to its run. */
type Mark = { run: number; number: number; isSeparate: boolean };
/** Executes an action on the savepoint with this number. */
export type Control = (action: SavepointAction, number: number) => Promise<unknown>;

/**
 * The statements of a savepoint action, in all dialects.
 * @param number of the savepoint
 */
export function savepointTexts(action: SavepointAction, number: number) {
  const name = `tgp_${number}`;
  if (action === 'set') return [`SAVEPOINT ${name}`];
  const release = `RELEASE SAVEPOINT ${name}`;
  return action === 'keep' ? [release] : [`ROLLBACK TO SAVEPOINT ${name}`, release];
}

export async function savepoint(connection: SqlConnection, limits: SqlLimits, action: SavepointAction, number: number) {
  if (connection.savepoint) return connection.savepoint(action, number);
  for (const sql of savepointTexts(action, number)) {
    await connection.query({ sql, values: [], access: 'read', returns: 'count' }, limits);
  }
}

/** One savepoint per nested run that has written, in order. */
export class Savepoints {
  #marks: Mark[] = [];
  #last = 0;

  has(run: number) {
    return this.#marks.some((mark) => mark.run === run);
  }

  /**
   * Prepares for a write: sets missing savepoints of the run and its parents, and marks those of other runs as mixed.
   * @param nesting of the run that writes
   */
  async prepare(nesting: Nesting, control: Control) {
    for (const mark of this.#marks) mark.isSeparate &&= nesting.includes(mark.run);
    for (const run of nesting) {
      if (this.has(run)) continue;
      this.#last += 1;
      const mark = { run, number: this.#last, isSeparate: false };
      this.#marks.push(mark);
      mark.isSeparate = (await settled(() => control('set', mark.number))) === 'done';
    }
  }

  /**
   * Ends a run: keeps its writes, or rolls them back.
   * @returns `mixed`: its writes can only be rolled back with those of other runs
   */
  async end(run: number, end: 'commit' | 'rollback', control: Control): Promise<'done' | 'mixed'> {
    const index = this.#marks.findIndex((mark) => mark.run === run);
    const mark = this.#marks[index];
    if (!mark) return 'done';
    if (!mark.isSeparate) {
      // Releasing it would also release later savepoints of other runs.
      this.#marks.splice(index, 1);
      return end === 'commit' ? 'done' : 'mixed';
    }
    // All later savepoints belong to runs nested in this one, and end with it.
    this.#marks.splice(index);
    await control(end === 'commit' ? 'keep' : 'undo', mark.number);
    return 'done';
  }
}

/**
 * Runs a read-only statement inside a read-only savepoint, so that PostgreSQL also refuses writes by the functions it calls.
 */
export async function inReadOnlySavepoint(
  connection: SqlConnection,
  run: () => Promise<SqlAnswer>,
  limits: SqlLimits,
  signal: AbortSignal,
) {
  const control = async (sql: string) => {
    await connection.query({ sql, values: [], access: 'read', returns: 'count' }, limits);
    stopIfAborted(signal);
  };
  await control('SAVEPOINT tgp_reading');
  await control('SET TRANSACTION READ ONLY');
  const answer = await run();
  stopIfAborted(signal);
  // Releasing the savepoint also ends its READ ONLY setting.
  await control('RELEASE SAVEPOINT tgp_reading');
  return answer;
}

/** Throws if the run has ended. */
export function stopIfAborted(signal: AbortSignal) {
  if (signal.aborted) throw new AbortedError('The run has ended.');
}
