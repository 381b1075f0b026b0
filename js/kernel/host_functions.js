import { AsyncResource } from 'node:async_hooks';
import { AbortedError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { settled } from '../boundary/foreign_promise.js';
import { toJsonText } from '../boundary/json_text.js';
import { described } from '../boundary/thrown.js';
import { onBehalfOf } from './host_call.js';

/**
 * @typedef {import('../../binding.cjs').BindingHostCall} BindingHostCall
 * @typedef {import('../../binding.cjs').BindingError} BindingError
 * @typedef {(id: number, value?: string, error?: BindingError) => void} Answer
 * @typedef {'commit' | 'rollback'} RunEnd
 * @typedef {{ runId: number, callerId: number, signal: AbortSignal }} CallOf the outermost run, the run that waits, and what
 * fires when neither does any more
 * @typedef {(call: CallOf, values: any[]) => unknown} Served
 */

/** Longest answer of a function, as JSON: more than a guest has memory for. */
const MAX_ANSWER_CHARS = 16 << 20;

/** What a guest may call in the application, and what must happen when its run has ended. */
export class HostFunctions {
  /** @type {Map<string, Served>} */
  #functions = new Map();
  /** @type {((runId: number, end: RunEnd) => unknown)[]} */
  #finishers = [];
  /**
   * The caller's context of each run, so that a function sees the request that it is called for.
   * @type {Map<number, AsyncResource>}
   */
  #contexts = new Map();
  /** What tells the calls of a run that it is over, or about to be: nothing is done for it any more. @type {Map<number, AbortController>} */
  #ends = new Map();

  /** @param {Map<string, import('./application_functions.js').ApplicationFunction>} [own] the application's */
  constructor(own = new Map()) {
    for (const [name, { call }] of own) {
      this.#functions.set(name, ({ callerId, signal }, values) =>
        onBehalfOf(this, callerId, () => call.apply({ signal }, values)),
      );
    }
  }

  /** What guests find on `tgp`. Names with a `#` are questions of the kernel itself. */
  get names() {
    return [...this.#functions.keys()].filter((name) => !name.startsWith('#'));
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
   * Runs `work` as run `runId` of the present caller.
   * @template T
   * @param {number} runId
   * @param {() => Promise<T>} work
   */
  async during(runId, work) {
    // `AsyncLocalStorage.snapshot` would do the same for a quarter of what a run costs this thread.
    this.#contexts.set(runId, new AsyncResource('tgp.run', { requireManualDestroy: true }));
    try {
      return await work();
    } finally {
      this.#contexts.delete(runId);
      this.#ends.delete(runId);
    }
  }

  /**
   * Calls nothing more for this run, not even what it has asked for already.
   * @param {number} runId
   */
  cancel(runId) {
    if (this.#contexts.has(runId)) this.#endOf(runId).abort(new AbortedError('The run was aborted.'));
  }

  /**
   * Does what a question asks for and answers it, whatever happens.
   * @param {BindingHostCall} question
   * @param {Answer} answer
   */
  async serve({ id, runId, callerId, kind, name, args }, answer) {
    try {
      const work = () => (kind === 'call' ? this.#call({ runId, callerId }, name, args) : this.#finish(runId, kind));
      const context = this.#contexts.get(runId);
      const { value } = await (context ? context.runInAsyncScope(work) : work());
      // No text at all is how JSON says `undefined`.
      const text =
        value === undefined ? '' : toJsonText(value, `the answer of tgp.${name}`, { maxChars: MAX_ANSWER_CHARS });
      answer(id, text);
    } catch (error) {
      answer(id, undefined, described(error));
    }
  }

  /**
   * @param {Omit<CallOf, 'signal'>} call
   * @param {string} name
   * @param {string} args
   * @returns {Promise<{ value?: unknown }>} in a box, so that nothing takes the value for a promise
   */
  async #call(call, name, args) {
    const { signal } = this.#endOf(call.runId);
    signal.throwIfAborted();
    return { value: await settled(this.#functions.get(name)?.({ ...call, signal }, parseForeignJson(args))) };
  }

  /** @param {number} runId */
  #endOf(runId) {
    const known = this.#ends.get(runId);
    if (known) return known;
    const end = new AbortController();
    // Questions of the kernel itself belong to no run, and nothing ends them.
    if (this.#contexts.has(runId)) this.#ends.set(runId, end);
    return end;
  }

  /**
   * @param {number} runId
   * @param {RunEnd} end
   * @returns {Promise<{ value?: unknown }>}
   */
  async #finish(runId, end) {
    this.#endOf(runId).abort(new AbortedError('The run is over.'));
    for (const finisher of this.#finishers) await finisher(runId, end);
    return {};
  }
}
