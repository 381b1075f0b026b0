import { AbortedError, SqlError, TGPError } from '../errors.js';

/**
 * @typedef {import('./adapter.js').SqlAdapter} SqlAdapter
 * @typedef {import('./adapter.js').SqlConnection} SqlConnection
 * @typedef {import('./adapter.js').SqlAnswer} SqlAnswer
 * @typedef {import('./adapter.js').SqlStatement} SqlStatement
 */

/** A database that does not answer to ROLLBACK within this time loses its connection, which rolls back as well. */
const ROLLBACK_MS = 5_000;

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
  /** @type {unknown} */
  #failure;
  #abort = new AbortController();
  /** @type {'open' | 'ended'} */
  #state = 'open';

  /**
   * @param {SqlAdapter} adapter
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
    const answer = this.#queue.then(() => this.#attempt(sql, params));
    this.#queue = answer.catch(() => {});
    return answer;
  }

  /** Makes everything last, or nothing: rejects when any statement failed or the database did not commit. */
  async commit() {
    this.#state = 'ended';
    await this.#queue;
    const connection = this.#connection;
    if (this.#failure !== undefined) {
      await this.#undo();
      throw swallowed(this.#failure);
    }
    if (!connection) return;
    if (this.#rules.options.dryRun) {
      await this.#undo();
      return;
    }
    try {
      await connection.commit();
    } catch (error) {
      await this.#undo();
      throw asSqlError(error, 'The transaction was not committed');
    }
    await connection.release('clean');
  }

  /** Undoes everything; a statement under way is stopped in the database. Never rejects. */
  async rollback() {
    this.#state = 'ended';
    this.#failure ??= new AbortedError('The run has ended.');
    this.#abort.abort();
    await settled(this.#connection?.cancel());
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
      const judged = this.#rules.judge(sql, params, this.#adapter.dialect);
      const connection = this.#connection ?? (await this.#begin(judged));
      if (this.#abort.signal.aborted) throw new AbortedError('The run has ended.');
      return await connection.query(judged, this.#rules.options);
    } catch (error) {
      this.#failure ??= error;
      throw asSqlError(error, 'The statement failed');
    }
  }

  /** @param {SqlStatement} first */
  async #begin({ access, sql }) {
    const need = { access, limits: this.#rules.options, firstSql: sql, signal: this.#abort.signal };
    const connection = await this.#adapter.connect(need);
    if (this.#abort.signal.aborted) {
      // It came too late for a run that has been given up meanwhile.
      await settled(connection.release('clean'));
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
    const outcome = await within(settled(connection.rollback()), ROLLBACK_MS);
    await settled(connection.release(outcome === 'done' ? 'clean' : 'broken'));
  }
}

/**
 * @param {unknown} work
 * @returns {Promise<'done' | 'failed'>}
 */
async function settled(work) {
  try {
    await work;
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

/** @param {unknown} failure */
function afterFailure(failure) {
  return new SqlError(
    `An earlier statement of this run failed (${messageOf(failure)}), so nothing more is executed and nothing will be committed.`,
    { details: { reason: 'failed' } },
  );
}

/** @param {unknown} failure */
function swallowed(failure) {
  return new SqlError(
    `Nothing was committed: a statement of the run failed (${messageOf(failure)}) and the tool went on. Let the error end the tool, or avoid the failing statement.`,
    { details: { reason: 'swallowed' } },
  );
}

/** @param {unknown} failure */
function messageOf(failure) {
  return (failure instanceof Error ? failure.message : String(failure)).replace(/\.$/, '');
}

/**
 * A driver's failure as one of ours, with what the database said.
 * @param {unknown} error
 * @param {string} what
 */
function asSqlError(error, what) {
  if (error instanceof TGPError) return error;
  const { code, detail } = /** @type {any} */ (error ?? {});
  const said = `${messageOf(error)}${typeof detail === 'string' ? ` (${detail.replace(/\.$/, '')})` : ''}`;
  return new SqlError(`${what}. The database says: ${said}.`, {
    details: { reason: 'database', ...(typeof code === 'string' && { databaseCode: code }) },
  });
}
