/** One run of an agent, from its task to its result. */

import { setMaxListeners } from 'node:events';
import { onAbort, throwIfAborted, untilAborted } from '../boundary/abort.js';
import { beforeDeadline, TooLate } from '../boundary/deadline.js';
import { AbortedError, ConfigError, ShutdownError, TGPError } from '../boundary/errors.js';
import { settled } from '../boundary/foreign_promise.js';
import { ignored } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { AGENT_RUNS } from '../kernel/kernel_agent.js';
import { CallRunner } from './call_runner.js';
import { Context } from './context.js';
import { Conversation } from './conversation.js';
import { EventQueue } from './event_queue.js';
import { instructionsOf } from './instructions.js';
import { optionalPackage } from './optional_package.js';
import { resolveModel } from './providers.js';
import { lineOf, refusedCall, summaryOf } from './summary.js';
import { Toolset } from './toolset.js';
import { turnMiddleware } from './turn_middleware.js';
import { BudgetReached, pricesOf, RunUsage } from './usage.js';

/**
 * @typedef {import('../../index.js').AgentEvent} AgentEvent
 * @typedef {import('../../index.js').AgentResult} AgentResult
 * @typedef {import('../../index.js').AgentOptions} AgentOptions
 * @typedef {Pick<AgentResult, 'outcome' | 'error'>} Ending
 * @typedef {{ session: string, task?: string, resume: boolean, signal?: AbortSignal }} RunRequest
 */

const CONTEXT_TOKENS = 100_000;
const ATTEMPTS = 5;
const AGENT = 'agent';
/** Longest wait of an interrupted run for a call that ignores its signal. */
const LAST_CALL_TIMEOUT_MS = 3_000;

export class AgentWork {
  #kernel;
  #options;
  #request;
  #stop = new AbortController();
  #events = new EventQueue(() => this.#stop.abort());
  #lastCallTimeoutMs = LAST_CALL_TIMEOUT_MS;
  /** Whether this run has opened the session. */
  #isOpen = false;
  /** The error that ends the run. @type {unknown} */
  #fatal;
  /** @type {Conversation} */
  #conversation;
  /** @type {RunUsage} */
  #usage;
  /** @type {Toolset | undefined} */
  #tools;

  /**
   * @param {any} kernel
   * @param {AgentOptions} options
   * @param {RunRequest} request
   */
  constructor(kernel, options, request) {
    this.#kernel = kernel;
    this.#options = options;
    this.#request = request;
    this.#conversation = new Conversation(kernel, request.session, options.name ?? AGENT);
    this.#usage = new RunUsage(options.budget, undefined, 0);
  }

  /** @returns {import('../../index.js').AgentRun} */
  start() {
    // Every call of a turn adds a listener.
    setMaxListeners(0, this.#stop.signal);
    const events = this.#events;
    /** @type {(result: AgentResult) => void} */
    let settle = () => {};
    const result = new Promise((/** @type {(result: AgentResult) => void} */ resolve) => {
      settle = resolve;
    });
    const stop = () => {
      this.#stop.abort();
      events.hurry();
    };
    this.#kernel[AGENT_RUNS].add({ stop, result });
    this.#run(settle).catch((error) => this.#kernel.logger.error('An agent run failed.', error));
    return {
      session: this.#request.session,
      get result() {
        events.leaveUnread();
        return result;
      },
      [Symbol.asyncIterator]: () => events.read(),
    };
  }

  /** @param {(result: AgentResult) => void} settle */
  async #run(settle) {
    const release = onAbort(this.#request.signal, () => {
      this.#stop.abort(this.#request.signal?.reason);
      this.#events.hurry();
    });
    /** @type {Ending} */
    let ending;
    try {
      throwIfAborted(this.#request.signal);
      ending = await this.#work();
    } catch (error) {
      ending = this.#endingOf(error);
    }
    release();
    const result = this.#resultOf(ending);
    if (this.#isOpen) {
      // Complete: the ledger masks secrets first and truncates afterwards.
      const { session: _, ...kept } = result;
      await this.#conversation
        .close({ ...kept, ms: this.#usage.ms })
        .catch((error) =>
          this.#kernel.logger.warn(`The ledger could not record the end of the session: ${messageOf(error)}`),
        );
    }
    settle(result);
    await this.#events.push({ type: 'end', ...result });
    this.#events.end();
  }

  /** @returns {Promise<Ending>} */
  async #work() {
    const { task, resume } = this.#request;
    const { mode, budget, prices } = this.#options;
    const sdk = await loadSdk();
    const model = await resolveModel(this.#options.model);
    const priced = pricesOf(prices, model.modelId);
    new RunUsage(budget, priced, 0).refuseUnpriced(model.modelId);
    const conversation = this.#conversation;
    await conversation.open({ task, resume, model: model.modelId, mode });
    this.#isOpen = true;
    this.#usage = new RunUsage(budget, priced, conversation.msBefore);
    for (const turn of turnsOfTask(conversation)) this.#usage.add(turn.usage);
    await this.#emit({
      type: 'start',
      session: conversation.session,
      task: conversation.task,
      model: model.modelId,
      resumed: resume,
    });
    if (conversation.answer !== undefined) return this.#endingOfAnswer(conversation.answer.finish);
    return this.#loop(sdk, model);
  }

