/** Executes all statements of a run in one transaction. */

import { AbortedError, SqlError } from '../../boundary/errors.js';
import type { SqlAnswer, SqlConnection, SqlDetail, SqlStatement, TransactionalAdapter } from '../adapter.js';
import { adviceOfDatabase, adviceOnNames, adviceOnText, isAboutNames } from '../advice/error_advice.js';
import { catalogueRules } from '../catalogue/catalogue.js';
import type { OpenTables } from '../catalogue/table_visibility.js';
import { TableVisibility } from '../catalogue/table_visibility.js';
import { DIALECTS, knownDialect } from '../dialects.js';
import { asSqlError } from '../driver_error.js';
import { checkReach, forgetChecked, mayWrite } from '../reach/checked_reach.js';
import type { SqlRules } from '../rules.js';
import { ROLLBACK_ANSWER_MS, settled, within } from '../waiting/bounded_wait.js';
import { afterFailure, notAwaited, notUndone, notUndoneAlone, swallowed } from './run_failures.js';
import type { Control, Nesting } from './savepoint.js';
import { inReadOnlySavepoint, Savepoints, savepoint, stopIfAborted } from './savepoint.js';
import { SingleStatements } from './single_statements.js';

/** The caller of a statement, and how the statement is checked. */
export type SqlCaller = {
  /** The calling run. */
  nesting?: Nesting;
  /** What a policy or a token inspects. */
  judged?: SqlDetail;
  /** Whether the statement is the only one of its transaction. */
  isOnly?: boolean;
  /** Which tables are allowed. */
  openTables?: OpenTables;
};

