/** Executes the statements of a run without a transaction. */

import { AbortedError, SqlError } from '../../boundary/errors.js';
import type { SqlAnswer, SqlDetail, StatementAdapter } from '../adapter.js';
import { adviceOnText } from '../advice/error_advice.js';
import type { OpenTables } from '../catalogue/table_visibility.js';
import { TableVisibility } from '../catalogue/table_visibility.js';
import { asSqlError } from '../driver_error.js';
import { checkReach } from '../reach/checked_reach.js';
import type { SqlRules } from '../rules.js';
import type { SqlCaller } from './transaction.js';

/**
 * A run over a database without transactions: each statement is one call, in order. A failed statement does not affect the others,
 * and changes stay even if the run fails.
 */
export class SingleStatements {
  #adapter;
  #rules;
  #queue: Promise<unknown> = Promise.resolve();
  /** Nested runs that have ended. */
  #ended = new Set<number>();
  #isOver = false;
  #isAborted = false;

  constructor(adapter: StatementAdapter, rules: SqlRules) {
    this.#adapter = adapter;
    this.#rules = rules;
  }

  execute(
    sql: unknown,
    params?: unknown,
    { nesting = [], judged = 'nothing', openTables }: SqlCaller = {},
  ): Promise<SqlAnswer> {
    if (this.#isOver) return Promise.reject(new SqlError('The run has ended.'));
    if (nesting.some((run) => this.#ended.has(run))) return Promise.reject(new AbortedError('The run has ended.'));
    const answer = this.#queue.then(() => this.#attempt(sql, params, judged, openTables));
    this.#queue = answer.catch(() => {});
    return answer;
  }

  /** There is no rollback. */
  isRollbackUncertain = false;
  undone = Promise.resolve();

  /** Ends a nested run: its changes stay, and its pending statements are refused. */
  async endNested(run: number, _end: 'commit' | 'rollback') {
    this.#ended.add(run);
  }

  /** Waits for the pending statements. */
  async commit() {
    this.#isOver = true;
    await this.#queue;
  }

  /** Refuses further statements. A running one cannot be stopped. */
  async rollback() {
    this.#isOver = true;
    this.#isAborted = true;
  }

  /** @param detail what a policy or a token inspects */
  async #attempt(sql: unknown, params: unknown, detail: SqlDetail, openTables: OpenTables | undefined) {
    if (this.#isAborted) throw new AbortedError('The run has ended.');
    try {
      const { once, dialect } = this.#adapter;
      const judged = await this.#rules.judge(sql, params, dialect, detail);
      if (this.#isAborted) throw new AbortedError('The run has ended.');
      // Without transactions, the engines of the written tables do not matter.
      const reach = judged.reach && { ...judged.reach, written: [] };
      const visibility = new TableVisibility(this.#rules, dialect, openTables);
      const { options, isOwn } = this.#rules;
      await checkReach({ query: once }, { ...judged, reach }, options, this.#adapter, isOwn, visibility);
      return await once(judged, this.#rules.options);
    } catch (error) {
      throw adviceOnText(asSqlError(error, 'The statement failed'), sql);
    }
  }
}
