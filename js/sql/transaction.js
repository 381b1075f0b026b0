import { AbortedError, SqlError } from '../boundary/errors.js';
import { adviceOfDatabase, adviceOnNames, adviceOnText, asksForNames } from './advice.js';
import { catalogueRules } from './catalogue.js';
import { checkReach, forgetChecked, mayWrite } from './checked_reach.js';
import { asSqlError } from './driver_error.js';
import { afterFailure, notAwaited, notUndone, notUndoneAlone, swallowed } from './run_failures.js';
import { fenced, Savepoints, savepoint, stopIfAborted } from './savepoint.js';
import { SingleStatements } from './single_statements.js';
import { TableSight } from './table_sight.js';
import { ROLLBACK_ANSWER_MS, settled, within } from './waits.js';

/**
 * @typedef {import('./adapter.js').TransactionalAdapter} TransactionalAdapter
 * @typedef {import('./adapter.js').SqlConnection} SqlConnection
 * @typedef {import('./adapter.js').SqlAnswer} SqlAnswer
 * @typedef {import('./adapter.js').SqlStatement} SqlStatement
 * @typedef {import('./savepoint.js').Nesting} Nesting
 * @typedef {{ nesting?: Nesting, judged?: import('./adapter.js').SqlDetail, isOnly?: boolean, openTables?: import('./table_sight.js').OpenTables }} SqlAsker
 * which run asks, what a policy or a token looks at, whether the statement is the only one of its transaction, and which tables
 * are open
 * @typedef {{ sql: unknown, params: unknown, state: 'waits' | 'reads' | 'writes' | 'dropped', nesting: Nesting, judged: import('./adapter.js').SqlDetail, isOnly: boolean, sight: TableSight }} Asked
 */

/** A database that does not answer to ROLLBACK within this time loses its connection, which rolls back as well. */
const ROLLBACK_MS = 5_000;
/** What is not known by then about the names in a statement that failed is not waited for. */
const ADVICE_MS = 3_000;

/**
 * One transaction, begun at its first statement. Statements run one after the other in the order in which they were
 * asked for; after one that failed nothing is executed any more, and nothing can be committed.
 */
