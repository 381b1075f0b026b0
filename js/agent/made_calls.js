/** The calls that a model asks for: each is on record before it is made, and its result before the model reads it. */

import { modelErrorText } from '../agent_tools/model_text.js';
import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { TGPError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { ignored } from '../boundary/guarded.js';
import { toJsonText } from '../boundary/json_text.js';
import { fingerprint } from './fingerprint.js';
import { recoveredOutcome } from './recovered_calls.js';

/**
 * @typedef {import('./conversation.js').Call} Call
 * @typedef {import('./conversation.js').Outcome} Outcome
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {object} CallRules
 * @property {import('./conversation.js').Conversation} conversation
 * @property {(event: import('../../index.js').AgentEvent) => Promise<void>} tell
 * @property {(name: string) => AgentTool | undefined} toolOf
 * @property {(call: Call) => Promise<{ path?: string, isNew?: true }>} about what a call is about, as things are now
 * @property {number} maxChars of a result
 * @property {(error: unknown) => void} fail ends the run: what happens could not be written down
 */

const NOT_JSON = 'The arguments are no valid JSON, so nothing was done. Send one JSON object.';
const NOT_KEPT =
  'This call was not made: the session was interrupted before, and the ledger does not hold its arguments as you sent them. Make it again if it is still wanted.';

export class MadeCalls {
  #rules;
  /** Ends of calls: they are made one after the other, in the order in which the model asked for them. @type {Map<string, { promise: Promise<void>, end: () => void }>} */
  #ends = new Map();
  /** What is under way. @type {Set<Promise<unknown>>} */
  #open = new Set();

  /** @param {CallRules} rules */
  constructor(rules) {
    this.#rules = rules;
  }

  /**
   * A tool as the loop calls it.
   * @param {AgentTool} tool
   * @returns {AgentTool}
   */
  wrapped(tool) {
    return {
      ...tool,
      execute: (args, options) =>
        this.#inTurn(String(options?.toolCallId), options?.abortSignal, async (call) => {
          const outcome = await this.#make(call, args, options?.abortSignal);
          if (outcome.output !== undefined) return outcome.output;
          throw new Error(outcome.error);
        }),
    };
  }

  /** Done when no call is being made. */
  async idle() {
    await Promise.allSettled(this.#open);
  }

  /**
   * @template T
   * @param {string} id
   * @param {AbortSignal | undefined} signal
   * @param {(call: Call) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #inTurn(id, signal, work) {
    const call = this.#rules.conversation.callOf(id);
    if (call === undefined) throw new Error('Nobody has asked for this call.');
    const before = this.#rules.conversation.callBefore(call);
    const done = (async () => {
      try {
        if (before !== undefined) await untilAborted(this.#endOf(before.call).promise, signal);
        return await work(call);
      } finally {
        this.#endOf(call.call).end();
      }
    })();
    this.#open.add(done);
    const release = () => this.#open.delete(done);
    done.then(release, release);
    return done;
  }

  /** @param {string} call */
  #endOf(call) {
    const known = this.#ends.get(call);
    if (known !== undefined) return known;
    let end = ignored;
    const promise = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      end = resolve;
    });
    const made = { promise: /** @type {Promise<void>} */ (promise), end };
    this.#ends.set(call, made);
    return made;
  }

  /**
   * Does what the model asked for before the session was interrupted and that has no result: what was not begun is made now, of
   * what was begun the ledger says what came of it, and nothing is done twice.
   * @param {AbortSignal | undefined} signal
   */
  async settle(signal) {
    const { conversation, toolOf, maxChars } = this.#rules;
    for (const call of conversation.openCalls) {
      throwIfAborted(signal);
      const recovered = await recoveredOutcome(conversation, call, toolOf(call.tool), maxChars);
      if (recovered !== undefined) await this.#known(call, recovered.outcome, recovered.from);
      else if (fingerprint(call.input) !== call.sha) await this.#known(call, refused(NOT_KEPT), 'ledger');
      else await this.#make(call, call.input, signal);
    }
  }

  /**
   * A call that was not made because its arguments, or its tool, are none. Nobody waits for it: it has its turn among the others.
   * @param {string} id
   * @param {string} error as the model is told
   * @param {AbortSignal} signal
   */
  invalid(id, error, signal) {
    this.#inTurn(id, signal, (call) => this.#known(call, refused(error), 'made')).catch(ignored);
  }

  /**
   * @param {Call} call
   * @param {Outcome} outcome
   * @param {'made' | 'ledger' | 'unknown'} from
   */
  async #known(call, outcome, from) {
    const { path } = await this.#rules.about(call);
    await this.#tellCall(call, path);
    await this.#write(() => this.#rules.conversation.finish(call, outcome));
    await this.#tellResult(call, outcome, path, from);
  }

  /**
   * @param {Call} call
   * @param {any} args
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Outcome>}
   */
  async #make(call, args, signal) {
    throwIfAborted(signal);
    const { conversation, toolOf, about } = this.#rules;
    const tool = toolOf(call.tool);
    const { path, isNew } = await about(call);
    await this.#tellCall(call, path);
    await this.#write(() => conversation.begin(call));
    const started = performance.now();
    const came = await outcomeOf(tool, call, args, signal);
    const ms = Math.round(performance.now() - started);
    const outcome = { ...came, ms, ...(path !== undefined && { path }), ...(isNew && came.ok && { isNew }) };
    await this.#write(() => conversation.finish(call, outcome));
    await this.#tellResult(call, outcome, path, 'made');
    return outcome;
  }

  /**
   * What cannot be written down must not go on.
   * @param {() => Promise<void>} write
   */
  async #write(write) {
    try {
      await write();
    } catch (error) {
      this.#rules.fail(error);
      throw error;
    }
  }

  /**
   * @param {Call} call
   * @param {string | undefined} path
   */
  #tellCall({ call, step, tool, input }, path) {
    const event = { type: /** @type {const} */ ('tool_call'), step, call, tool, args: input };
    return this.#rules.tell({ ...event, ...(path !== undefined && { path }) });
  }

  /**
   * @param {Call} call
   * @param {Outcome} outcome
   * @param {string | undefined} path
   * @param {'made' | 'ledger' | 'unknown'} from
   */
  #tellResult({ call, step, tool }, { ok, output, code, error, ms }, path, from) {
    return this.#rules.tell({
      type: 'tool_result',
      step,
      call,
      tool,
      ...(path !== undefined && { path }),
      ok,
      result: output ?? null,
      ...(code !== undefined && { code }),
      ...(error !== undefined && { error }),
      from,
      ms,
    });
  }
}

