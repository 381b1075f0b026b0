import { AbortedError, SqlError } from '../boundary/errors.js';
import { adviceOfDatabase, adviceOnNames, adviceOnText, asksForNames } from './advice.js';
import { catalogueRules } from './catalogue.js';
import { asSqlError, saidBy } from './driver_error.js';
import { SingleStatements } from './single_statements.js';

/**
 * @typedef {import('./adapter.js').TransactionalAdapter} TransactionalAdapter
 * @typedef {import('./adapter.js').SqlConnection} SqlConnection
 * @typedef {import('./adapter.js').SqlAnswer} SqlAnswer
 * @typedef {import('./adapter.js').SqlStatement} SqlStatement
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
  /** Statements that wait or are under way. @type {Set<{ sql: unknown, params: unknown }>} */
  #asked = new Set();
  /** Whether a statement has been begun that may write. */
  #wrote = false;
  /** @type {unknown} */
  #failure;
  #abort = new AbortController();
  /** @type {'open' | 'ended'} */
  #state = 'open';

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
   * @returns {Promise<SqlAnswer>}
   */
  execute(sql, params) {
    if (this.#state === 'ended') return Promise.reject(new SqlError('The run is over, and its transaction with it.'));
    const asked = { sql, params };
    this.#asked.add(asked);
    const answer = this.#queue.then(() => this.#attempt(sql, params)).finally(() => this.#asked.delete(asked));
    this.#queue = answer.catch(() => {});
    return answer;
  }

  /**
   * Makes everything last, or nothing: rejects when any statement failed or the database did not commit. A statement that
   * writes and was not waited for is undone with all others, because nobody knows what would have come after it. Those that
   * read are stopped, where that undoes nothing.
   */
  async commit() {
    this.#state = 'ended';
    if (this.#asked.size > 0 && this.#failure === undefined) {
      const asked = await Promise.all([...this.#asked].map((each) => this.#isRead(each)));
      const reads = asked.every(Boolean);
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
      await this.#undo();
      throw asSqlError(error, 'The transaction was not committed');
    }
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

  /**
   * @param {unknown} sql
   * @param {unknown} params
   */
  async #attempt(sql, params) {
    if (this.#failure !== undefined) throw afterFailure(this.#failure);
    try {
      const judged = await this.#rules.judge(sql, params, this.#adapter.dialect);
      stopIfAborted(this.#abort.signal);
      if (judged.access !== 'read') this.#wrote = true;
      const connection = this.#connection ?? (await this.#begin(judged));
      stopIfAborted(this.#abort.signal);
      const { options } = this.#rules;
      // A transaction that may write: the database is told that this statement may not.
      if (judged.fenced && !options.readOnly && this.#adapter.dialect === 'postgres') {
        return await fenced(connection, judged, options, this.#abort.signal);
      }
      return await connection.query(judged, options);
    } catch (error) {
      this.#failure ??= error;
      const failure = asSqlError(error, 'The statement failed');
      const advised = await this.#advised(failure, sql);
      throw advised === failure ? adviceOfDatabase(failure, error) : advised;
    }
  }

  /** @param {{ sql: unknown, params: unknown }} asked */
  async #isRead({ sql, params }) {
    try {
      return (await this.#rules.judge(sql, params, this.#adapter.dialect)).access === 'read';
    } catch {
      return false;
    }
  }

  /**
   * @param {Error} failure
   * @param {unknown} sql
   */
  async #advised(failure, sql) {
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
    const isAllowed = (/** @type {string} */ name) => this.#rules.allowsTable(name);
    const advised = adviceOnNames(failure, sql, { dialect, ask, isAllowed }).catch(() => failure);
    const outcome = await within(advised, ADVICE_MS);
    await asking.rollback();
    return outcome === 'late' ? failure : outcome;
  }

  /** @param {SqlStatement} first */
  async #begin({ access, sql }) {
    const need = { access, limits: this.#rules.options, firstSql: sql, signal: this.#abort.signal };
    const connection = await this.#adapter.connect(need);
    if (this.#abort.signal.aborted) {
      // It came too late for a run that has been given up meanwhile.
      await settled(() => connection.release('clean'));
      throw new AbortedError('The run has ended.');
    }
    this.#connection = connection;
    await connection.begin(need);
    return connection;
  }

  async #undo() {
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    const outcome = await within(
      settled(() => connection.rollback()),
      ROLLBACK_MS,
    );
    await settled(() => connection.release(outcome === 'done' ? 'clean' : 'broken'));
    return outcome;
  }
}

/**
 * Runs a statement that was judged to read where PostgreSQL refuses to write, in functions and whatever else it calls too.
 * @param {SqlConnection} connection
 * @param {SqlStatement} statement
 * @param {import('./adapter.js').SqlLimits} limits
 * @param {AbortSignal} signal
 */
async function fenced(connection, statement, limits, signal) {
  /** @param {string} sql */
  const control = async (sql) => {
    await connection.query({ sql, values: [], access: 'read', returns: 'count' }, limits);
    stopIfAborted(signal);
  };
  await control('SAVEPOINT tgp_reading');
  await control('SET TRANSACTION READ ONLY');
  const answer = await connection.query(statement, limits);
  stopIfAborted(signal);
  // With the savepoint ends what was set behind it.
  await control('RELEASE SAVEPOINT tgp_reading');
  return answer;
}

/** @param {AbortSignal} signal */
function stopIfAborted(signal) {
  if (signal.aborted) throw new AbortedError('The run has ended.');
}

/**
 * @param {() => unknown} work
 * @returns {Promise<'done' | 'failed'>}
 */
async function settled(work) {
  try {
    await work();
    return 'done';
  } catch {
    return 'failed';
  }
}

/**
 * @template T
 * @param {Promise<T>} work
 * @param {number} ms
 * @returns {Promise<T | 'late'>}
 */
async function within(work, ms) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve('late'), ms);
  });
  try {
    return await Promise.race([work, /** @type {Promise<'late'>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}

function notUndone() {
  return new SqlError(
    'The database did not say that the dry run was rolled back, so its changes may have stayed. Look at the data before going on.',
    { details: { reason: 'unknown' } },
  );
}

/** @param {unknown} failure */
function afterFailure(failure) {
  return new SqlError(
    `An earlier statement of this run failed (${saidBy(failure)}), so nothing more is executed and nothing will be committed.`,
    { details: { reason: 'failed' } },
  );
}

/** @param {unknown} failure */
function swallowed(failure) {
  return new SqlError(
    `Nothing was committed: a statement of the run failed (${saidBy(failure)}) and the tool went on. Let the error end the tool, or avoid the failing statement.`,
    { details: { reason: 'swallowed' } },
  );
}

function notAwaited() {
  return new SqlError(
    'Nothing was committed: the tool returned before a statement that writes was done. Await every tgp.exec_sql before returning.',
    { details: { reason: 'not_awaited' } },
  );
}
