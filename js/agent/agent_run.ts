/** One run of an agent, from its task to its result. */

import { setMaxListeners } from 'node:events';
import type { LanguageModelV3 as LanguageModel } from '@ai-sdk/provider';
import type { TextStreamPart, ToolSet } from 'ai';
import { onAbort, throwIfAborted, untilAborted } from '../boundary/abort.js';
import { beforeDeadline, TooLate } from '../boundary/deadline.js';
import { AbortedError, ConfigError, ShutdownError, TGPError } from '../boundary/errors.js';
import { settled } from '../boundary/foreign_promise.js';
import { ignored } from '../boundary/guarded.js';
import { messageOf } from '../boundary/thrown.js';
import { AGENT_RUNS } from '../kernel/agent_factory.js';
import type { TGP } from '../kernel/tgp.js';
import type { AgentEvent, AgentOptions, AgentResult, AgentRun } from '../types/agent.js';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../types/policy.js';
import { CallRunner } from './call_runner.js';
import { Context } from './context.js';
import { Conversation } from './conversation.js';
import { EventQueue } from './event_queue.js';
import { instructionsOf } from './instructions.js';
import { optionalPackage } from './optional_package.js';
import { resolveModel } from './providers.js';
import { lineOf, refusedCall, summaryOf } from './summary.js';
import type { AllowedPrograms } from './toolset.js';
import { Toolset } from './toolset.js';
import { turnMiddleware } from './turn_middleware.js';
import { BudgetReached, pricesOf, RunUsage } from './usage.js';

type Ending = Pick<AgentResult, 'outcome' | 'error'>;
type Sdk = typeof import('ai');
type StreamedPart = TextStreamPart<ToolSet>;
/** `stream` is the name of `fullStream` from version 7 of the AI SDK on. */
type TurnStream = { stream?: AsyncIterable<StreamedPart>; readonly fullStream: AsyncIterable<StreamedPart> };
type TaskRequest = {
  session: string;
  task?: string;
  resume: boolean;
  signal?: AbortSignal;
  programs?: AllowedPrograms;
};

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
  /** The error that ends the run. */
  #fatal: unknown;
  #conversation: Conversation;
  #usage: RunUsage;
  #tools: Toolset | undefined;

  constructor(kernel: TGP, options: AgentOptions, request: TaskRequest) {
    this.#kernel = kernel;
    this.#options = options;
    this.#request = request;
    this.#conversation = new Conversation(kernel, request.session, options.name ?? AGENT);
    this.#usage = new RunUsage(options.budget, undefined, 0);
  }

  start(): AgentRun {
    // Every call of a turn adds a listener.
    setMaxListeners(0, this.#stop.signal);
    const events = this.#events;
    let settle: (result: AgentResult) => void = () => {};
    const result = new Promise<AgentResult>((resolve) => {
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

  async #run(settle: (result: AgentResult) => void) {
    const release = onAbort(this.#request.signal, () => {
      this.#stop.abort(this.#request.signal?.reason);
      this.#events.hurry();
    });
    let ending: Ending;
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

  async #work(): Promise<Ending> {
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

  async #loop(sdk: Sdk, model: LanguageModel): Promise<Ending> {
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
    const own = this.#options.tools ?? {};
    const tools = await Toolset.of(this.#kernel, worker, own, conversation, this.#request.programs);
    this.#tools = tools;
    const emit = (event: AgentEvent) => this.#emit(event);
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
      const stream: TurnStream = sdk.streamText({
        model: sdk.wrapLanguageModel({ model, middleware: turnMiddleware(rules) }),
        system: instructionsOf(this.#kernel, worker, { instructions, contextTokens }),
        messages: conversation.messages(),
        tools: tools.wrapped,
        prepareStep: () => {
          tools.refresh((tool) => runner.wrapped(tool));
          return undefined;
        },
        stopWhen: () => this.#fatal !== undefined,
        // turn_middleware.ts retries a turn, before any of its calls is made.
        maxRetries: 0,
        abortSignal: signal,
        experimental_include: { requestBody: false },
        onError: () => {},
      });
      await this.#settle(this.#follow(stream.stream ?? stream.fullStream, runner));
    } finally {
      await this.#settle(runner.idle());
    }
    return this.#endingOfAnswer(conversation.answer?.finish);
  }

  /** Waits for started work, so that its result is recorded; after an interruption for a limited time only. */
  async #settle(work: Promise<void>) {
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

  async #follow(parts: AsyncIterable<StreamedPart>, runner: CallRunner) {
    for await (const part of parts) {
      if (part.type === 'tool-call' && part.invalid)
        runner.invalid(part.toolCallId, messageOf(part.error), this.#stop.signal);
      else if (part.type === 'error') throw part.error;
      else if (part.type === 'abort') throw this.#fatal ?? new AbortedError('The run was interrupted.');
    }
    if (this.#fatal !== undefined) throw this.#fatal;
    throwIfAborted(this.#stop.signal);
  }

  /** @param finish why the model ended its last turn */
  #endingOfAnswer(finish: string | undefined): Ending {
    switch (finish) {
      case 'stop':
      case 'tool-calls': {
        const refused = refusedCall(this.#conversation);
        if (refused === undefined) return { outcome: 'done' };
        const message = `The last call, ${refused.tool}, was not ${refused.code === 'ERR_DENIED' ? 'allowed' : 'approved'}.`;
        return { outcome: 'refused', error: { code: refused.code, message } };
      }
      case 'content-filter':
        return { outcome: 'refused', error: provider('The provider refused to answer (content filter).') };
      case 'length':
        return { outcome: 'failed', error: provider('The answer exceeded the output limit of the model.') };
      default:
        return { outcome: 'failed', error: provider(`The model returned no answer (${finish ?? 'empty response'}).`) };
    }
  }

  #endingOf(thrown: unknown): Ending {
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

  #resultOf({ outcome, error }: Ending): AgentResult {
    const turns = turnsOfTask(this.#conversation);
    const text = turns.findLast(({ text }) => text !== '')?.text ?? '';
    const summary = summaryOf(this.#conversation, this.#usage, (call) => this.#tools?.isForged(call) ?? false);
    return { session: this.#request.session, outcome, text, summary, ...(error && { error }) };
  }

  #approve(): Approve | undefined {
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
      const { approved, by, reason }: Partial<Exclude<ApprovalAnswer, boolean>> =
        typeof answer === 'boolean' ? { approved: answer } : (answer ?? {});
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

  #fail(error: unknown) {
    this.#fatal ??= error;
    this.#stop.abort();
  }

  async #emit(event: AgentEvent) {
    await this.#events.push(event);
  }
}

/** The answer of the approver, or the error that it throws. */
async function answerOf(approve: Approve, request: ApprovalRequest): Promise<ApprovalAnswer | Error> {
  try {
    return (await settled(approve(request))) as ApprovalAnswer;
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
  }
}

function provider(message: string) {
  return { code: 'ERR_PROVIDER' as const, message };
}

/** The turns since the last task. */
function turnsOfTask({ entries }: Conversation) {
  const task = entries.findLastIndex((entry) => 'user' in entry);
  return entries.slice(task + 1).flatMap((entry) => ('step' in entry ? [entry] : []));
}

async function loadSdk(): Promise<Sdk> {
  const sdk = await optionalPackage('ai', 'The agent');
  if (typeof sdk.streamText === 'function' && sdk.ToolLoopAgent !== undefined) return sdk;
  throw new ConfigError('The agent requires version 6 or later of the package ai. Install it with "npm install ai".', {
    details: { package: 'ai' },
  });
}