type PendingStatement = {
  sql: unknown;
  params: unknown;
  state: 'waits' | 'reads' | 'writes' | 'dropped';
  nesting: Nesting;
  judged: SqlDetail;
  isOnly: boolean;
  visibility: TableVisibility;
};

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
  #connection: SqlConnection | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** Waiting and running statements. */
  #pending = new Set<PendingStatement>();
  #savepoints = new Savepoints();
  /** Nested runs that have ended: their statements are not executed any more. */
  #ended = new Set<number>();
  /** Whether a statement that may write has been started. */
  #wrote = false;
  #failure: unknown;
  #abort = new AbortController();
  #state: 'open' | 'ended' = 'open';
  /** Whether the database did not confirm a rollback, so changes may have been committed. */
  isRollbackUncertain = false;
  /** The last rollback, which may outlast its caller; never rejects. */
  undone: Promise<unknown> = Promise.resolve();

  constructor(adapter: TransactionalAdapter, rules: SqlRules) {
    this.#adapter = adapter;
    this.#rules = rules;
  }

  execute(
    sql: unknown,
    params?: unknown,
    { nesting = [], judged = 'nothing', isOnly = false, openTables }: SqlCaller = {},
  ): Promise<SqlAnswer> {
    if (this.#state === 'ended') return Promise.reject(new SqlError('The run and its transaction have ended.'));
    if (nesting.some((run) => this.#ended.has(run))) return Promise.reject(new AbortedError('The run has ended.'));
    const visibility = new TableVisibility(this.#rules, this.#adapter.dialect, openTables);
    const pending: PendingStatement = { sql, params, nesting, judged, isOnly, visibility, state: 'waits' };
    this.#pending.add(pending);
    return this.#enqueue(() => this.#attempt(pending)).finally(() => this.#pending.delete(pending));
  }

  /**
   * Ends a nested run: its writes become part of its parent's, or are rolled back separately. If that is not possible, the whole
   * run fails.
   */
  async endNested(run: number, end: 'commit' | 'rollback') {
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

  /** @param work to run after everything queued before */
  #enqueue<T>(work: () => Promise<T>) {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #settle(run: number, end: 'commit' | 'rollback') {
    const connection = this.#connection;
    if (!connection || this.#failure !== undefined) return;
    try {
      const outcome = await this.#savepoints.end(run, end, this.#control(connection));
      if (outcome === 'mixed') this.#failure ??= notUndoneAlone();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #control(connection: SqlConnection): Control {
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

  async #attempt(pending: PendingStatement) {
    const { nesting } = pending;
    if (isDropped(pending)) throw new AbortedError('The run has ended.');
    if (this.#failure !== undefined) throw afterFailure(this.#failure);
    try {
      const judged = await this.#judge(pending);
      stopIfAborted(this.#abort.signal);
      if (isDropped(pending)) throw new AbortedError('The run has ended.');
      const { options } = this.#rules;
      const reads = judged.access === 'read';
      // A statement that only reads by its text may call a function that writes, in some dialects implicitly.
      const { userFunctions } = DIALECTS[this.#adapter.dialect];
      const isKept = judged.enforceReadOnly || options.readOnly || userFunctions === 'none';
      const callsNothing = isKept || judged.reach?.calls.length === 0;
      const isSure = isKept || (callsNothing && userFunctions !== 'implicit');
      const isUnknown = reads && !isSure && (nesting.length > 0 || options.dryRun);
      if (!isUnknown) pending.state = reads ? 'reads' : 'writes';
      if (!reads || !callsNothing) this.#wrote = true;
      const opened = await this.#open(judged, pending.isOnly);
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
        await this.#check(connection, judged, opened !== 'open', pending.visibility);
        const answer = await connection.query(judged, options);
        return { ...answer, mayWrite: pending.state === 'writes' };
      };
      return await (opened === 'savepoint' ? inReadOnlySavepoint(connection, run, options, this.#abort.signal) : run());
    } catch (error) {
      if (isDropped(pending)) throw error;
      this.#failure ??= error;
      const failure = asSqlError(error, 'The statement failed');
      const advised = await this.#advised(failure, pending);
      throw advised === failure ? adviceOfDatabase(failure, error) : advised;
    }
  }

  #judge({ sql, params, judged }: PendingStatement) {
    return this.#rules.judge(sql, params, this.#adapter.dialect, judged);
  }

  async #areReads(pending: PendingStatement[]) {
    return (await Promise.all(pending.map((each) => this.#isRead(each)))).every(Boolean);
  }

  async #isRead(pending: PendingStatement) {
    try {
      return (await this.#judge(pending)).access === 'read';
    } catch {
      return false;
    }
  }

  /**
   * Begins the transaction, if it has not begun.
   * @returns whether the database lets the statement write ('open') or not, or needs a read-only savepoint
   */
  async #open(statement: SqlStatement, isOnly: boolean): Promise<'open' | 'closed' | 'savepoint'> {
    const { dialect, endsElsewhere, beginsReadOnly } = this.#adapter;
    const { readOnly } = this.#rules.options;
    const { setsReadOnly } = DIALECTS[dialect];
    const isKept = (setsReadOnly || beginsReadOnly === true) && !endsElsewhere;
    const isReading = isOnly && statement.enforceReadOnly === true && isKept && !this.#connection;
    if (!this.#connection) await this.#begin(statement, readOnly || isReading);
    if (readOnly || isReading) return 'closed';
    return statement.enforceReadOnly === true && setsReadOnly ? 'savepoint' : 'open';
  }

  /** Verifies in the database that a statement accesses only what the parser found. */
  async #check(connection: SqlConnection, statement: SqlStatement, isReadOnly: boolean, visibility: TableVisibility) {
    if (statement.access === 'schema') forgetChecked(this.#adapter);
    await checkReach(connection, statement, this.#rules.options, this.#adapter, isReadOnly, visibility);
    stopIfAborted(this.#abort.signal);
  }

  async #advised(failure: Error, { sql, visibility }: PendingStatement) {
    const { dialect, once } = this.#adapter;
    const isCatalogue = this.#rules === catalogueRules();
    const known = knownDialect(dialect);
    if (!known || isCatalogue || this.#abort.signal.aborted || !isAboutNames(failure)) {
      return adviceOnText(failure, sql);
    }
    // Nothing can be committed any more, PostgreSQL accepts no further statements, and this may be the only connection.
    await this.#undo();
    const asking = once
      ? new SingleStatements({ dialect, once }, catalogueRules())
      : new SqlTransaction(this.#adapter, catalogueRules());
    const ask = async <Row>(question: string): Promise<Row[]> =>
      JSON.parse((await asking.execute(question)).rows ?? '[]');
    const advised = adviceOnNames(failure, sql, { dialect: known, ask, visibility }).catch(() => failure);
    const outcome = await within(advised, ADVICE_TIMEOUT_MS);
    await asking.rollback();
    return outcome === 'late' ? failure : outcome;
  }

  async #begin({ access, sql }: SqlStatement, readOnly: boolean) {
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

  async #rolledBack(connection: SqlConnection) {
    const outcome = await within(
      settled(() => connection.rollback()),
      ROLLBACK_TIMEOUT_MS,
    );
    if (outcome === 'failed') this.isRollbackUncertain = true;
    await settled(() => connection.release(outcome === 'done' ? 'clean' : 'broken'));
    return outcome;
  }
}

/** Evaluated at each call, because a waiting statement may be dropped at any time. */
function isDropped({ state }: PendingStatement) {
  return state === 'dropped';
}
