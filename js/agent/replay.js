import { ValidationError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';

/** Larger than any recording. */
const MAX_CHARS = 256 << 20;
const MAX_TURNS = 100_000;

/** @typedef {{ content: any[], usage: { input: number, output: number, cached: number }, finish: string }} RecordedTurn */

/** @type {typeof import('../../index.js').replayModel} */
export function replayModel(recording) {
  const { turns, model } = readRecording(recording);
  let next = 0;
  return {
    specificationVersion: 'v3',
    provider: 'replay',
    modelId: model,
    supportedUrls: {},
    doGenerate: async () => {
      throw new ValidationError('A recorded model only streams.');
    },
    doStream: async () => {
      const turn = turns[next];
      if (turn === undefined) {
        throw new ValidationError(`The recording has ended after ${turns.length} turns of the model.`);
      }
      next += 1;
      return { stream: streamOf(turn, next) };
    },
  };
}

/**
 * @param {string | Iterable<string>} recording
 * @returns {{ turns: RecordedTurn[], model: string }}
 */
function readRecording(recording) {
  /** @type {RecordedTurn[]} */
  const turns = [];
  let [model, chars, at] = ['', 0, 0];
  for (const line of linesOf(recording)) {
    at += 1;
    chars += line.length;
    if (chars > MAX_CHARS || turns.length > MAX_TURNS) throw bad(at, 'it is too long');
    if (line.trim() === '') continue;
    const entry = parsed(line, at);
    if (at === 1) {
      if (entry?.recording !== 1) throw bad(at, 'the first line must have { "recording": 1 }');
      model = typeof entry.model === 'string' ? entry.model : 'recorded';
    } else if (entry?.content !== undefined) turns.push(turnOf(entry, at));
    else if (typeof entry?.task !== 'string') throw bad(at, 'it is neither a task nor a turn');
  }
  if (model === '') throw bad(1, 'it is empty');
  return { turns, model };
}

/** @param {string | Iterable<string>} recording */
function linesOf(recording) {
  if (typeof recording === 'string') return recording.split('\n');
  if (typeof recording?.[Symbol.iterator] === 'function') return recording;
  throw new ValidationError('"recording" must be a text, or lines of kernel.sessions.recording().', {
    details: { field: 'recording' },
  });
}

/**
 * @param {string} line
 * @param {number} at
 */
function parsed(line, at) {
  try {
    return parseForeignJson(line);
  } catch {
    throw bad(at, 'it is not JSON');
  }
}

/**
 * @param {any} entry
 * @param {number} at
 * @returns {RecordedTurn}
 */
function turnOf({ content, usage, finish }, at) {
  const isTurn =
    Array.isArray(content) &&
    content.every(
      (part) =>
        (part?.type === 'text' && typeof part.text === 'string') ||
        (part?.type === 'tool-call' && typeof part.tool === 'string' && typeof part.id === 'string'),
    );
  if (!isTurn) throw bad(at, 'it is not a turn of a model');
  return { content, usage: usage ?? {}, finish: String(finish ?? 'stop') };
}

/**
 * @param {RecordedTurn} turn
 * @param {number} number
 */
function streamOf({ content, usage, finish }, number) {
  /** @type {any[]} */
  const parts = content.flatMap((part, at) => partsOf(part, `${number}.${at}`));
  const { input = 0, output = 0, cached = 0 } = usage;
  const end = {
    type: 'finish',
    finishReason: { unified: finish, raw: undefined },
    usage: {
      inputTokens: { total: input, noCache: Math.max(0, input - cached), cacheRead: cached, cacheWrite: undefined },
      outputTokens: { total: output, text: output, reasoning: undefined },
    },
  };
  return new ReadableStream({
    start(controller) {
      for (const part of [{ type: 'stream-start', warnings: [] }, ...parts, end]) controller.enqueue(part);
      controller.close();
    },
  });
}

/**
 * @param {any} part
 * @param {string} id
 * @returns {any[]}
 */
function partsOf(part, id) {
  if (part.type === 'text') {
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: part.text },
      { type: 'text-end', id },
    ];
  }
  const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {});
  return [{ type: 'tool-call', toolCallId: part.id, toolName: part.tool, input }];
}

/**
 * @param {number} line
 * @param {string} why
 */
function bad(line, why) {
  return new ValidationError(`The recording cannot be read: line ${line}: ${why}.`, {
    details: { field: 'recording' },
  });
}
