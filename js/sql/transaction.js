/** Executes all statements of a run in one transaction. */

import { AbortedError, SqlError } from '../boundary/errors.js';
import { ROLLBACK_ANSWER_MS, settled, within } from './bounded_wait.js';
import { catalogueRules } from './catalogue.js';
import { checkReach, forgetChecked, mayWrite } from './checked_reach.js';
import { asSqlError } from './driver_error.js';
import { adviceOfDatabase, adviceOnNames, adviceOnText, isAboutNames } from './error_advice.js';
import { afterFailure, notAwaited, notUndone, notUndoneAlone, swallowed } from './run_failures.js';
import { fenced, Savepoints, savepoint, stopIfAborted } from './savepoint.js';
import { SingleStatements } from './single_statements.js';
import { TableVisibility } from './table_visibility.js';

/**
 * @typedef {import('./adapter.js').TransactionalAdapter} TransactionalAdapter
 * @typedef {import('./adapter.js').SqlConnection} SqlConnection
 * @typedef {import('./adapter.js').SqlAnswer} SqlAnswer
 * @typedef {import('./adapter.js').SqlStatement} SqlStatement
 * @typedef {import('./savepoint.js').Nesting} Nesting
 * @typedef {{ nesting?: Nesting, judged?: import('./adapter.js').SqlDetail, isOnly?: boolean, openTables?: import('./table_visibility.js').OpenTables }} SqlCaller
 * the calling run, what a policy or a token inspects, whether the statement is the only one of its transaction, and which tables are
 * allowed
 * @typedef {{ sql: unknown, params: unknown, state: 'waits' | 'reads' | 'writes' | 'dropped', nesting: Nesting, judged: import('./adapter.js').SqlDetail, isOnly: boolean, visibility: TableVisibility }} PendingStatement
 */

/** A database that does not answer ROLLBACK within this time loses its connection, which also rolls back. */
const ROLLBACK_TIMEOUT_MS = 5_000;
/** Timeout of the catalogue lookup for advice on a failed statement. */
const ADVICE_TIMEOUT_MS = 3_000;

/**
 * One transaction, begun at its first statement. Statements run sequentially in order. After a failed statement nothing more is
 * executed, and nothing can be committed.
 */
export class SqlTransaction {
  #adapter;
  #rules;
  /** @type {SqlConnection | undefined} */
  #connection;
  /** @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** Waiting and running statements. @type {Set<PendingStatement>} */
  #pending = new Set();
  #savepoints = new Savepoints();
  /** Nested runs that have ended: their statements are not executed any more. @type {Set<number>} */
  #ended = new Set();
  /** Whether a statement that may write has been started. */
  #wrote = false;
  /** @type {unknown} */
  #failure;
  #abort = new AbortController();
  /** @type {'open' | 'ended'} */
  #state = 'open';
  /** Whether the database did not confirm a rollback, so changes may have been committed. */
  isRollbackUncertain = false;
  /** The last rollback, which may outlast its caller; never rejects. @type {Promise<unknown>} */
  undone = Promise.resolve();

  /**
   * @param {TransactionalAdapter} adapter
   * @param {import('./rules.js').SqlRules} rules
   */
  constructor(adapter, rules) {
    this.#adapter = adapter;
    this.#rules = rules;
  }

