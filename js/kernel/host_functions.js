/** Functions of the application and the kernel that guests may call. */

import { AsyncResource } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { AbortedError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { isSettled, settled } from '../boundary/foreign_promise.js';
import { toJsonText } from '../boundary/json_text.js';
import { described } from '../boundary/thrown.js';
import { onBehalfOf, presentCall } from './host_call.js';

/**
 * @typedef {import('../../binding.cjs').BindingHostCall} BindingHostCall
 * @typedef {import('../../binding.cjs').BindingError} BindingError
 * @typedef {(id: number, value?: string, error?: BindingError) => void} Answer
 * @typedef {'commit' | 'rollback'} RunEnd
 * @typedef {import('../sql/adapter.js').SqlDetail} SqlDetail
 * @typedef {import('../sql/table_visibility.js').OpenTables} OpenTables
 * @typedef {{ runId: number, contextId: number, callerId: number, nesting: number[], sqlDetail: () => SqlDetail, openTables: OpenTables | undefined, signal: AbortSignal, function: { isOpen: boolean } }} CallOf
 * the outermost run, the nearest run started from JavaScript, the waiting run, the runs from the outermost down to it, what the policy
 * inspects in SQL and which tables it allows, a signal that fires when the run has ended, and whether the function is still running
 * @typedef {(call: CallOf, values: any[]) => unknown} Served
 * @typedef {object} RunContext a run started from JavaScript
 * @property {AsyncResource} caller the async context of its caller, so that functions see the current request
 * @property {number | undefined} above the run whose function call has started it
 * @property {AbortController} [end] aborts its calls when it ends
 * @property {import('../../index.js').DryRunResult['sql']} [sql] collects the statements of a dry run
 * @property {() => SqlDetail} [sqlDetail] what the policy inspects in its SQL
 * @property {OpenTables} [openTables] which tables the policy allows
 * @property {AbortSignal} [signal] fires at the end of this run or of a parent
 */

/** Maximum length of an answer as JSON: more than fits into a guest's memory. */
const MAX_ANSWER_CHARS = 16 << 20;

const OVER = 'The run is over.';
/** @type {() => SqlDetail} */
const noSqlDetail = () => 'nothing';
/** Run id of calls without a run. */
const NO_RUN = 0;

/** The registry of functions that guests may call, and of callbacks at the end of runs. */
export class HostFunctions {
  /** @type {Map<string, Served>} */
  #functions = new Map();
  /** Names that a dry run may call. @type {Set<string>} */
  #dry = new Set();
  /** @type {((runId: number, end: RunEnd) => unknown)[]} */
  #finishers = [];
  /** @type {((runId: number, nested: number, end: RunEnd) => unknown)[]} */
  #nestedFinishers = [];
  /** @type {Map<number, RunContext>} */
  #contexts = new Map();
  /** Dialect of `exec_sql`, if there is a database. @type {import('../sql/adapter.js').SqlDialect | undefined} */
  sqlDialect;
  /** Identifies these functions in objects that outlive them. */
  #token = Object.freeze({});

  /** @param {Map<string, import('./application_functions.js').ApplicationFunction>} [own] the application's */
  constructor(own = new Map()) {
    for (const [name, { call, readOnly }] of own) {
      if (readOnly) this.#dry.add(name);
      this.#functions.set(name, ({ contextId, callerId, signal, function: own }, values) => {
        const asked = { kernel: this.#token, runId: callerId, contextId, function: own };
        return onBehalfOf(asked, () => call.apply({ signal }, values));
      });
    }
  }

  /** Names on the guest's `tgp`. Names with `#` are internal to the kernel. */
  get names() {
    return [...this.#functions.keys()].filter((name) => !name.startsWith('#'));
  }

  /** Names that a dry run may call: read-only functions, and ones that are rolled back. */
  get dryNames() {
    return this.names.filter((name) => this.#dry.has(name));
  }

  /**
   * The list of statements of a dry run; undefined for other runs.
   * @param {number} runId an outermost run
   */
  sqlOf(runId) {
    return this.#contexts.get(runId)?.sql;
  }

  /**
   * Adds a function that receives its run. An application function of the same name takes precedence.
   * @param {string} name
   * @param {Served} fn
   * @returns {boolean} whether it was added
   */
  add(name, fn) {
    if (this.#functions.has(name)) return false;
    this.#functions.set(name, fn);
    this.#dry.add(name);
    return true;
  }

  /**
   * Adds a callback for the end of every run that has called a function.
   * @param {(runId: number, end: RunEnd) => unknown} finisher
   */
  onFinish(finisher) {
    this.#finishers.push(finisher);
  }

  /**
   * Adds a callback for the end of every nested run that has called a function.
   * @param {(runId: number, nested: number, end: RunEnd) => unknown} finisher
   */
  onNestedFinish(finisher) {
    this.#nestedFinishers.push(finisher);
  }

  /** The run that waits for the current application function; undefined outside of one. */
  get waitingRun() {
    return presentCall(this.#token)?.runId;
  }

  /** Whether the current code runs inside an application function that has not returned. */
  get isInFunction() {
    return presentCall(this.#token)?.function.isOpen === true;
  }

  /**
   * Does `work` as run `runId` of the current caller.
   * @template T
   * @param {number} runId
   * @param {() => Promise<T>} work
   * @param {Pick<RunContext, 'sql' | 'sqlDetail' | 'openTables'>} [facts]
   */
  async during(runId, work, facts) {
    // `AsyncLocalStorage.snapshot` would do the same, but cost a quarter of the time of a run on this thread.
    const caller = new AsyncResource('tgp.run', { requireManualDestroy: true });
    /** @type {RunContext} */
    const context = { caller, above: presentCall(this.#token)?.contextId, ...facts };
    this.#contexts.set(runId, context);
    try {
      return await work();
    } finally {
      this.#contexts.delete(runId);
      context.end?.abort(new AbortedError(OVER));
    }
  }

  /**
   * Cancels the pending calls of a run and refuses further ones.
   * @param {number} runId
   */
  cancel(runId) {
    this.#end(runId, 'The run was aborted.');
  }

  /**
   * Handles a call of the native part and always answers it.
   * @param {BindingHostCall} question
   * @param {Answer} answer
   */
  async serve({ id, runId, contextId, callerId, nesting, kind, name, args }, answer) {
    try {
      const context = this.#contexts.get(contextId);
      const call = () => {
        const { sqlDetail = noSqlDetail, openTables } = context ?? {};
        const signal = this.#signalOf(contextId, runId);
        const own = { isOpen: true };
        const asked = { runId, contextId, callerId, nesting, sqlDetail, openTables, signal, function: own };
        return this.#call(asked, name, args);
      };
      const end = (/** @type {RunEnd} */ how) =>
        nesting.length > 0 ? this.#finishNested(runId, callerId, how) : this.#finish(runId, how);
      const work = () => (kind === 'call' ? call() : end(kind));
      const { value } = await (context ? context.caller.runInAsyncScope(work) : work());
      // Empty text represents `undefined`.
      const text =
        value === undefined ? '' : toJsonText(value, `the answer of tgp.${name}`, { maxChars: MAX_ANSWER_CHARS });
      answer(id, text);
    } catch (error) {
      answer(id, undefined, described(error));
    }
  }

  /**
   * @param {CallOf} call
   * @param {string} name
   * @param {string} args
   * @returns {Promise<{ value?: unknown }>} wrapped, so that a thenable value is not awaited
   */
  async #call(call, name, args) {
    call.signal.throwIfAborted();
    try {
      const given = this.#functions.get(name)?.(call, parseForeignJson(args));
      return { value: isSettled(given) ? given : await settled(given) };
    } finally {
      call.function.isOpen = false;
    }
  }

  /**
   * A signal that fires when a run, which is `rootId` or nested in it, has ended.
   * @param {number} runId
   * @param {number} rootId
   * @returns {AbortSignal}
   */
  #signalOf(runId, rootId) {
    const context = this.#contexts.get(runId);
    if (context === undefined) {
      // Internal calls of the kernel have no run and are never aborted. The runs of other calls have already ended.
      return runId === NO_RUN ? new AbortController().signal : AbortSignal.abort(new AbortedError(OVER));
    }
    const { signal } = endOf(context);
    if (runId === rootId) return signal;
    if (context.signal === undefined) {
      context.signal = AbortSignal.any([signal, this.#signalOf(context.above ?? rootId, rootId)]);
      setMaxListeners(0, context.signal);
    }
    return context.signal;
  }

  /**
   * @param {number} runId
   * @param {string} why
   */
  #end(runId, why) {
    const context = this.#contexts.get(runId);
    if (context) endOf(context).abort(new AbortedError(why));
  }

  /**
   * @param {number} runId
   * @param {RunEnd} end
   * @returns {Promise<{ value?: unknown }>}
   */
  async #finish(runId, end) {
    this.#end(runId, OVER);
    for (const finisher of this.#finishers) await finisher(runId, end);
    return {};
  }

  /**
   * @param {number} runId
   * @param {number} nested
   * @param {RunEnd} end
   * @returns {Promise<{ value?: unknown }>}
   */
  async #finishNested(runId, nested, end) {
    for (const finisher of this.#nestedFinishers) await finisher(runId, nested, end);
    return {};
  }
}

/** @param {RunContext} context */
function endOf(context) {
  if (context.end === undefined) {
    context.end = new AbortController();
    // All calls of a run share one signal, so many listeners are not a leak.
    setMaxListeners(0, context.end.signal);
  }
  return context.end;
}
