/** One turn of a model, from the first piece to the last: all of it, or a failure. */

import { setImmediate } from 'node:timers/promises';
import { onAbort, throwIfAborted } from '../boundary/abort.js';
import { LimitError } from '../boundary/errors.js';
import { BadJson, parseForeignJson } from '../boundary/foreign_json.js';
import { guarded, ignored } from '../boundary/guarded.js';
import { fingerprint } from './fingerprint.js';
import { keptParts } from './kept_parts.js';
import { CutOff } from './provider_errors.js';

/**
 * @typedef {import('../kernel/session_fold.js').Usage} Usage
 * @typedef {{ id: string, tool: string, input: any, sha: string, part: any }} AskedCall `part` as the loop gets it
 * @typedef {object} Turn
 * @property {any[]} parts as the provider's client gave them
 * @property {string} text
 * @property {AskedCall[]} calls
 * @property {import('./kept_parts.js').KeptPart[]} kept what the provider wants back as it gave it
 * @property {Usage} usage
 * @property {string} finish
 */

/** More than any model says at once. */
const MAX_TURN_CHARS = 8 << 20;
const MAX_PARTS = 1_000_000;
const PARTS_AT_ONCE = 256;
const MAX_CALLS = 200;
const MAX_ARGUMENT_DEPTH = 64;
/** No JSON, so that it is refused; the model reads it in the refusal. */
const TOO_DEEP = `The arguments are nested more than ${MAX_ARGUMENT_DEPTH} deep. Make them flatter.`;
/** Ends of an answer after which its calls are made. */
const WHOLE = new Set(['stop', 'tool-calls']);
/** What the loop has no use for: a call comes again as a whole. */
const PIECES = new Set(['tool-input-start', 'tool-input-delta', 'tool-input-end', 'raw']);
/** A provider that says nothing for so long has been cut off. */
const SILENCE_MS = 180_000;

/**
 * @param {(signal: AbortSignal) => PromiseLike<{ stream: ReadableStream<any> }>} ask
 * @param {(text: string) => Promise<void>} onText is told each piece of text, and waited for
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
    // Whatever the client still does for it has no use any more.
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
      if (done) throw new CutOff('The answer broke off before its end.');
      if (!PIECES.has(part.type) && !isJoined(parts, part)) parts.push(part);
      chars += lengthOf(part);
      count += 1;
      if (chars > MAX_TURN_CHARS || count > MAX_PARTS) {
        throw new LimitError(`The model's answer is longer than ${MAX_TURN_CHARS} characters.`);
      }
      if (part.type === 'tool-call') calls += 1;
      if (calls > MAX_CALLS) throw new LimitError(`The model asked for more than ${MAX_CALLS} calls at once.`);
      // What never waits would keep everybody else in this process waiting, timers too.
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

/** Pieces of one text, of which the loop needs the whole: a model may send a hundred thousand. */
const DELTAS = new Set(['text-delta', 'reasoning-delta']);

/**
 * Adds a piece to the one before, if both are of one text and the provider says nothing of its own with it.
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
  if (finish === 'error') throw new CutOff('The provider ended the answer with an error.');
  // Of an answer that ended early nobody knows which calls it would have had.
  const isWhole = WHOLE.has(finish);
  const said = parts.filter(({ type }) => isWhole || type !== 'tool-call').map(readable);
  const asked = said.filter((part) => part.type === 'tool-call' && part.providerExecuted !== true);
  const calls = asked.map((part) => {
    const input = argumentsOf(part.input);
    return { id: String(part.toolCallId ?? ''), tool: String(part.toolName), input, sha: fingerprint(input), part };
  });
  return { parts: said, text, calls, kept: keptParts(said, calls), usage: usageOf(usage), finish };
}

/**
 * A call whose arguments can be read, or are no JSON for anybody.
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
 * The arguments of a call; as a text when they are none.
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
 * What a client promises, which may not keep its promise: not when the call is over, and not when nothing comes for too long.
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
    const late = () => reject(new CutOff(`The provider has sent nothing for ${SILENCE_MS / 1_000} seconds.`));
    timer = setTimeout(guarded(reject, late), SILENCE_MS);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
    release();
  }
}
