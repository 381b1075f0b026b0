/** Reads one turn of a model from its stream: the complete turn, or an error. */

import { setImmediate } from 'node:timers/promises';
import { onAbort, throwIfAborted } from '../boundary/abort.js';
import { LimitError } from '../boundary/errors.js';
import { BadJson, parseForeignJson } from '../boundary/foreign_json.js';
import { guarded, ignored } from '../boundary/guarded.js';
import { fingerprint } from './fingerprint.js';
import { TruncatedTurn } from './provider_errors.js';
import { keptParts } from './reasoning_parts.js';

/**
 * @typedef {import('../kernel/session_fold.js').Usage} Usage
 * @typedef {{ id: string, tool: string, input: any, sha: string, part: any }} RequestedCall `part` as passed to the tool loop
 * @typedef {object} Turn
 * @property {any[]} parts as the provider's client gave them
 * @property {string} text
 * @property {RequestedCall[]} calls
 * @property {import('./reasoning_parts.js').KeptPart[]} kept reasoning parts that the provider needs back unchanged
 * @property {Usage} usage
 * @property {string} finish
 */

/** Longer than any turn of a model. */
const MAX_TURN_CHARS = 8 << 20;
const MAX_PARTS = 1_000_000;
const PARTS_AT_ONCE = 256;
const MAX_CALLS = 200;
const MAX_ARGUMENT_DEPTH = 64;
/** Replaces arguments that are nested too deep. It is not JSON, so the call is refused and the model reads this text. */
const TOO_DEEP = `The arguments are nested more than ${MAX_ARGUMENT_DEPTH} deep. Make them flatter.`;
/** Finish reasons of a complete turn, whose calls are made. */
const COMPLETE = new Set(['stop', 'tool-calls']);
/** Stream parts that the tool loop does not need: each call is repeated as one part. */
const PIECES = new Set(['tool-input-start', 'tool-input-delta', 'tool-input-end', 'raw']);
/** A provider that sends nothing for this long is treated as disconnected. */
const SILENCE_TIMEOUT_MS = 180_000;

/**
 * @param {(signal: AbortSignal) => PromiseLike<{ stream: ReadableStream<any> }>} ask
 * @param {(text: string) => Promise<void>} onText receives each piece of text; it is awaited
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Turn>}
 */
export async function readTurn(ask, onText, signal) {
  throwIfAborted(signal);
  const own = new AbortController();
  const release = onAbort(signal, () => own.abort(signal?.reason));
  try {
    const { stream } = await aborting(ask(own.signal), own);
    const turn = await collected(stream, onText, own);
    throwIfAborted(signal);
    return turn;
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    release();
    // Stops any remaining work of the client.
    own.abort();
  }
}

/**
 * @param {ReadableStream<any>} stream
 * @param {(text: string) => Promise<void>} onText
 * @param {AbortController} own
 * @returns {Promise<Turn>}
 */
async function collected(stream, onText, own) {
  /** @type {any[]} */
  const parts = [];
  let [text, chars, count, calls] = ['', 0, 0, 0];
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value: part } = await aborting(reader.read(), own);
      if (done) throw new TruncatedTurn('The response ended early.');
      if (!PIECES.has(part.type) && !isJoined(parts, part)) parts.push(part);
      chars += lengthOf(part);
      count += 1;
      if (chars > MAX_TURN_CHARS || count > MAX_PARTS) {
        throw new LimitError(`The response is longer than ${MAX_TURN_CHARS} characters.`);
      }
      if (part.type === 'tool-call') calls += 1;
      if (calls > MAX_CALLS) throw new LimitError(`The model requested more than ${MAX_CALLS} calls in one turn.`);
      // Yields to the event loop: a stream that never waits would block timers and I/O.
      if (count % PARTS_AT_ONCE === 0) await setImmediate();
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta' && part.delta !== '') {
        text += part.delta;
        await onText(String(part.delta));
      }
      if (part.type === 'finish') return turnOf(parts, text, part);
    }
  } finally {
    reader.cancel().catch(ignored);
  }
}