export class SqlTransaction {
  #adapter;
  #rules;
  /** @type {SqlConnection | undefined} */
  #connection;
  /** @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** Statements that wait or are under way. @type {Set<Asked>} */
  #asked = new Set();
  #savepoints = new Savepoints();
  /** Nested runs that are over: nothing of them is executed any more. @type {Set<number>} */
  #ended = new Set();
  /** Whether a statement has been begun that may write. */
  #wrote = false;
  /** @type {unknown} */
  #failure;
  #abort = new AbortController();
  /** @type {'open' | 'ended'} */
  #state = 'open';
  /** Whether the database did not confirm a rollback: something may have stayed. */
  isRollbackUncertain = false;
  /** The last rollback, which goes on when it takes long; never rejects. @type {Promise<unknown>} */
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
   * @param {SqlAsker} [by]
   * @returns {Promise<SqlAnswer>}
   */
  execute(sql, params, { nesting = [], judged = 'nothing', isOnly = false, openTables } = {}) {
    if (this.#state === 'ended') return Promise.reject(new SqlError('The run is over, and its transaction with it.'));
    if (nesting.some((run) => this.#ended.has(run))) return Promise.reject(new AbortedError('The run has ended.'));
    const sight = new TableSight(this.#rules, this.#adapter.dialect, openTables);
    /** @type {Asked} */
    const asked = { sql, params, nesting, judged, isOnly, sight, state: 'waits' };
    this.#asked.add(asked);
    return this.#enqueue(() => this.#attempt(asked)).finally(() => this.#asked.delete(asked));
  }

  /**
   * Ends a run below the outermost one: what it and the runs below it wrote stays with the rest, or is rolled back separately.
   * Where that is not possible, the whole run fails.
   * @param {number} run
   * @param {'commit' | 'rollback'} end
   */
  async endNested(run, end) {
    this.#ended.add(run);
    const left = [...this.#asked].filter(({ nesting }) => nesting.includes(run));
    const hasWritten = this.#savepoints.has(run);
    if (end === 'rollback') {
      // Waiting for a statement under way would delay the caller: everything is rolled back instead.
      const isWriting = left.some(({ state }) => state === 'writes' || (hasWritten && state === 'reads'));
      if (isWriting) this.#failure ??= notUndoneAlone();
      for (const asked of left) if (asked.state === 'waits') asked.state = 'dropped';
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
   * @param {() => Promise<T>} work that is done behind everything that was asked for before
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
   * Makes everything last, or nothing: rejects when any statement failed or the database did not commit. A statement that
   * writes and was not waited for is rolled back with all others, because what would have come after it is unknown. Those that
   * read are stopped, where that undoes nothing.
   */
  async commit() {
    this.#state = 'ended';
    if (this.#asked.size > 0 && this.#failure === undefined) {
      const reads = await this.#areReads([...this.#asked]);
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

  /** Undoes everything; a statement under way is stopped in the database. Never rejects. */
  async rollback() {
    this.#state = 'ended';
    this.#failure ??= new AbortedError('The run has ended.');
    this.#abort.abort();
    await settled(() => this.#connection?.cancel());
    await within(this.#queue, ROLLBACK_MS);
    await this.#undo();
  }

  /** @param {Asked} asked */
  async #attempt(asked) {
    const { nesting } = asked;
    if (isDropped(asked)) throw new AbortedError('The run has ended.');
    if (this.#failure !== undefined) throw afterFailure(this.#failure);
    try {
      const judged = await this.#judge(asked);
      stopIfAborted(this.#abort.signal);
      if (isDropped(asked)) throw new AbortedError('The run has ended.');
      const { options } = this.#rules;
      const reads = judged.access === 'read';
      // A function may write in a statement that reads by its text; in PostgreSQL also one that is not named there.
      const isKept = judged.fenced || options.readOnly || isSqlite(this.#adapter);
      const callsNothing = isKept || judged.reach?.calls.length === 0;
      const isSure = isKept || (callsNothing && this.#adapter.dialect !== 'postgres');
      const isUnknown = reads && !isSure && (nesting.length > 0 || options.dryRun);
      if (!isUnknown) asked.state = reads ? 'reads' : 'writes';
      if (!reads || !callsNothing) this.#wrote = true;
      const fence = await this.#open(judged, asked.isOnly);
      const connection = this.#connection;
      stopIfAborted(this.#abort.signal);
      if (!connection) throw new AbortedError('The run has ended.');
      if (isUnknown) {
        const writes = await mayWrite(connection, judged, options, this.#adapter);
        stopIfAborted(this.#abort.signal);
        if (isDropped(asked)) throw new AbortedError('The run has ended.');
        asked.state = writes ? 'writes' : 'reads';
        if (writes) this.#wrote = true;
      }
      if (asked.state === 'writes') await this.#savepoints.prepare(nesting, this.#control(connection));
      stopIfAborted(this.#abort.signal);
      const run = async () => {
        await this.#check(connection, judged, fence !== 'open', asked.sight);
        const answer = await connection.query(judged, options);
        return { ...answer, mayWrite: asked.state === 'writes' };
      };
      return await (fence === 'fence' ? fenced(connection, run, options, this.#abort.signal) : run());
    } catch (error) {
      if (isDropped(asked)) throw error;
      this.#failure ??= error;
      const failure = asSqlError(error, 'The statement failed');
      const advised = await this.#advised(failure, asked);
      throw advised === failure ? adviceOfDatabase(failure, error) : advised;
    }
  }

  /** @param {Asked} asked */
  #judge({ sql, params, judged }) {
    return this.#rules.judge(sql, params, this.#adapter.dialect, judged);
  }

  /** @param {Asked[]} asked */
  async #areReads(asked) {
    return (await Promise.all(asked.map((each) => this.#isRead(each)))).every(Boolean);
  }

  /** @param {Asked} asked */
  async #isRead(asked) {
    try {
      return (await this.#judge(asked)).access === 'read';
    } catch {
      return false;
    }
  }

  /**
   * Begins the transaction where there is none yet.
   * @param {SqlStatement} statement
   * @param {boolean} isOnly
   * @returns {Promise<'open' | 'closed' | 'fence'>} whether the database lets the statement write, or must be kept from it
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
   * Asks the database whether a statement is what it was read as.
   * @param {SqlConnection} connection
   * @param {SqlStatement} statement
   * @param {boolean} isFenced
   * @param {TableSight} sight
   */
  async #check(connection, statement, isFenced, sight) {
    if (statement.access === 'schema') forgetChecked(this.#adapter);
    await checkReach(connection, statement, this.#rules.options, this.#adapter, isFenced, sight);
    stopIfAborted(this.#abort.signal);
  }

  /**
   * @param {Error} failure
   * @param {Asked} asked
   */
  async #advised(failure, { sql, sight }) {
    const { dialect, once } = this.#adapter;
    const isCatalogue = this.#rules === catalogueRules();
    if (dialect === 'any' || isCatalogue || this.#abort.signal.aborted || !asksForNames(failure)) {
      return adviceOnText(failure, sql);
    }
    // Nothing will be committed any more, and PostgreSQL answers to nothing else; what is held may be the only connection.
    await this.#undo();
    const asking = once
      ? new SingleStatements({ dialect, once }, catalogueRules())
      : new SqlTransaction(this.#adapter, catalogueRules());
    const ask = async (/** @type {string} */ question) => JSON.parse((await asking.execute(question)).rows ?? '[]');
    const advised = adviceOnNames(failure, sql, { dialect, ask, sight }).catch(() => failure);
    const outcome = await within(advised, ADVICE_MS);
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
      // It came too late for a run that has been given up meanwhile.
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
      ROLLBACK_MS,
    );
    if (outcome === 'failed') this.isRollbackUncertain = true;
    await settled(() => connection.release(outcome === 'done' ? 'clean' : 'broken'));
    return outcome;
  }
}

/**
 * Read anew at each call: a statement is dropped while it waits.
 * @param {Asked} asked
 */
function isDropped({ state }) {
  return state === 'dropped';
}

/** @param {import('./adapter.js').SqlAdapter} adapter */
function isSqlite({ dialect }) {
  return dialect === 'sqlite';
}
