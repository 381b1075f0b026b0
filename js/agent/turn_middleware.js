/** AI SDK middleware of the agent: every turn is complete, recorded and within the budget before the tool loop sees it. */

import { throwIfAborted, untilAborted } from '../boundary/abort.js';
import { TGPError } from '../boundary/errors.js';
import { guarded, ignored } from '../boundary/guarded.js';
import { isRetryable, ProviderError, reasonOf, waitAfter } from './provider_errors.js';
import { readTurn } from './turn_reader.js';

/**
 * @typedef {import('./turn_reader.js').Turn} Turn
 * @typedef {object} TurnRules
 * @property {import('./conversation.js').Conversation} conversation
 * @property {import('./usage.js').RunUsage} usage
 * @property {import('./context.js').Context} context
 * @property {(event: import('../../index.js').AgentEvent) => Promise<void>} emit
 * @property {() => Promise<void>} settled resolves when every call of the previous turn has a result
 * @property {number} attempts
 */

/** Minimum output limit that providers accept. */
const MIN_ANSWER_TOKENS = 256;
const CHARS_PER_TOKEN = 4;

/**
 * @param {TurnRules} rules
 * @returns {any} a middleware of the AI SDK
 */
export function turnMiddleware(rules) {
  return {
    specificationVersion: 'v3',
    wrapStream: async (/** @type {any} */ { params, model }) => {
      const turn = await nextTurn(rules, params, model);
      return { stream: streamOf(turn.parts) };
    },
  };
}

/**
 * Requests the next turn and records it. The tool loop sees a turn only when it is complete and recorded: no call of an
 * incomplete turn is made, and an incomplete turn is retried.
 * @param {TurnRules} rules
 * @param {any} params
 * @param {any} model
 * @returns {Promise<Turn>}
 */
async function nextTurn(rules, params, model) {
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

/**
 * Estimates the tokens of a response.
 * @param {Turn} turn
 */
function answerTokens({ text, calls }) {
  const chars = calls.reduce((sum, { part }) => sum + String(part.input ?? '').length, text.length);
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/**
 * The output limit, if the budget limits tokens.
 * @param {number | undefined} left
 * @param {number} sent
 */
function longest(left, sent) {
  return left === undefined ? {} : { maxOutputTokens: Math.max(MIN_ANSWER_TOKENS, left - sent) };
}

/**
 * @param {TurnRules} rules
 * @param {any} params
 * @param {any} model
 * @param {number} step
 * @returns {Promise<Turn>}
 */
async function attempted({ emit, attempts, usage }, params, model, step) {
  const { abortSignal } = params;
  const onText = (/** @type {string} */ text) => emit({ type: 'text', step, text });
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

/**
 * @param {unknown} error
 * @param {number} attempt
 */
function failed(error, attempt) {
  const often = attempt > 1 ? ` after ${attempt} attempts` : '';
  return new ProviderError(`The provider returned no answer${often}: ${reasonOf(error)}`, error);
}

/**
 * Fires at the time limit of the run. It ends model turns, but not running calls.
 * @param {import('./usage.js').RunUsage} usage
 * @returns {{ signal?: AbortSignal, release: () => void }}
 */
function timeUp(usage) {
  const { msLeft } = usage;
  if (msLeft === undefined) return { release: ignored };
  const over = new AbortController();
  const timer = setTimeout(
    guarded(ignored, () => over.abort()),
    msLeft,
  );
  return { signal: over.signal, release: () => clearTimeout(timer) };
}

/**
 * @param {number} ms
 * @param {AbortSignal | undefined} signal
 */
async function pause(ms, signal) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await untilAborted(over, signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Replaces the id of a call by its unique id in the session.
 * @param {any} part
 * @param {Turn} turn
 * @param {import('./conversation.js').Call[]} calls
 */
function namedPart(part, turn, calls) {
  // The SDK would print warnings to the console, which may be reserved for other output.
  if (part.type === 'stream-start') return { ...part, warnings: [] };
  const named = calls[turn.calls.findIndex((call) => call.part === part)];
  return named === undefined ? part : { ...part, toolCallId: named.id };
}

/** @param {any[]} parts */
function streamOf(parts) {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
