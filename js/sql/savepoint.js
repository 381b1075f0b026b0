/**
 * Savepoints of nested runs, so that their writes can be rolled back separately, and around read-only statements.
 *
 * @typedef {'set' | 'keep' | 'undo'} SavepointAction
 * @typedef {import('./adapter.js').SqlConnection} SqlConnection
 * @typedef {readonly number[]} Nesting run ids from below the outermost run down to the caller
 * @typedef {{ run: number, number: number, isSeparate: boolean }} Mark a savepoint; `isSeparate` while everything written
 * since belongs to its run
 * @typedef {(action: SavepointAction, number: number) => Promise<unknown>} Control
 */

import { AbortedError } from '../boundary/errors.js';
import { settled } from './bounded_wait.js';

/**
 * The statements of a savepoint action, in all dialects.
 * @param {SavepointAction} action
 * @param {number} number of the savepoint
 */
export function savepointTexts(action, number) {
  const name = `tgp_${number}`;
  if (action === 'set') return [`SAVEPOINT ${name}`];
  const release = `RELEASE SAVEPOINT ${name}`;
  return action === 'keep' ? [release] : [`ROLLBACK TO SAVEPOINT ${name}`, release];
}

/**
 * @param {SqlConnection} connection
 * @param {import('./adapter.js').SqlLimits} limits
 * @param {SavepointAction} action
 * @param {number} number
 */
export async function savepoint(connection, limits, action, number) {
  if (connection.savepoint) return connection.savepoint(action, number);
  for (const sql of savepointTexts(action, number)) {
    await connection.query({ sql, values: [], access: 'read', returns: 'count' }, limits);
  }
}

/** One savepoint per nested run that has written, in order. */
export class Savepoints {
  /** @type {Mark[]} */
  #marks = [];
  #last = 0;

  /** @param {number} run */
  has(run) {
    return this.#marks.some((mark) => mark.run === run);
  }

  /**
   * Prepares for a write: sets missing savepoints of the run and its parents, and marks those of other runs as mixed.
   * @param {Nesting} nesting of the run that writes
   * @param {Control} control
   */
  async prepare(nesting, control) {
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
   * @param {number} run
   * @param {'commit' | 'rollback'} end
   * @param {Control} control
   * @returns {Promise<'done' | 'mixed'>} `mixed`: its writes can only be rolled back with those of other runs
   */
  async end(run, end, control) {
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
 * @param {SqlConnection} connection
 * @param {() => Promise<import('./adapter.js').SqlAnswer>} run
 * @param {import('./adapter.js').SqlLimits} limits
 * @param {AbortSignal} signal
 */
export async function fenced(connection, run, limits, signal) {
  /** @param {string} sql */
  const control = async (sql) => {
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

/** @param {AbortSignal} signal */
export function stopIfAborted(signal) {
  if (signal.aborted) throw new AbortedError('The run has ended.');
}