  /**
   * @param {unknown} sql
   * @param {unknown} [params]
   * @param {SqlCaller} [by]
   * @returns {Promise<SqlAnswer>}
   */
  execute(sql, params, { nesting = [], judged = 'nothing', isOnly = false, openTables } = {}) {
    if (this.#state === 'ended') return Promise.reject(new SqlError('The run and its transaction have ended.'));
    if (nesting.some((run) => this.#ended.has(run))) return Promise.reject(new AbortedError('The run has ended.'));
    const visibility = new TableVisibility(this.#rules, this.#adapter.dialect, openTables);
    /** @type {PendingStatement} */
    const pending = { sql, params, nesting, judged, isOnly, visibility, state: 'waits' };
    this.#pending.add(pending);
    return this.#enqueue(() => this.#attempt(pending)).finally(() => this.#pending.delete(pending));
  }

  /**
   * Ends a nested run: its writes become part of its parent's, or are rolled back separately. If that is not possible, the whole
   * run fails.
   * @param {number} run
   * @param {'commit' | 'rollback'} end
   */
  async endNested(run, end) {
    this.#ended.add(run);
    const left = [...this.#pending].filter(({ nesting }) => nesting.includes(run));
    const hasWritten = this.#savepoints.has(run);
    if (end === 'rollback') {
      // Waiting for a running statement would delay the caller, so everything is rolled back instead.
      const isWriting = left.some(({ state }) => state === 'writes' || (hasWritten && state === 'reads'));
      if (isWriting) this.#failure ??= notUndoneAlone();
      for (const pending of left) if (pending.state === 'waits') pending.state = 'dropped';
    }
    const isLeft = end === 'commit' && left.length > 0;
    if ((!isLeft && !hasWritten) || this.#failure !== undefined || this.#state === 'ended') return;
    await this.#enqueue(async () => {
      if (isLeft && !(await this.#areReads(left))) this.#failure ??= notAwaited();
      await this.#settle(run, end);
    });
  }

  /**
   * @template T
   * @param {() => Promise<T>} work to run after everything queued before
   */
  #enqueue(work) {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  /**
   * @param {number} run
   * @param {'commit' | 'rollback'} end
   */
  async #settle(run, end) {
    const connection = this.#connection;
    if (!connection || this.#failure !== undefined) return;
    try {
      const outcome = await this.#savepoints.end(run, end, this.#control(connection));
      if (outcome === 'mixed') this.#failure ??= notUndoneAlone();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /**
   * @param {SqlConnection} connection
   * @returns {import('./savepoint.js').Control}
   */
  #control(connection) {
    return (action, number) => savepoint(connection, this.#rules.options, action, number);
  }

  /**
   * Commits everything or nothing: rejects when any statement failed or the database did not commit. A writing statement that the
   * tool did not await rolls everything back, because what would have followed is unknown. Pending reads are cancelled if nothing
   * was written.
   */
  async commit() {
    this.#state = 'ended';
    if (this.#pending.size > 0 && this.#failure === undefined) {
      const reads = await this.#areReads([...this.#pending]);
      if (!reads || !this.#wrote) await this.rollback();
      if (!reads) throw notAwaited();
      if (!this.#wrote) return;
    }
    await this.#queue;
    const connection = this.#connection;
    if (this.#failure !== undefined) {
      await this.#undo();
      throw swallowed(this.#failure);
    }
    if (!connection) return;
    if (this.#rules.options.dryRun) {
      if ((await this.#undo()) === 'failed') throw notUndone();
      return;
    }
    try {
      await connection.commit();
    } catch (error) {
      await within(this.#undo(), ROLLBACK_ANSWER_MS);
      throw asSqlError(error, 'The transaction was not committed');
    }
    this.#connection = undefined;
    await settled(() => connection.release('clean'));
  }

  /** Rolls everything back; a running statement is cancelled in the database. Never rejects. */
  async rollback() {
    this.#state = 'ended';
    this.#failure ??= new AbortedError('The run has ended.');
    this.#abort.abort();
    await settled(() => this.#connection?.cancel());
    await within(this.#queue, ROLLBACK_TIMEOUT_MS);
    await this.#undo();
  }

  /** @param {PendingStatement} pending */
  async #attempt(pending) {
    const { nesting } = pending;
    if (isDropped(pending)) throw new AbortedError('The run has ended.');
    if (this.#failure !== undefined) throw afterFailure(this.#failure);
    try {
      const judged = await this.#judge(pending);
      stopIfAborted(this.#abort.signal);
      if (isDropped(pending)) throw new AbortedError('The run has ended.');
      const { options } = this.#rules;
      const reads = judged.access === 'read';
      // A statement that only reads by its text may call a function that writes; in PostgreSQL even implicitly.
      const isKept = judged.fenced || options.readOnly || isSqlite(this.#adapter);
      const callsNothing = isKept || judged.reach?.calls.length === 0;
      const isSure = isKept || (callsNothing && this.#adapter.dialect !== 'postgres');
      const isUnknown = reads && !isSure && (nesting.length > 0 || options.dryRun);
      if (!isUnknown) pending.state = reads ? 'reads' : 'writes';
      if (!reads || !callsNothing) this.#wrote = true;
      const fence = await this.#open(judged, pending.isOnly);
      const connection = this.#connection;
      stopIfAborted(this.#abort.signal);
      if (!connection) throw new AbortedError('The run has ended.');
      if (isUnknown) {
        const writes = await mayWrite(connection, judged, options, this.#adapter);
        stopIfAborted(this.#abort.signal);
        if (isDropped(pending)) throw new AbortedError('The run has ended.');
        pending.state = writes ? 'writes' : 'reads';
        if (writes) this.#wrote = true;
      }
      if (pending.state === 'writes') await this.#savepoints.prepare(nesting, this.#control(connection));
      stopIfAborted(this.#abort.signal);
      const run = async () => {
        await this.#check(connection, judged, fence !== 'open', pending.visibility);
        const answer = await connection.query(judged, options);
        return { ...answer, mayWrite: pending.state === 'writes' };
      };
      return await (fence === 'fence' ? fenced(connection, run, options, this.#abort.signal) : run());
    } catch (error) {
      if (isDropped(pending)) throw error;
      this.#failure ??= error;
      const failure = asSqlError(error, 'The statement failed');
      const advised = await this.#advised(failure, pending);
      throw advised === failure ? adviceOfDatabase(failure, error) : advised;
    }
  }

  /** @param {PendingStatement} pending */
  #judge({ sql, params, judged }) {
    return this.#rules.judge(sql, params, this.#adapter.dialect, judged);
  }

  /** @param {PendingStatement[]} pending */
  async #areReads(pending) {
    return (await Promise.all(pending.map((each) => this.#isRead(each)))).every(Boolean);
  }

  /** @param {PendingStatement} pending */
  async #isRead(pending) {
    try {
      return (await this.#judge(pending)).access === 'read';
    } catch {
      return false;
    }
  }

  /**
   * Begins the transaction, if it has not begun.
   * @param {SqlStatement} statement
   * @param {boolean} isOnly
   * @returns {Promise<'open' | 'closed' | 'fence'>} whether the database lets the statement write ('open') or not, or needs a read-only savepoint
   */
  async #open(statement, isOnly) {
    const { dialect, endsElsewhere, beginsReadOnly } = this.#adapter;
    const { readOnly } = this.#rules.options;
    const isKept = (dialect === 'postgres' || beginsReadOnly === true) && !endsElsewhere;
    const isReading = isOnly && statement.fenced === true && isKept && !this.#connection;
    if (!this.#connection) await this.#begin(statement, readOnly || isReading);
    if (readOnly || isReading) return 'closed';
    return statement.fenced === true && dialect === 'postgres' ? 'fence' : 'open';
  }

  /**
   * Verifies in the database that a statement accesses only what the parser found.
   * @param {SqlConnection} connection
   * @param {SqlStatement} statement
   * @param {boolean} isFenced
   * @param {TableVisibility} visibility
   */
  async #check(connection, statement, isFenced, visibility) {
    if (statement.access === 'schema') forgetChecked(this.#adapter);
    await checkReach(connection, statement, this.#rules.options, this.#adapter, isFenced, visibility);
    stopIfAborted(this.#abort.signal);
  }

  /**
   * @param {Error} failure
   * @param {PendingStatement} pending
   */
  async #advised(failure, { sql, visibility }) {
    const { dialect, once } = this.#adapter;
    const isCatalogue = this.#rules === catalogueRules();
    if (dialect === 'any' || isCatalogue || this.#abort.signal.aborted || !isAboutNames(failure)) {
      return adviceOnText(failure, sql);
    }
    // Nothing can be committed any more, PostgreSQL accepts no further statements, and this may be the only connection.
    await this.#undo();
    const asking = once
      ? new SingleStatements({ dialect, once }, catalogueRules())
      : new SqlTransaction(this.#adapter, catalogueRules());
    const ask = async (/** @type {string} */ question) => JSON.parse((await asking.execute(question)).rows ?? '[]');
    const advised = adviceOnNames(failure, sql, { dialect, ask, visibility }).catch(() => failure);
    const outcome = await within(advised, ADVICE_TIMEOUT_MS);
    await asking.rollback();
    return outcome === 'late' ? failure : outcome;
  }

  /**
   * @param {SqlStatement} first
   * @param {boolean} readOnly
   */
  async #begin({ access, sql }, readOnly) {
    const limits = { ...this.#rules.options, readOnly };
    const need = { access, limits, firstSql: sql, signal: this.#abort.signal };
    const connection = await this.#adapter.connect(need);
    if (this.#abort.signal.aborted) {
      // The run was aborted while it waited for the connection.
      await settled(() => connection.release('clean'));
      throw new AbortedError('The run has ended.');
    }
    this.#connection = connection;
    await connection.begin(need);
  }

  async #undo() {
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    const undone = this.#rolledBack(connection);
    this.undone = undone;
    return undone;
  }

  /** @param {SqlConnection} connection */
  async #rolledBack(connection) {
    const outcome = await within(
      settled(() => connection.rollback()),
      ROLLBACK_TIMEOUT_MS,
    );
    if (outcome === 'failed') this.isRollbackUncertain = true;
    await settled(() => connection.release(outcome === 'done' ? 'clean' : 'broken'));
    return outcome;
  }
}

/**
 * Evaluated at each call, because a waiting statement may be dropped at any time.
 * @param {PendingStatement} pending
 */
function isDropped({ state }) {
  return state === 'dropped';
}

/** @param {import('./adapter.js').SqlAdapter} adapter */
function isSqlite({ dialect }) {
  return dialect === 'sqlite';
}
