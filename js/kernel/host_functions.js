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
 * the outermost run, the nearest that JavaScript has started, the run that waits, the runs from the outermost down to that one,
 * what the rules look at in SQL and which tables they leave open, what fires when none of these does any more, and whether the function has yet to answer
 * @typedef {(call: CallOf, values: any[]) => unknown} Served
 * @typedef {object} RunContext a run that JavaScript has started
 * @property {AsyncResource} caller the context of its caller, so that a function sees the request that it is called for
 * @property {number | undefined} above the run whose call of a function has started it
 * @property {AbortController} [end] tells its calls that it is over, or about to be: nothing is done for it any more
 * @property {import('../../index.js').DryRunResult['sql']} [sql] where the statements of a dry run are noted
 * @property {() => SqlDetail} [sqlDetail] what the rules look at in its SQL
 * @property {OpenTables} [openTables] which tables they leave open
 * @property {AbortSignal} [signal] fires with the end of this run or of one above it
 */

/** Longest answer of a function, as JSON: more than a guest has memory for. */
const MAX_ANSWER_CHARS = 16 << 20;

const OVER = 'The run is over.';
/** @type {() => SqlDetail} */
const noSqlDetail = () => 'nothing';
/** The number that stands for no run. */
const NO_RUN = 0;

/** What a guest may call in the application, and what must happen when its run has ended. */
export class HostFunctions {
  /** @type {Map<string, Served>} */
  #functions = new Map();
  /** Those that a dry run may call. @type {Set<string>} */
  #dry = new Set();
  /** @type {((runId: number, end: RunEnd) => unknown)[]} */
  #finishers = [];
  /** @type {((runId: number, nested: number, end: RunEnd) => unknown)[]} */
  #nestedFinishers = [];
  /** @type {Map<number, RunContext>} */
  #contexts = new Map();
  /** Whose SQL `exec_sql` runs, where there is a database. @type {import('../sql/adapter.js').SqlDialect | undefined} */
  sqlDialect;
  /** What stands for these functions in what outlives them. */
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

  /** What guests find on `tgp`. Names with a `#` are questions of the kernel itself. */
  get names() {
    return [...this.#functions.keys()].filter((name) => !name.startsWith('#'));
  }

  /** Those of them that a dry run may call: they change nothing, or undo it when the run ends. */
  get dryNames() {
    return this.names.filter((name) => this.#dry.has(name));
  }

  /**
   * Where the statements of a run are noted that is only to be seen; nothing for one that is real.
   * @param {number} runId an outermost run
   */
  sqlOf(runId) {
    return this.#contexts.get(runId)?.sql;
  }

  /**
   * Adds a function that needs to know its run. The application's own function of that name stays.
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
   * Adds what is to be done at the end of every run that has called a function.
   * @param {(runId: number, end: RunEnd) => unknown} finisher
   */
  onFinish(finisher) {
    this.#finishers.push(finisher);
  }

  /**
   * Adds what is to be done at the end of every run below an outermost one that has called a function.
   * @param {(runId: number, nested: number, end: RunEnd) => unknown} finisher
   */
  onNestedFinish(finisher) {
    this.#nestedFinishers.push(finisher);
  }

  /** The run that waits for whoever asks; none outside of the application's functions. */
  get waitingRun() {
    return presentCall(this.#token)?.runId;
  }

  /** Whether a function of the application asks that has not answered yet. */
  get isInFunction() {
    return presentCall(this.#token)?.function.isOpen === true;
  }

  /**
   * Runs `work` as run `runId` of the present caller.
   * @template T
   * @param {number} runId
   * @param {() => Promise<T>} work
   * @param {Pick<RunContext, 'sql' | 'sqlDetail' | 'openTables'>} [facts]
   */
  async during(runId, work, facts) {
    // `AsyncLocalStorage.snapshot` would do the same for a quarter of what a run costs this thread.
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
   * Calls nothing more for this run, not even what it has asked for already.
   * @param {number} runId
   */
  cancel(runId) {
    this.#end(runId, 'The run was aborted.');
  }

  /**
   * Does what a question asks for and answers it, whatever happens.
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
      // No text at all is how JSON says `undefined`.
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
   * @returns {Promise<{ value?: unknown }>} in a box, so that nothing takes the value for a promise
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
   * What fires when nothing is to be done any more for a run, which is `rootId` or below it.
   * @param {number} runId
   * @param {number} rootId
   * @returns {AbortSignal}
   */
  #signalOf(runId, rootId) {
    const context = this.#contexts.get(runId);
    if (context === undefined) {
      // Questions of the kernel itself belong to no run, and nothing ends them. Others come late: their run is over.
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
    // All calls of a run listen to one signal: many of them are no leak.
    setMaxListeners(0, context.end.signal);
  }
  return context.end;
}
