/** Context compaction: fits a prompt into the context window by replacing older results with references. The task is kept. */

import type {
  LanguageModelV3CallOptions as CallOptions,
  LanguageModelV3Message as Message,
  LanguageModelV3ToolResultPart as ResultPart,
} from '@ai-sdk/provider';
import { LimitError } from '../boundary/errors.js';
import { preview } from '../tool_shape/preview.js';
import { outputText, sizeOf } from './prompt_size.js';

/** The session's id of a call, and a one-line description. */
type CallNote = { call: string; line: string };
type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number];
type Sized = { messages: Message[]; size: number };
type Step = { whole: Sized; short?: Sized; ids: string[] };
/** A message that always stays, or a step by its position. */
type Entry = { message: Message } | { step: number };
type Compacted = { results: number; steps: number; before: number; after: number };

/** Estimate until the provider reports its token count. */
const INITIAL_CHARS_PER_TOKEN = 3;
const RATIOS = { least: 0.5, most: 8 };
/** Reports of fewer tokens are too inexact. */
const MIN_REPORTED = 100;
/** Safety factor: texts differ in characters per token. */
const SAFETY_FACTOR = 0.9;
const MAX_ANSWER_TOKENS = 8_192;
/**
 * Fill level after compaction: leaves room for further steps, so that the prompt prefix stays unchanged (and cached) for longer.
 */
const TARGET = 0.6;
const SHORT_RESULT_CHARS = 300;
const BEGINNING_CHARS = 120;
const SHORT_ARGUMENTS_CHARS = 300;
const MIN_SHOWN_CHARS = 400;
const MAX_NAMED_CALLS = 20;

export class Context {
  #tokens;
  #describe;
  #charsPerToken = INITIAL_CHARS_PER_TOKEN;
  /** Number of steps from the start whose results are references, and how many of those are omitted. */
  #short = 0;
  #dropped = 0;
  /** Cache of compacted steps by position; steps are immutable. */
  #shortForms = new Map<number, Sized>();

  constructor(tokens: number, describe: (id: string) => CallNote | undefined) {
    this.#tokens = tokens;
    this.#describe = describe;
  }

  /**
   * Updates the ratio of characters to tokens.
   * @param chars that were sent
   * @param tokens that the provider counted
   */
  learn(chars: number, tokens: number) {
    if (tokens < MIN_REPORTED) return;
    this.#charsPerToken = Math.min(RATIOS.most, Math.max(RATIOS.least, chars / tokens));
  }

