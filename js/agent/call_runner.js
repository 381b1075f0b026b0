/** Runs the tool calls of a model. Each call is recorded before it is made, and its result before the model reads it. */

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
 * @property {(event: import('../../index.js').AgentEvent) => Promise<void>} emit
 * @property {(name: string) => AgentTool | undefined} toolOf
 * @property {(call: Call) => Promise<{ path?: string, isNew?: true }>} about the file of a call, and whether it is new
 * @property {number} maxChars of a result
 * @property {(error: unknown) => void} fail ends the run, because an event could not be recorded
 */

const NOT_JSON = 'The arguments are not valid JSON, so nothing was done. Send one JSON object.';
const NOT_KEPT =
  'This call was not made: the session was interrupted before it, and the ledger does not hold its exact arguments. Make it again if it is still needed.';

export class CallRunner {
  #rules;
  /** The completion of each call: calls of a turn run one at a time, in the order of the model. @type {Map<string, { promise: Promise<void>, end: () => void }>} */
  #ends = new Map();
  /** Running calls. @type {Set<Promise<unknown>>} */
  #open = new Set();

  /** @param {CallRules} rules */
  constructor(rules) {
    this.#rules = rules;
  }

  /**
   * A tool whose calls are recorded and run in order.
   * @param {AgentTool} tool
   * @returns {AgentTool}
   */
  wrapped(tool) {
    return {
      ...tool,
      execute: (args, options) =>
        this.#inTurn(String(options?.toolCallId), options?.abortSignal, async (call) => {
          const outcome = await this.#run(call, args, options?.abortSignal);
          if (outcome.output !== undefined) return outcome.output;
          throw new Error(outcome.error);
        }),
    };
  }

  /** Resolves when no call is running. */
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
    if (call === undefined) throw new Error('The model did not request this call.');
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
    const existing = this.#ends.get(call);
    if (existing !== undefined) return existing;
    let end = ignored;
    const promise = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      end = resolve;
    });
    const completion = { promise: /** @type {Promise<void>} */ (promise), end };
    this.#ends.set(call, completion);
    return completion;
  }

  /**
   * Completes the calls of an interrupted session that have no result. A call that was not started is made now; the result of a
   * started call is read from the ledger. No call is made twice.
   * @param {AbortSignal | undefined} signal
   */
  async settle(signal) {
    const { conversation, toolOf, maxChars } = this.#rules;
    for (const call of conversation.openCalls) {
      throwIfAborted(signal);
      const recovered = await recoveredOutcome(conversation, call, toolOf(call.tool), maxChars);
      if (recovered !== undefined) await this.#finish(call, recovered.outcome, recovered.from);
      else if (fingerprint(call.input) !== call.sha) await this.#finish(call, refused(NOT_KEPT), 'ledger');
      else await this.#run(call, call.input, signal);
    }
  }

  /**
   * Records a call that was not made because its arguments or its tool are not valid, in order with the other calls.
   * @param {string} id
   * @param {string} error the message for the model
   * @param {AbortSignal} signal
   */
  invalid(id, error, signal) {
    this.#inTurn(id, signal, (call) => this.#finish(call, refused(error), 'made')).catch(ignored);
  }

  /**
   * @param {Call} call
   * @param {Outcome} outcome
   * @param {'made' | 'ledger' | 'unknown'} from
   */
  async #finish(call, outcome, from) {
    const { path } = await this.#rules.about(call);
    await this.#emitCall(call, path);
    await this.#record(() => this.#rules.conversation.finish(call, outcome));
    await this.#emitResult(call, outcome, path, from);
  }

  /**
   * @param {Call} call
   * @param {any} args
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Outcome>}
   */
  async #run(call, args, signal) {
    throwIfAborted(signal);
    const { conversation, toolOf, about } = this.#rules;
    const tool = toolOf(call.tool);
    const { path, isNew } = await about(call);
    await this.#emitCall(call, path);
    await this.#record(() => conversation.begin(call));
    const started = performance.now();
    const result = await outcomeOf(tool, call, args, signal);
    const ms = Math.round(performance.now() - started);
    const outcome = { ...result, ms, ...(path !== undefined && { path }), ...(isNew && result.ok && { isNew }) };
    await this.#record(() => conversation.finish(call, outcome));
    await this.#emitResult(call, outcome, path, 'made');
    return outcome;
  }

  /**
   * Records an event. If that fails, the run must not continue.
   * @param {() => Promise<void>} write
   */
  async #record(write) {
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
  #emitCall({ call, step, tool, input }, path) {
    const event = { type: /** @type {const} */ ('tool_call'), step, call, tool, args: input };
    return this.#rules.emit({ ...event, ...(path !== undefined && { path }) });
  }

  /**
   * @param {Call} call
   * @param {Outcome} outcome
   * @param {string | undefined} path
   * @param {'made' | 'ledger' | 'unknown'} from
   */
  #emitResult({ call, step, tool }, { ok, output, code, error, ms }, path, from) {
    return this.#rules.emit({
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
  if (tool === undefined) return refused(goneTool(call.tool));
  try {
    const output = plain(await tool.execute(args, { abortSignal: signal, toolCallId: call.id }));
    const { success, code, error } = typeof output === 'object' && output !== null ? output : /** @type {any} */ ({});
    if (call.tool === 'test_tool' && output?.ok === false) {
      return { ok: false, output, ms: 0, error: String(output.text ?? 'The tests fail.') };
    }
    if (success !== false) return { ok: true, output, ms: 0 };
    return { ok: false, output, ms: 0, ...(code && { code: String(code) }), ...(error && { error: String(error) }) };
  } catch (error) {
    // The ledger has the outcome; a resumed session reads it there.
    if (signal?.aborted) throw error;
    return { ...refused(modelErrorText(error)), ...(error instanceof TGPError && { code: error.code }) };
  }
}

/**
 * The message for a tool that was removed, renamed or not given again since the model could call it.
 * @param {string} name
 */
function goneTool(name) {
  return `The tool "${name}" does not exist any more, so nothing was done. Search for another one with find_tool.`;
}

/**
 * @param {string} error
 * @returns {Outcome}
 */
function refused(error) {
  return { ok: false, output: undefined, error, ms: 0 };
}

/**
 * A result as JSON data, as the ledger returns it.
 * @param {unknown} output
 */
function plain(output) {
  if (typeof output === 'string') return output.toWellFormed();
  return parseForeignJson(toJsonText(output, 'result', { nonFiniteNumbers: 'null' }));
}
