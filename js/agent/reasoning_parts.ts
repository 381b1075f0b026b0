/**
 * Reasoning parts of a turn, which some providers require back unchanged: the reasoning with its signatures, and its position
 * among text and calls. Without them these providers reject the rest of the task.
 */

import type {
  SharedV3ProviderMetadata as ProviderMetadata,
  LanguageModelV3StreamPart as StreamPart,
} from '@ai-sdk/provider';
import type { AssistantContent } from 'ai';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';
import { toJsonText } from '../boundary/json_text.js';
import type { Call } from './conversation.js';
import { jsonHash } from './json_hash.js';

/** `provider`: metadata that the provider's client needs back. */
type Marked = { provider?: ProviderMetadata };
type Reasoning = Marked & { reasoning: string };
/** That many characters of the text. */
type Text = Marked & { chars: number };
/** `chars`: that many characters of the text; `call`: a call by its position in the turn. */
export type KeptPart = Reasoning | Text | (Marked & { call: number });
/** The recorded form. */
type Kept = { text: string; sha: string };

/** Larger parts are not recorded; a resumed session then continues without them. */
const MAX_CHARS = 1 << 20;
const MAX_DEPTH = 16;

/**
 * @param parts of a turn, as the provider's client gave them
 * @param calls of it
 * @returns empty if the model did not reason
 */
export function keptParts(parts: StreamPart[], calls: { part: StreamPart }[]): KeptPart[] {
  const kept = new KeptParts();
  for (const part of parts) {
    const one = kept.add(part, calls);
    if (one === undefined || !('providerMetadata' in part)) continue;
    if (part.providerMetadata !== undefined) one.provider = part.providerMetadata;
  }
  return kept.parts.some((part) => 'reasoning' in part) ? kept.parts : [];
}

/** Collects the parts of a turn. */
class KeptParts {
  parts: KeptPart[] = [];
  /** Reasoning and text by id. */
  #reasoning = new Map<string, Reasoning>();
  #texts = new Map<string, Text>();

  /** @returns the kept part that the stream's part belongs to */
  add(part: StreamPart, calls: { part: StreamPart }[]): KeptPart | undefined {
    switch (part.type) {
      case 'reasoning-start':
        return this.#opened(this.#reasoning, part.id, { reasoning: '' });
      case 'reasoning-delta':
      case 'reasoning-end': {
        const reasoning = this.#reasoning.get(part.id);
        if (reasoning !== undefined && part.type === 'reasoning-delta') reasoning.reasoning += part.delta ?? '';
        return reasoning;
      }
      case 'text-start':
        return this.#opened(this.#texts, part.id, { chars: 0 });
      case 'text-delta':
      case 'text-end': {
        const text = this.#texts.get(part.id);
        if (text !== undefined && part.type === 'text-delta') text.chars += (part.delta ?? '').length;
        return text;
      }
      case 'tool-call': {
        const call = calls.findIndex((one) => one.part === part);
        return call >= 0 ? this.#added({ call }) : undefined;
      }
      default:
        return undefined;
    }
  }

  #opened<Part extends KeptPart>(open: Map<string, Part>, id: string, part: Part) {
    open.set(id, part);
    return this.#added(part);
  }

  #added<Part extends KeptPart>(part: Part) {
    this.parts.push(part);
    return part;
  }
}

/**
 * Serialises the parts as one text, so that the ledger stores all of it or nothing.
 * @param model that they are for
 */
export function recorded(parts: KeptPart[], model: string): Kept | undefined {
  if (parts.length === 0) return undefined;
  try {
    const text = toJsonText({ model, parts }, 'reasoning', { nonFiniteNumbers: 'null' });
    if (text.length > MAX_CHARS) return undefined;
    // Checks that the text can be parsed again.
    parseForeignJson(text, { maxDepth: MAX_DEPTH });
    return { text, sha: jsonHash(text) };
  } catch {
    // The metadata of a client may be any value.
    return undefined;
  }
}

/**
 * @param kept as it was read
 * @param model of the resumed run
 * @returns empty if they are of another model, or if the ledger has masked a secret in them, which breaks the signature
 */
export function readBack(kept: unknown, model: string): KeptPart[] {
  const { text, sha }: { text?: unknown; sha?: unknown } = isRecord(kept) ? kept : {};
  if (typeof text !== 'string' || jsonHash(text) !== sha) return [];
  const read = parseForeignJson(text, { maxDepth: MAX_DEPTH });
  return isRecord(read) && read.model === model && Array.isArray(read.parts) ? read.parts : [];
}

/** A turn as content of an AI SDK message. */
export function contentOf({
  text,
  calls,
  kept,
}: {
  text: string;
  calls: Call[];
  kept: KeptPart[];
}): Exclude<AssistantContent, string> {
  const parts: KeptPart[] = kept.length > 0 ? kept : [{ chars: text.length }, ...calls.map((_, call) => ({ call }))];
  let at = 0;
  return parts.flatMap((part): Exclude<AssistantContent, string> => {
    const marks = part.provider === undefined ? {} : { providerOptions: part.provider };
    if ('reasoning' in part) return [{ type: 'reasoning', text: part.reasoning, ...marks }];
    if ('chars' in part) {
      const piece = text.slice(at, at + part.chars);
      at += part.chars;
      return piece === '' ? [] : [{ type: 'text', text: piece, ...marks }];
    }
    const call = calls[part.call];
    if (call === undefined) return [];
    const { id: toolCallId, tool: toolName, input } = call;
    const isObject = typeof input === 'object' && input !== null;
    return [{ type: 'tool-call', toolCallId, toolName, input: isObject ? input : {}, ...marks }];
  });
}
