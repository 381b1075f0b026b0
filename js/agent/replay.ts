/** Models that replay a recording, for tests and `tgp replay`. */

import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { ValidationError } from '../boundary/errors.js';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';

/** Larger than any recording. */
const MAX_CHARS = 256 << 20;
const MAX_TURNS = 100_000;

type RecordedPart = { type: 'text'; text: string } | { type: 'tool-call'; id: string; tool: string; input?: unknown };
type RecordedTurn = { content: RecordedPart[]; usage: Record<string, unknown>; finish: string };

/**
 * A model that replays recorded turns in order, whatever the prompt.
 * @example
 * const agent = kernel.agent({ model: replayModel(await readFile('session.ndjson', 'utf8')) });
 * @param recording lines of {@link KernelSessions.recording}, or all of them as one text
 * @throws {ValidationError} when it is not a recording
 */
// biome-ignore lint/suspicious/noExplicitAny: models of every version of the AI SDK have another type
export function replayModel(recording: string | Iterable<string>): any {
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

function readRecording(recording: string | Iterable<string>): { turns: RecordedTurn[]; model: string } {
  const turns: RecordedTurn[] = [];
  let [model, chars, at] = ['', 0, 0];
  for (const line of linesOf(recording)) {
    at += 1;
    chars += line.length;
    if (chars > MAX_CHARS || turns.length > MAX_TURNS) throw bad(at, 'it is too long');
    if (line.trim() === '') continue;
    const entry = parsed(line, at);
    if (at === 1) {
      if (entry.recording !== 1) throw bad(at, 'the first line must have { "recording": 1 }');
      model = typeof entry.model === 'string' ? entry.model : 'recorded';
    } else if (entry.content !== undefined) turns.push(turnOf(entry, at));
    else if (typeof entry.task !== 'string') throw bad(at, 'it is neither a task nor a turn');
  }
  if (model === '') throw bad(1, 'it is empty');
  return { turns, model };
}

function linesOf(recording: string | Iterable<string>) {
  if (typeof recording === 'string') return recording.split('\n');
  if (typeof recording?.[Symbol.iterator] === 'function') return recording;
  throw new ValidationError('"recording" must be a text, or lines of kernel.sessions.recording().', {
    details: { field: 'recording' },
  });
}

function parsed(line: string, at: number): Record<string, unknown> {
  try {
    const entry = parseForeignJson(line);
    return isRecord(entry) ? entry : {};
  } catch {
    throw bad(at, 'it is not JSON');
  }
}

function turnOf({ content, usage, finish }: Record<string, unknown>, at: number): RecordedTurn {
  if (!Array.isArray(content) || !content.every(isRecordedPart)) throw bad(at, 'it is not a turn of a model');
  return { content, usage: isRecord(usage) ? usage : {}, finish: String(finish ?? 'stop') };
}

function isRecordedPart(part: unknown): part is RecordedPart {
  if (!isRecord(part)) return false;
  return (
    (part.type === 'text' && typeof part.text === 'string') ||
    (part.type === 'tool-call' && typeof part.tool === 'string' && typeof part.id === 'string')
  );
}

function streamOf({ content, usage, finish }: RecordedTurn, number: number) {
  const parts = content.flatMap((part, at) => partsOf(part, `${number}.${at}`));
  const [input, output, cached] = [Number(usage.input ?? 0), Number(usage.output ?? 0), Number(usage.cached ?? 0)];
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

function partsOf(part: RecordedPart, id: string): LanguageModelV3StreamPart[] {
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

function bad(line: number, why: string) {
  return new ValidationError(`The recording cannot be read: line ${line}: ${why}.`, {
    details: { field: 'recording' },
  });
}