  /**
   * @param {any} sdk
   * @param {any} model
   * @returns {Promise<Ending>}
   */
  async #loop(sdk, model) {
    const conversation = this.#conversation;
    const { signal } = this.#stop;
    const { instructions, contextTokens = CONTEXT_TOKENS, attempts = ATTEMPTS, mode, token, dryRun } = this.#options;
    const worker = {
      session: conversation.session,
      model: model.modelId,
      agent: this.#options.name ?? AGENT,
      token,
      dryRun,
      mode,
      approve: this.#approve(),
    };
    const tools = await Toolset.of(this.#kernel, worker, this.#options.tools ?? {}, conversation);
    this.#tools = tools;
    const emit = (/** @type {AgentEvent} */ event) => this.#emit(event);
    const runner = new CallRunner({
      conversation,
      emit,
      toolOf: (name) => tools.toolOf(name),
      about: (call) => tools.about(call),
      maxChars: this.#kernel.config.agent.resultChars,
      fail: (error) => this.#fail(error),
    });
    try {
      await runner.settle(signal);
      const context = new Context(contextTokens, (id) => {
        const call = conversation.callOf(id);
        return call && { call: call.call, line: lineOf(call, conversation.outcomeOf(call.call)) };
      });
      const rules = { conversation, usage: this.#usage, context, emit, settled: () => runner.idle(), attempts };
      tools.refresh((tool) => runner.wrapped(tool));
      const stream = sdk.streamText({
        model: sdk.wrapLanguageModel({ model, middleware: turnMiddleware(rules) }),
        system: instructionsOf(this.#kernel, worker, { instructions, contextTokens }),
        messages: conversation.messages(),
        tools: tools.wrapped,
        prepareStep: () => tools.refresh((tool) => runner.wrapped(tool)),
        stopWhen: () => this.#fatal !== undefined,
        // turn_middleware.js retries a turn, before any of its calls is made.
        maxRetries: 0,
        abortSignal: signal,
        experimental_include: { requestBody: false },
        onError: () => {},
      });
      // Version 7 of the AI SDK renamed it.
      await this.#settle(this.#follow(stream.stream ?? stream.fullStream, runner));
    } finally {
      await this.#settle(runner.idle());
    }
    return this.#endingOfAnswer(conversation.answer?.finish);
  }

  /**
   * Waits for started work, so that its result is recorded; after an interruption for a limited time only.
   * @param {Promise<void>} work
   */
  async #settle(work) {
    const { signal } = this.#stop;
    await untilAborted(work, signal).catch(ignored);
    try {
      await (signal.aborted ? beforeDeadline(() => work, this.#lastCallTimeoutMs) : work);
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
      this.#lastCallTimeoutMs = 0;
      throw new AbortedError('The run was interrupted.');
    }
  }

  /**
   * @param {AsyncIterable<any>} parts
   * @param {CallRunner} runner
   */
  async #follow(parts, runner) {
    for await (const part of parts) {
      if (part.type === 'tool-call' && part.invalid)
        runner.invalid(part.toolCallId, messageOf(part.error), this.#stop.signal);
      else if (part.type === 'error') throw part.error;
      else if (part.type === 'abort') throw this.#fatal ?? new AbortedError('The run was interrupted.');
    }
    if (this.#fatal !== undefined) throw this.#fatal;
    throwIfAborted(this.#stop.signal);
  }

  /**
   * @param {string | undefined} finish why the model ended its last turn
   * @returns {Ending}
   */
  #endingOfAnswer(finish) {
    switch (finish) {
      case 'stop':
      case 'tool-calls': {
        const refused = refusedCall(this.#conversation);
        if (refused === undefined) return { outcome: 'done' };
        const message = `The last call, ${refused.tool}, was not ${refused.code === 'ERR_DENIED' ? 'allowed' : 'approved'}.`;
        return { outcome: 'refused', error: { code: /** @type {any} */ (refused.code), message } };
      }
      case 'content-filter':
        return { outcome: 'refused', error: provider('The provider refused to answer (content filter).') };
      case 'length':
        return { outcome: 'failed', error: provider('The answer exceeded the output limit of the model.') };
      default:
        return { outcome: 'failed', error: provider(`The model returned no answer (${finish ?? 'empty response'}).`) };
    }
  }

  /**
   * @param {unknown} thrown
   * @returns {Ending}
   */
  #endingOf(thrown) {
    const error = this.#fatal ?? thrown;
    const message = messageOf(error);
    if (error instanceof BudgetReached) return { outcome: 'budget', error: { code: 'ERR_BUDGET', message } };
    const isOver = this.#fatal === undefined && this.#stop.signal.aborted;
    if (isOver || this.#request.signal?.aborted || error instanceof ShutdownError) {
      const resumable = this.#isOpen ? 'It can be resumed.' : 'It had not started.';
      const why = error instanceof ShutdownError ? message : `The run was interrupted. ${resumable}`;
      return { outcome: 'interrupted', error: { code: 'ERR_ABORTED', message: why } };
    }
    return { outcome: 'failed', error: { code: error instanceof TGPError ? error.code : 'ERR_PROVIDER', message } };
  }

  /**
   * @param {Ending} ending
   * @returns {AgentResult}
   */
  #resultOf({ outcome, error }) {
    const turns = turnsOfTask(this.#conversation);
    const text = turns.findLast(({ text }) => text !== '')?.text ?? '';
    const summary = summaryOf(this.#conversation, this.#usage, (call) => this.#tools?.isForged(call) ?? false);
    return { session: this.#request.session, outcome, text, summary, ...(error && { error }) };
  }

  /** @returns {import('../../index.js').Approve | undefined} */
  #approve() {
    const { approve } = this.#options;
    if (approve === undefined) return undefined;
    return async (request) => {
      const { signal: _, ...shown } = request;
      await this.#emit({ type: 'approval', state: 'asked', request: shown });
      const answer = await answerOf(approve, request);
      if (answer instanceof Error) {
        await this.#emit({ type: 'approval', state: 'answered', request: shown, approved: false });
        throw answer;
      }
      const { approved, by, reason } =
        typeof answer === 'boolean' ? { approved: answer } : /** @type {any} */ (answer ?? {});
      await this.#emit({
        type: 'approval',
        state: 'answered',
        request: shown,
        approved: approved === true,
        ...(by !== undefined && { by: String(by) }),
        ...(reason !== undefined && { reason: String(reason) }),
      });
      return answer;
    };
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#fatal ??= error;
    this.#stop.abort();
  }

  /** @param {AgentEvent} event */
  async #emit(event) {
    await this.#events.push(event);
  }
}

/**
 * The answer of the approver, or the error that it throws.
 * @param {import('../../index.js').Approve} approve
 * @param {import('../../index.js').ApprovalRequest} request
 * @returns {Promise<import('../../index.js').ApprovalAnswer | Error>}
 */
async function answerOf(approve, request) {
  try {
    return /** @type {import('../../index.js').ApprovalAnswer} */ (await settled(approve(request)));
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
  }
}

/** @param {string} message */
function provider(message) {
  return { code: /** @type {const} */ ('ERR_PROVIDER'), message };
}

/**
 * The turns since the last task.
 * @param {Conversation} conversation
 */
function turnsOfTask({ entries }) {
  const task = entries.findLastIndex((entry) => 'user' in entry);
  return entries.slice(task + 1).flatMap((entry) => ('step' in entry ? [entry] : []));
}

async function loadSdk() {
  const sdk = await optionalPackage('ai', 'The agent');
  if (typeof sdk.streamText === 'function' && sdk.ToolLoopAgent !== undefined) return sdk;
  throw new ConfigError('The agent requires version 6 or later of the package ai. Install it with "npm install ai".', {
    details: { package: 'ai' },
  });
}