/** Delta parts of a text. They are joined, because a model may send a hundred thousand. */
const DELTAS = new Set(['text-delta', 'reasoning-delta']);

/**
 * Joins a delta to the previous one of the same text, unless it has provider metadata.
 * @param {any[]} parts
 * @param {any} part
 */
function isJoined(parts, part) {
  const last = parts.at(-1);
  const isNext = DELTAS.has(part.type) && last?.type === part.type && last.id === part.id;
  const areTexts = typeof part.delta === 'string' && typeof last?.delta === 'string';
  if (!isNext || !areTexts || part.providerMetadata !== undefined) return false;
  parts[parts.length - 1] = { ...last, delta: last.delta + part.delta };
  return true;
}

/**
 * @param {any[]} parts
 * @param {string} text
 * @param {any} finish
 * @returns {Turn}
 */
function turnOf(parts, text, { usage, finishReason }) {
  const finish = String(finishReason?.unified ?? finishReason ?? 'other');
  if (finish === 'error') throw new TruncatedTurn('The provider ended the response with an error.');
  // The calls of an incomplete response may be incomplete too, so they are dropped.
  const isComplete = COMPLETE.has(finish);
  const kept = parts.filter(({ type }) => isComplete || type !== 'tool-call').map(readable);
  const requested = kept.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true);
  const calls = requested.map((part) => {
    const input = argumentsOf(part.input);
    return { id: String(part.toolCallId ?? ''), tool: String(part.toolName), input, sha: fingerprint(input), part };
  });
  return { parts: kept, text, calls, kept: keptParts(kept, calls), usage: usageOf(usage), finish };
}

/**
 * Replaces arguments that are nested too deep by a message for the model.
 * @param {any} part
 */
function readable(part) {
  if (part.type !== 'tool-call' || typeof part.input !== 'string') return part;
  try {
    parseForeignJson(part.input, { maxDepth: MAX_ARGUMENT_DEPTH });
  } catch (error) {
    if (error instanceof BadJson && error.cause === undefined) return { ...part, input: TOO_DEEP };
  }
  return part;
}

/**
 * The parsed arguments of a call; the text itself if it is not JSON.
 * @param {unknown} text
 */
function argumentsOf(text) {
  if (typeof text !== 'string') return text ?? {};
  if (text.trim() === '') return {};
  try {
    return parseForeignJson(text, { maxDepth: MAX_ARGUMENT_DEPTH });
  } catch {
    return text;
  }
}

/**
 * @param {any} usage
 * @returns {Usage}
 */
function usageOf(usage) {
  const count = (/** @type {any} */ value) => {
    const number = typeof value === 'object' && value !== null ? value.total : value;
    return Number.isSafeInteger(number) && number > 0 ? number : 0;
  };
  const cached = count(usage?.inputTokens?.cacheRead ?? usage?.cachedInputTokens);
  return { input: count(usage?.inputTokens), output: count(usage?.outputTokens), cached };
}

/** @param {any} part */
function lengthOf(part) {
  const text = part?.delta ?? part?.input ?? part?.data ?? '';
  return typeof text === 'string' ? text.length : 0;
}

/**
 * Awaits a promise of a provider client, with abort and timeout: the promise may never settle.
 * @template T
 * @param {PromiseLike<T>} promise
 * @param {AbortController} own
 * @returns {Promise<T>}
 */
async function aborting(promise, own) {
  Promise.resolve(promise).catch(ignored);
  if (own.signal.aborted) throw own.signal.reason;
  let release = ignored;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const over = new Promise((_, reject) => {
    release = onAbort(own.signal, () => reject(own.signal.reason));
    const late = () =>
      reject(new TruncatedTurn(`The provider sent nothing for ${SILENCE_TIMEOUT_MS / 1_000} seconds.`));
    timer = setTimeout(guarded(reject, late), SILENCE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
    release();
  }
}
