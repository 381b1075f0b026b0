import { AbortedError, SqlError } from '../boundary/errors.js';
import { adviceOnText } from './advice.js';
import { checkReach } from './checked_reach.js';
import { asSqlError } from './driver_error.js';
import { TableSight } from './table_sight.js';

/**
 * The statements of a run where no transaction can be held: each is one call, in the order in which they were asked for.
 * One that fails changes nothing for the others, and what was done stays whatever becomes of the run.
 */
export class SingleStatements {
  #adapter;
  #rules;
  /** @type {Promise<unknown>} */
  #queue = Promise.resolve();
  /** Nested runs that are over. @type {Set<number>} */
  #ended = new Set();
  #isOver = false;
  #isAborted = false;

  /**
   * @param {import('./adapter.js').StatementAdapter} adapter
   * @param {import('./rules.js').SqlRules} rules
   */
  constructor(adapter, rules) {
    this.#adapter = adapter;
    this.#rules = rules;
  }

  /**
   * @param {unknown} sql
   * @param {unknown} [params]
   * @param {import('./transaction.js').SqlAsker} [by]
   * @returns {Promise<import('./adapter.js').SqlAnswer>}
   */
  execute(sql, params, { nesting = [], judged = 'nothing', openTables } = {}) {
    if (this.#isOver) return Promise.reject(new SqlError('The run is over.'));
    if (nesting.some((run) => this.#ended.has(run))) return Promise.reject(new AbortedError('The run has ended.'));
    const answer = this.#queue.then(() => this.#attempt(sql, params, judged, openTables));
    this.#queue = answer.catch(() => {});
    return answer;
  }

  /** Nothing is rolled back here. */
  isRollbackUncertain = false;
  undone = Promise.resolve();

  /**
   * What a nested run did stays, as everything does; nothing more is done for it.
   * @param {number} run
   * @param {'commit' | 'rollback'} _end
   */
  async endNested(run, _end) {
    this.#ended.add(run);
  }

  /** Waits for what was asked for; there is nothing else to be done. */
  async commit() {
    this.#isOver = true;
    await this.#queue;
  }

  /** Sends nothing more. What is under way cannot be stopped. */
  async rollback() {
    this.#isOver = true;
    this.#isAborted = true;
  }

  /**
   * @param {unknown} sql
   * @param {unknown} params
   * @param {import('./adapter.js').SqlDetail} detail what a policy or a token looks at
   * @param {import('./table_sight.js').OpenTables | undefined} openTables
   */
  async #attempt(sql, params, detail, openTables) {
    if (this.#isAborted) throw new AbortedError('The run has ended.');
    try {
      const { once, dialect } = this.#adapter;
      const judged = await this.#rules.judge(sql, params, dialect, detail);
      if (this.#isAborted) throw new AbortedError('The run has ended.');
      // Nothing is all or nothing here, so it does not matter where it is written.
      const reach = judged.reach && { ...judged.reach, written: [] };
      const sight = new TableSight(this.#rules, dialect, openTables);
      const { options, isOwn } = this.#rules;
      await checkReach({ query: once }, { ...judged, reach }, options, this.#adapter, isOwn, sight);
      return await once(judged, this.#rules.options);
    } catch (error) {
      throw adviceOnText(asSqlError(error, 'The statement failed'), sql);
    }
  }
}
