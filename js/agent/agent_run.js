/** One run of an agent, from its task to its result. */

import { setMaxListeners } from 'node:events';
import { onAbort, throwIfAborted, untilAborted } from '../boundary/abort.js';
import { beforeDeadline, TooLate } from '../boundary/deadline.js';
import { AbortedError, ConfigError, ShutdownError, TGPError } from '../boundary/errors.js';
import { settled } from '../boundary/foreign_promise.js';
import { ignored } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { AGENT_RUNS } from '../kernel/kernel_agent.js';
import { Context } from './context.js';
import { Conversation } from './conversation.js';
import { EventQueue } from './event_queue.js';
import { instructionsOf } from './instructions.js';
import { MadeCalls } from './made_calls.js';
import { optionalPackage } from './optional_package.js';
import { resolveModel } from './providers.js';
import { lineOf, refusedCall, summaryOf } from './summary.js';
import { Toolset } from './toolset.js';
import { turnMiddleware } from './turns.js';
import { BudgetReached, pricesOf, RunUsage } from './usage.js';

/**
 * @typedef {import('../../index.js').AgentEvent} AgentEvent
 * @typedef {import('../../index.js').AgentResult} AgentResult
 * @typedef {import('../../index.js').AgentOptions} AgentOptions
 * @typedef {Pick<AgentResult, 'outcome' | 'error'>} Ending
 * @typedef {{ session: string, task?: string, resume: boolean, signal?: AbortSignal }} Asked
 */

const CONTEXT_TOKENS = 100_000;
const ATTEMPTS = 5;
const AGENT = 'agent';
/** How long a call that does not heed its signal keeps an interrupted run. */
const LAST_CALL_MS = 3_000;

export class AgentWork {
  #kernel;
  #options;
  #asked;
  #stop = new AbortController();
  #events = new EventQueue(() => this.#stop.abort());
  #lastCallMs = LAST_CALL_MS;
  /** Whether the session is taken up. */
  #isOpen = false;
  /** Why the run cannot go on. @type {unknown} */
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
   * @param {Asked} asked
   */
  constructor(kernel, options, asked) {
    this.#kernel = kernel;
    this.#options = options;
    this.#asked = asked;
    this.#conversation = new Conversation(kernel, asked.session, options.name ?? AGENT);
    this.#usage = new RunUsage(options.budget, undefined, 0);
  }

  /** @returns {import('../../index.js').AgentRun} */
  start() {
    // Each of the calls of a turn listens.
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
    this.#run(settle).catch((error) => this.#kernel.logger.error('A run of an agent has failed.', error));
    return {
      session: this.#asked.session,
      get result() {
        events.leaveUnread();
        return result;
      },
      [Symbol.asyncIterator]: () => events.read(),
    };
  }

