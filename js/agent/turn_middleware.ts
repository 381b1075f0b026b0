/** AI SDK middleware of the agent: every turn is complete, recorded and within the budget before the tool loop sees it. */

import type {
  LanguageModelV3CallOptions as CallOptions,
  LanguageModelV3 as LanguageModel,
  LanguageModelV3Middleware,
  LanguageModelV3StreamPart as StreamPart,
} from '@ai-sdk/provider';
import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { TGPError } from '../boundary/errors.js';
import { guarded, ignored } from '../boundary/guarded.js';
import type { AgentEvent } from '../types/agent.js';
import type { Context } from './context.js';
import type { Call, Conversation } from './conversation.js';
import { isNotImplemented, isRetryable, ProviderError, reasonOf, waitAfter } from './provider_errors.js';
import { cannotStream } from './providers.js';
import type { Turn } from './turn_reader.js';
import { readTurn } from './turn_reader.js';
import type { RunUsage } from './usage.js';

type TurnRules = {
  conversation: Conversation;
  usage: RunUsage;
  context: Context;
  emit: (event: AgentEvent) => Promise<void>;
  /** Resolves when every call of the previous turn has a result */
  settled: () => Promise<void>;
  attempts: number;
};

/** Minimum output limit that providers accept. */
const MIN_ANSWER_TOKENS = 256;
const CHARS_PER_TOKEN = 4;

export function turnMiddleware(rules: TurnRules): LanguageModelV3Middleware {
  return {
    specificationVersion: 'v3',
    wrapStream: async ({ params, model }) => {
      const turn = await nextTurn(rules, params, model);
      return { stream: streamOf(turn.parts) };
    },
  };
}

/**
 * Requests the next turn and records it. The tool loop sees a turn only when it is complete and recorded: no call of an
 * incomplete turn is made, and an incomplete turn is retried.
 */
async function nextTurn(rules: TurnRules, params: CallOptions, model: LanguageModel): Promise<Turn> {
  const { conversation, usage, context, emit, settled } = rules;
  await settled();
  const step = conversation.steps + 1;
  const { prompt, tokens, chars, compacted } = await context.fitted(params);
  usage.refuseBeyond(tokens);
  if (compacted !== undefined) await emit({ type: 'compacted', step, ...compacted });
  const received = await attempted(rules, { ...params, prompt, ...longest(usage.tokensLeft, tokens) }, model, step);
  const turn = {
    ...received,
    usage: usage.counted(received.usage, () => ({ input: tokens, output: answerTokens(received), cached: 0 })),
  };
  const calls = await conversation.turn(turn);
  usage.add(turn.usage);
  context.learn(chars, received.usage.input);
  const { input, output } = turn.usage;
  const { total, money } = usage;
  await emit({ type: 'usage', step, input, output, total, ...(money !== undefined && { money }) });
  return { ...turn, parts: turn.parts.map((part) => namedPart(part, turn, calls)) };
}

/** Estimates the tokens of a response. */
function answerTokens({ text, calls }: Turn) {
  const chars = calls.reduce((sum, { part }) => sum + String(part.input ?? '').length, text.length);
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** The output limit, if the budget limits tokens. */
function longest(left: number | undefined, sent: number) {
  return left === undefined ? {} : { maxOutputTokens: Math.max(MIN_ANSWER_TOKENS, left - sent) };
}

async function attempted(
  { emit, attempts, usage }: TurnRules,
  params: CallOptions,
  model: LanguageModel,
  step: number,
): Promise<Turn> {
  const { abortSignal } = params;
  const onText = (text: string) => emit({ type: 'text', step, text });
  for (let attempt = 1; ; attempt++) {
    const deadline = timeUp(usage);
    try {
      const signal = deadline.signal && abortSignal ? AbortSignal.any([abortSignal, deadline.signal]) : abortSignal;
      return await readTurn(
        (own) => model.doStream({ ...params, abortSignal: own }),
        onText,
        signal ?? deadline.signal,
      );
    } catch (error) {
      throwIfAborted(abortSignal);
      if (deadline.signal?.aborted) throw usage.timeIsUp();
      if (error instanceof TGPError) throw error;
      if (isNotImplemented(error)) throw cannotStream(reasonOf(error));
      if (!isRetryable(error) || attempt >= attempts) throw failed(error, attempt);
      const waitMs = waitAfter(error, attempt);
      const left = usage.msLeft;
      if (left !== undefined && left <= waitMs) throw usage.tooLong(waitMs);
      await emit({ type: 'retry', step, attempt, waitMs, reason: reasonOf(error) });
      await pause(waitMs, abortSignal);
    } finally {
      deadline.release();
    }
  }
}

function failed(error: unknown, attempt: number) {
  const often = attempt > 1 ? ` after ${attempt} attempts` : '';
  return new ProviderError(`The provider returned no answer${often}: ${reasonOf(error)}`, error);
}

/** Fires at the time limit of the run. It ends model turns, but not running calls. */
function timeUp(usage: RunUsage): { signal?: AbortSignal; release: () => void } {
  const { msLeft } = usage;
  if (msLeft === undefined) return { release: ignored };
  const over = new AbortController();
  const timer = setTimeout(
    guarded(ignored, () => over.abort()),
    msLeft,
  );
  return { signal: over.signal, release: () => clearTimeout(timer) };
}

async function pause(ms: number, signal: AbortSignal | undefined) {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await untilAborted(over, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Replaces the id of a call by its unique id in the session. */
function namedPart(part: StreamPart, turn: Turn, calls: Call[]): StreamPart {
  // The SDK would print warnings to the console, which may be reserved for other output.
  if (part.type === 'stream-start') return { ...part, warnings: [] };
  if (part.type !== 'tool-call') return part;
  const named = calls[turn.calls.findIndex((call) => call.part === part)];
  return named === undefined ? part : { ...part, toolCallId: named.id };
}

function streamOf(parts: StreamPart[]) {
  return new ReadableStream<StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
