/** Reads one turn of a model from its stream: the complete turn, or an error. */

import { setImmediate } from 'node:timers/promises';
import type {
  LanguageModelV3StreamPart as StreamPart,
  LanguageModelV3ToolCall as ToolCallPart,
} from '@ai-sdk/provider';
import { onAbort, throwIfAborted } from '../boundary/abort.js';
import { LimitError } from '../boundary/errors.js';
import { BadJson, parseForeignJson } from '../boundary/foreign_json.js';
import { guarded, ignored } from '../boundary/guarded.js';
import type { Usage } from '../kernel/sessions/recorded_session.js';
import { jsonHash } from './json_hash.js';
import { TruncatedTurn } from './provider_errors.js';
import type { KeptPart } from './reasoning_parts.js';
import { keptParts } from './reasoning_parts.js';

/** A call of a turn; `part` is passed to the tool loop. */
type RequestedCall = { id: string; tool: string; input: unknown; sha: string; part: ToolCallPart };
/** A part of the stream that continues a text. */
export type DeltaPart = Extract<StreamPart, { delta: string }>;
type FinishPart = Extract<StreamPart, { type: 'finish' }>;
/** A client of an older interface counts cached tokens in a member of its own. */
type ReportedUsage = Partial<FinishPart['usage']> & { cachedInputTokens?: unknown };
/** A complete turn of the model. */
export type Turn = {
  /** As the provider's client gave them. */
  parts: StreamPart[];
  text: string;
  calls: RequestedCall[];
  /** Reasoning parts that the provider needs back unchanged. */
  kept: KeptPart[];
  usage: Usage;
  finish: string;
};

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

/** @param onText receives each piece of text; it is awaited */
export async function readTurn(
  ask: (signal: AbortSignal) => PromiseLike<{ stream: ReadableStream<StreamPart> }>,
  onText: (text: string) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Turn> {
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

async function collected(
  stream: ReadableStream<StreamPart>,
  onText: (text: string) => Promise<void>,
  own: AbortController,
): Promise<Turn> {
  const parts: StreamPart[] = [];
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

const DELTAS = new Set(['text-delta', 'reasoning-delta', 'tool-input-delta']);

/** Whether a part is a piece of a streamed text. */
export function isDelta(part: StreamPart | undefined): part is DeltaPart {
  return part !== undefined && DELTAS.has(part.type) && 'delta' in part && typeof part.delta === 'string';
}

/** Joins a delta to the previous one of the same text, because a model may send a hundred thousand. One with provider metadata stays. */
function isJoined(parts: StreamPart[], part: StreamPart) {
  const last = parts.at(-1);
  if (!isDelta(part) || !isDelta(last) || last.type !== part.type || last.id !== part.id) return false;
  if (part.providerMetadata !== undefined) return false;
  parts[parts.length - 1] = { ...last, delta: last.delta + part.delta };
  return true;
}

function turnOf(parts: StreamPart[], text: string, { usage, finishReason }: FinishPart): Turn {
  const finish = String(finishReason?.unified ?? finishReason ?? 'other');
  if (finish === 'error') throw new TruncatedTurn('The provider ended the response with an error.');
  // The calls of an incomplete response may be incomplete too, so they are dropped.
  const isComplete = COMPLETE.has(finish);
  const kept = parts.filter(({ type }) => isComplete || type !== 'tool-call').map(readable);
  const requested = kept.filter(
    (part): part is ToolCallPart => part.type === 'tool-call' && part.providerExecuted !== true,
  );
  const calls = requested.map((part) => {
    const input = argumentsOf(part.input);
    return { id: String(part.toolCallId ?? ''), tool: String(part.toolName), input, sha: jsonHash(input), part };
  });
  return { parts: kept, text, calls, kept: keptParts(kept, calls), usage: usageOf(usage), finish };
}

/** Replaces arguments that are nested too deep by a message for the model. */
function readable(part: StreamPart): StreamPart {
  if (part.type !== 'tool-call' || typeof part.input !== 'string') return part;
  try {
    parseForeignJson(part.input, { maxDepth: MAX_ARGUMENT_DEPTH });
  } catch (error) {
    if (error instanceof BadJson && error.cause === undefined) return { ...part, input: TOO_DEEP };
  }
  return part;
}

/** The parsed arguments of a call; the text itself if it is not JSON. */
function argumentsOf(text: unknown): unknown {
  if (typeof text !== 'string') return text ?? {};
  if (text.trim() === '') return {};
  try {
    return parseForeignJson(text, { maxDepth: MAX_ARGUMENT_DEPTH });
  } catch {
    return text;
  }
}

function usageOf(usage: ReportedUsage | undefined): Usage {
  const count = (value: unknown) => {
    const number = typeof value === 'object' && value !== null && 'total' in value ? value.total : value;
    return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : 0;
  };
  const cached = count(usage?.inputTokens?.cacheRead ?? usage?.cachedInputTokens);
  return { input: count(usage?.inputTokens), output: count(usage?.outputTokens), cached };
}

function lengthOf({ delta, input, data }: { type: string; delta?: unknown; input?: unknown; data?: unknown }) {
  const text = delta ?? input ?? data ?? '';
  return typeof text === 'string' ? text.length : 0;
}

/** Awaits a promise of a provider client, with abort and timeout: the promise may never settle. */
async function aborting<T>(promise: PromiseLike<T>, own: AbortController): Promise<T> {
  Promise.resolve(promise).catch(ignored);
  if (own.signal.aborted) throw own.signal.reason;
  let release = ignored;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
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