/**
 * @param {AgentTool | undefined} tool
 * @param {Call} call
 * @param {any} args
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Outcome>}
 */
async function outcomeOf(tool, call, args, signal) {
  if (typeof args !== 'object' || args === null) return refused(NOT_JSON);
  if (tool === undefined) return refused(`There is no tool "${call.tool}".`);
  try {
    const output = plain(await tool.execute(args, { abortSignal: signal, toolCallId: call.id }));
    const { success, code, error } = typeof output === 'object' && output !== null ? output : /** @type {any} */ ({});
    if (call.tool === 'test_tool' && output?.ok === false) {
      return { ok: false, output, ms: 0, error: String(output.text ?? 'The tests fail.') };
    }
    if (success !== false) return { ok: true, output, ms: 0 };
    return { ok: false, output, ms: 0, ...(code && { code: String(code) }), ...(error && { error: String(error) }) };
  } catch (error) {
    // What came of it is in the ledger: who resumes the session reads it there.
    if (signal?.aborted) throw error;
    return { ...refused(modelErrorText(error)), ...(error instanceof TGPError && { code: error.code }) };
  }
}

/**
 * @param {string} error
 * @returns {Outcome}
 */
function refused(error) {
  return { ok: false, output: undefined, error, ms: 0 };
}

/**
 * A result as the ledger gives it back.
 * @param {unknown} output
 */
function plain(output) {
  if (typeof output === 'string') return output.toWellFormed();
  return parseForeignJson(toJsonText(output, 'result', { unheldNumbers: 'null' }));
}