  /** @param {(result: AgentResult) => void} settle */
  async #run(settle) {
    const release = onAbort(this.#asked.signal, () => {
      this.#stop.abort(this.#asked.signal?.reason);
      this.#events.hurry();
    });
    /** @type {Ending} */
    let ending;
    try {
      throwIfAborted(this.#asked.signal);
      ending = await this.#worked();
    } catch (error) {
      ending = this.#endingOf(error);
    }
    release();
    const result = this.#resultOf(ending);
    if (this.#isOpen) {
      // Whole: what the ledger does not keep of it is cut off behind the masks.
      const { session: _, ...kept } = result;
      await this.#conversation
        .close({ ...kept, ms: this.#usage.ms })
        .catch((error) => this.#kernel.logger.warn(`The end of the session was not recorded: ${messageOf(error)}`));
    }
    settle(result);
    await this.#events.push({ type: 'end', ...result });
    this.#events.end();
  }

  /** @returns {Promise<Ending>} */
  async #worked() {
    const { task, resume } = this.#asked;
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
    await this.#tell({
      type: 'start',
      session: conversation.session,
      task: conversation.task,
      model: model.modelId,
      resumed: resume,
    });
    if (conversation.answer !== undefined) return this.#answered(conversation.answer.finish);
    return this.#looped(sdk, model);
  }

  /**
   * @param {any} sdk
   * @param {any} model
   * @returns {Promise<Ending>}
   */
  async #looped(sdk, model) {
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
    const tell = (/** @type {AgentEvent} */ event) => this.#tell(event);
    const made = new MadeCalls({
      conversation,
      tell,
      toolOf: (name) => tools.toolOf(name),
      about: (call) => tools.about(call),
      maxChars: this.#kernel.config.agent.resultChars,
      fail: (error) => this.#fail(error),
    });
    try {
      await made.settle(signal);
      const context = new Context(contextTokens, (id) => {
        const call = conversation.callOf(id);
        return call && { call: call.call, line: lineOf(call, conversation.outcomeOf(call.call)) };
      });
      const rules = { conversation, usage: this.#usage, context, tell, settled: () => made.idle(), attempts };
      tools.refresh((tool) => made.wrapped(tool));
      const stream = sdk.streamText({
        model: sdk.wrapLanguageModel({ model, middleware: turnMiddleware(rules) }),
        system: instructionsOf(this.#kernel, worker, { instructions, contextTokens }),
        messages: conversation.messages(),
        tools: tools.wrapped,
        prepareStep: () => tools.refresh((tool) => made.wrapped(tool)),
        stopWhen: () => this.#fatal !== undefined,
        // Turns are asked for again below, where nothing has come of them yet.
        maxRetries: 0,
        abortSignal: signal,
        experimental_include: { requestBody: false },
        onError: () => {},
      });
      // Version 7 has another name for it.
      await this.#ended(this.#followed(stream.stream ?? stream.fullStream, made));
    } finally {
      await this.#ended(made.idle());
    }
    return this.#answered(conversation.answer?.finish);
  }

  /**
   * What was begun is waited for, so that its end is on record; once somebody wants to go, for a moment only.
   * @param {Promise<void>} work
   */
  async #ended(work) {
    const { signal } = this.#stop;
    await untilAborted(work, signal).catch(ignored);
    try {
      await (signal.aborted ? beforeDeadline(() => work, this.#lastCallMs) : work);
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
      this.#lastCallMs = 0;
      throw new AbortedError('The run was interrupted.');
    }
  }

  /**
   * @param {AsyncIterable<any>} parts
   * @param {MadeCalls} made
   */
  async #followed(parts, made) {
    for await (const part of parts) {
      if (part.type === 'tool-call' && part.invalid)
        made.invalid(part.toolCallId, messageOf(part.error), this.#stop.signal);
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
  #answered(finish) {
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
        return { outcome: 'failed', error: provider('The answer was longer than the model may answer.') };
      default:
        return { outcome: 'failed', error: provider(`The model gave no answer (${finish ?? 'nothing came'}).`) };
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
    if (isOver || this.#asked.signal?.aborted || error instanceof ShutdownError) {
      const resumable = this.#isOpen ? 'It can be resumed.' : 'It had not begun.';
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
    return { session: this.#asked.session, outcome, text, summary, ...(error && { error }) };
  }

  /** @returns {import('../../index.js').Approve | undefined} */
  #approve() {
    const { approve } = this.#options;
    if (approve === undefined) return undefined;
    return async (request) => {
      const { signal: _, ...shown } = request;
      await this.#tell({ type: 'approval', state: 'asked', request: shown });
      const answer = await answerOf(approve, request);
      if (answer instanceof Error) {
        await this.#tell({ type: 'approval', state: 'answered', request: shown, approved: false });
        throw answer;
      }
      const { approved, by, reason } =
        typeof answer === 'boolean' ? { approved: answer } : /** @type {any} */ (answer ?? {});
      await this.#tell({
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
  async #tell(event) {
    await this.#events.push(event);
  }
}

/**
 * What whoever approves says, or what is thrown instead.
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
 * The turns since somebody last said what to do.
 * @param {Conversation} conversation
 */
function turnsOfTask({ said }) {
  const task = said.findLastIndex((one) => 'user' in one);
  return said.slice(task + 1).flatMap((one) => ('step' in one ? [one] : []));
}

async function loadSdk() {
  const sdk = await optionalPackage('ai', 'The agent');
  if (typeof sdk.streamText === 'function' && sdk.ToolLoopAgent !== undefined) return sdk;
  throw new ConfigError('The agent needs version 6 or later of the package ai. Install it with "npm install ai".', {
    details: { package: 'ai' },
  });
}