  /** The prompt that fits into the context. */
  async fitted({ prompt, tools = [] }: Pick<CallOptions, 'prompt' | 'tools'>): Promise<{
    prompt: Message[];
    tokens: number;
    chars: number;
    compacted?: Compacted;
  }> {
    const { head, steps, fixed } = this.#split(prompt, JSON.stringify(tools).length);
    const room = this.#room();
    const before = this.#total(steps, fixed);
    const levels = [this.#short, this.#dropped];
    if (before > room) this.#shrink(steps, fixed, room);
    const total = this.#total(steps, fixed);
    const cut =
      total > room ? this.#cutLast(steps.at(-1), room - (total - (steps.at(-1)?.whole.size ?? 0))) : undefined;
    const chars = cut === undefined ? total : total - (steps.at(-1)?.whole.size ?? 0) + cut.size;
    if (chars > room) throw tooSmall(this.#tokens);
    const isChanged = levels[0] !== this.#short || levels[1] !== this.#dropped || cut !== undefined;
    const compacted = {
      results: this.#short,
      steps: this.#dropped,
      before: this.#inTokens(before),
      after: this.#inTokens(chars),
    };
    return {
      prompt: this.#joined(head, steps, cut),
      tokens: this.#inTokens(chars),
      chars,
      ...(isChanged && { compacted }),
    };
  }

  #room() {
    const answer = Math.min(MAX_ANSWER_TOKENS, Math.floor(this.#tokens / 4));
    return (this.#tokens - answer) * this.#charsPerToken * SAFETY_FACTOR;
  }

  #inTokens(chars: number) {
    return Math.ceil(chars / this.#charsPerToken);
  }

  /** Splits a prompt into messages that always stay and steps. */
  #split(prompt: Message[], toolChars: number) {
    const head: Entry[] = [];
    const steps: Step[] = [];
    let fixed = toolChars;
    for (const message of prompt) {
      const last = steps.at(-1);
      const at = head.at(-1);
      if (message.role === 'assistant') {
        steps.push({ whole: { messages: [message], size: sizeOf(message) }, ids: idsOf(message) });
        head.push({ step: steps.length - 1 });
      } else if (message.role === 'tool' && last !== undefined && at !== undefined && 'step' in at) {
        last.whole.messages.push(message);
        last.whole.size += sizeOf(message);
      } else {
        head.push({ message });
        fixed += sizeOf(message);
      }
    }
    return { head, steps, fixed };
  }

  #shortForm(steps: Step[], at: number): Sized {
    const cached = this.#shortForms.get(at);
    if (cached !== undefined) return cached;
    const messages = (steps[at]?.whole.messages ?? []).map((message) => this.#shortMessage(message));
    const form = { messages, size: messages.reduce((sum, message) => sum + sizeOf(message), 0) };
    this.#shortForms.set(at, form);
    return form;
  }

  #total(steps: Step[], fixed: number) {
    let total = fixed + (this.#dropped > 0 ? this.#note(steps).length : 0);
    for (let at = this.#dropped; at < steps.length; at++) {
      total += at < this.#short ? this.#shortForm(steps, at).size : (steps[at]?.whole.size ?? 0);
    }
    return total;
  }

  /**
   * Replaces results by references, oldest first, then omits whole steps. The last step stays: the model has not read it yet.
   */
  #shrink(steps: Step[], fixed: number, room: number) {
    const enough = fixed + (room - fixed) * TARGET;
    const last = Math.max(0, steps.length - 1);
    let total = this.#total(steps, fixed);
    while (total > enough && this.#short < last) {
      total -= (steps[this.#short]?.whole.size ?? 0) - this.#shortForm(steps, this.#short).size;
      this.#short += 1;
    }
    while (this.#total(steps, fixed) > enough && this.#dropped < Math.min(this.#short, last)) this.#dropped += 1;
  }

  /** Truncates the results of the last step, if it alone is too long. */
  #cutLast(step: Step | undefined, room: number): Sized | undefined {
    if (step === undefined) return undefined;
    const { messages } = step.whole;
    const answers = messages.filter((message) => message.role === 'tool');
    const results = answers.flatMap(({ content }) => content);
    const calls = messages.filter(({ role }) => role === 'assistant').map((message) => this.#shortMessage(message));
    const rest = calls.reduce((sum, message) => sum + sizeOf(message), 0);
    // Halved, because escaped quotes and line ends take two characters each.
    const each = Math.floor((room - rest) / Math.max(1, results.length) / 2) - MIN_SHOWN_CHARS / 2;
    const cut = answers.map((message) => ({
      ...message,
      content: message.content.map((part) => (part.type === 'tool-result' ? this.#reference(part, each) : part)),
    }));
    const all = [...calls, ...cut];
    return { messages: all, size: all.reduce((sum, message) => sum + sizeOf(message), 0) };
  }

  #shortMessage(message: Message): Message {
    switch (message.role) {
      case 'assistant':
        return { ...message, content: message.content.map((part) => this.#shortPart(part)) };
      case 'tool':
        return {
          ...message,
          content: message.content.map((part) =>
            part.type === 'tool-result' ? this.#reference(part, BEGINNING_CHARS) : part,
          ),
        };
      default:
        return message;
    }
  }

  #shortPart(part: AssistantPart): AssistantPart {
    if (part.type === 'tool-result') return this.#reference(part, BEGINNING_CHARS);
    if (part.type === 'tool-call') return { ...part, input: preview(part.input ?? {}, SHORT_ARGUMENTS_CHARS) };
    return part;
  }

  /** A result as a reference with its beginning. */
  #reference(part: ResultPart, shown: number): ResultPart {
    const text = outputText(part.output);
    if (text.length <= Math.max(SHORT_RESULT_CHARS, shown)) return part;
    const kept = this.#describe(part.toolCallId)?.call ?? part.toolCallId;
    const beginning = text.slice(0, Math.max(0, shown)).toWellFormed();
    return { ...part, output: { type: 'json', value: { kept, chars: text.length, beginning } } };
  }

  #note(steps: Step[]) {
    const ids = steps.slice(0, this.#dropped).flatMap(({ ids }) => ids);
    const notes = ids.map((id) => this.#describe(id)).filter((call) => call !== undefined);
    const lines = notes.slice(-MAX_NAMED_CALLS).map(({ line }) => line);
    const more = notes.length > lines.length ? [`${notes.length - lines.length} calls before those`] : [];
    return [
      `\n\n[${this.#dropped} earlier steps of yours are left out here. read_result gives what a call returned. The calls:`,
      ...more,
      ...lines,
      ']',
    ].join('\n');
  }

  #joined(head: Entry[], steps: Step[], cut: Sized | undefined) {
    const note = this.#dropped > 0 ? this.#note(steps) : '';
    let isNoted = note === '';
    return head.flatMap((entry): Message[] => {
      if ('step' in entry) {
        if (entry.step < this.#dropped) return [];
        if (entry.step < this.#short) return this.#shortForm(steps, entry.step).messages;
        if (cut !== undefined && entry.step === steps.length - 1) return cut.messages;
        return steps[entry.step]?.whole.messages ?? [];
      }
      if (isNoted || entry.message.role !== 'user') return [entry.message];
      isNoted = true;
      return [{ ...entry.message, content: [...entry.message.content, { type: 'text', text: note }] }];
    });
  }
}

function idsOf({ content }: Extract<Message, { role: 'assistant' }>) {
  return content.filter((part) => part.type === 'tool-call').map(({ toolCallId }) => toolCallId);
}

function tooSmall(tokens: number) {
  return new LimitError(
    `The task, the instructions and the tools do not fit into ${tokens} tokens. Raise contextTokens, or shorten them.`,
  );
}
