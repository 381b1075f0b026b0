/** Runs the tool calls of a model. Each call is recorded before it is made, and its result before the model reads it. */

import type { JSONValue } from '@ai-sdk/provider';
import { modelErrorText } from '../agent_tools/model_text.js';
import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { TGPError } from '../boundary/errors.js';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';
import { ignored } from '../boundary/guarded.js';
import { toJsonText } from '../boundary/json_text.js';
import type { AgentEvent } from '../types/agent.js';
import type { TGPErrorCode } from '../types/errors.js';
import type { AgentTool } from '../types/tools.js';
import type { Call, CallOutcome, Conversation } from './conversation.js';
import { jsonHash } from './json_hash.js';
import { recoveredOutcome } from './recovered_calls.js';

type CallRules = {
  conversation: Conversation;
  emit: (event: AgentEvent) => Promise<void>;
  toolOf: (name: string) => AgentTool | undefined;
  /** The file of a call, and whether it is new */
  about: (call: Call) => Promise<{ path?: string; isNew?: true }>;
  /** Maximum characters of a result. */
  maxChars: number;
  /** Ends the run, because an event could not be recorded */
  fail: (error: unknown) => void;
};

const NOT_JSON = 'The arguments are not valid JSON, so nothing was done. Send one JSON object.';
const NOT_KEPT =
  'This call was not made: the session was interrupted before it, and the ledger does not hold its exact arguments. Make it again if it is still needed.';

export class CallRunner {
  #rules;
  /** The completion of each call: calls of a turn run one at a time, in the order of the model. */
  #ends = new Map<string, { promise: Promise<void>; end: () => void }>();
  /** Running calls. */
  #open = new Set<Promise<unknown>>();

  constructor(rules: CallRules) {
    this.#rules = rules;
  }

  /** A tool whose calls are recorded and run in order. */
  wrapped(tool: AgentTool): AgentTool {
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

  async #inTurn<T>(id: string, signal: AbortSignal | undefined, work: (call: Call) => Promise<T>): Promise<T> {
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

  #endOf(call: string) {
    const existing = this.#ends.get(call);
    if (existing !== undefined) return existing;
    let end = ignored;
    const promise = new Promise<void>((resolve) => {
      end = resolve;
    });
    const completion = { promise, end };
    this.#ends.set(call, completion);
    return completion;
  }

  /**
   * Completes the calls of an interrupted session that have no result. A call that was not started is made now; the result of a
   * started call is read from the ledger. No call is made twice.
   */
  async settle(signal: AbortSignal | undefined) {
    const { conversation, toolOf, maxChars } = this.#rules;
    for (const call of conversation.openCalls) {
      throwIfAborted(signal);
      const recovered = await recoveredOutcome(conversation, call, toolOf(call.tool), maxChars);
      if (recovered !== undefined) await this.#finish(call, recovered.outcome, recovered.from);
      else if (jsonHash(call.input) !== call.sha) {
        await this.#finish(call, refused('ERR_ABORTED', NOT_KEPT), 'ledger');
      } else await this.#run(call, call.input, signal);
    }
  }

  /**
   * Records a call that was not made because its arguments or its tool are not valid, in order with the other calls.
   * @param error the message for the model
   */
  invalid(id: string, error: string, signal: AbortSignal) {
    const outcome = refused('ERR_VALIDATION', error);
    this.#inTurn(id, signal, (call) => this.#finish(call, outcome, 'made')).catch(ignored);
  }

  async #finish(call: Call, outcome: CallOutcome, from: 'made' | 'ledger' | 'unknown') {
    const { path } = await this.#rules.about(call);
    await this.#emitCall(call, path);
    await this.#record(() => this.#rules.conversation.finish(call, outcome));
    await this.#emitResult(call, outcome, path, from);
  }

  async #run(call: Call, args: unknown, signal: AbortSignal | undefined): Promise<CallOutcome> {
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

  /** Records an event. If that fails, the run must not continue. */
  async #record(write: () => Promise<void>) {
    try {
      await write();
    } catch (error) {
      this.#rules.fail(error);
      throw error;
    }
  }

  #emitCall({ call, step, tool, input }: Call, path: string | undefined) {
    const event = { type: 'tool_call' as const, step, call, tool, args: input };
    return this.#rules.emit({ ...event, ...(path !== undefined && { path }) });
  }

  #emitResult(
    { call, step, tool }: Call,
    { ok, output, code, error, ms }: CallOutcome,
    path: string | undefined,
    from: 'made' | 'ledger' | 'unknown',
  ) {
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

async function outcomeOf(
  tool: AgentTool | undefined,
  call: Call,
  args: unknown,
  signal: AbortSignal | undefined,
): Promise<CallOutcome> {
  if (typeof args !== 'object' || args === null) return refused('ERR_VALIDATION', NOT_JSON);
  if (tool === undefined) return refused('ERR_NOT_FOUND', goneTool(call.tool));
  try {
    const output = plain(await tool.execute(args, { abortSignal: signal, toolCallId: call.id }));
    const { success, code, error, ok, text } = isRecord(output) ? output : {};
    if (call.tool === 'test_tool' && ok === false) {
      return { ok: false, output, ms: 0, error: String(text ?? 'The tests fail.') };
    }
    if (success !== false) return { ok: true, output, ms: 0 };
    return { ok: false, output, ms: 0, ...(code && { code: String(code) }), ...(error && { error: String(error) }) };
  } catch (error) {
    // The ledger has the outcome; a resumed session reads it there.
    if (signal?.aborted) throw error;
    return refused(error instanceof TGPError ? error.code : undefined, modelErrorText(error));
  }
}

/** The message for a tool that was removed, renamed or not given again since the model could call it. */
function goneTool(name: string) {
  return `The tool "${name}" does not exist any more, so nothing was done. Search for another one with find_tool.`;
}

function refused(code: TGPErrorCode | undefined, error: string): CallOutcome {
  return { ok: false, output: undefined, ...(code !== undefined && { code }), error, ms: 0 };
}

/** A result as JSON data, as the ledger returns it. */
function plain(output: unknown): JSONValue {
  if (typeof output === 'string') return output.toWellFormed();
  return parseForeignJson(toJsonText(output, 'result', { nonFiniteNumbers: 'null' })) as JSONValue;
}
