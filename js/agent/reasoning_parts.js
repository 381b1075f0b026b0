/**
 * Reasoning parts of a turn, which some providers require back unchanged: the reasoning with its signatures, and its position
 * among text and calls. Without them these providers reject the rest of the task.
 */

import { parseForeignJson } from '../boundary/foreign_json.js';
import { toJsonText } from '../boundary/json_text.js';
import { fingerprint } from './fingerprint.js';

/**
 * @typedef {import('./conversation.js').Call} Call
 * @typedef {{ provider?: any }} Marked `provider`: metadata that the provider's client needs back
 * @typedef {(Marked & { reasoning: string }) | (Marked & { chars: number }) | (Marked & { call: number })} KeptPart `chars`: that many characters of the text; `call`: a call by its position in the turn
 * @typedef {{ text: string, sha: string }} Kept the recorded form
 */

/** Larger parts are not recorded; a resumed session then continues without them. */
const MAX_CHARS = 1 << 20;
const MAX_DEPTH = 16;

/**
 * @param {any[]} parts of a turn, as the provider's client gave them
 * @param {{ part: any }[]} calls of it
 * @returns {KeptPart[]} empty if the model did not reason
 */
export function keptParts(parts, calls) {
  /** @type {KeptPart[]} */
  const kept = [];
  /** @type {Map<string, any>} */
  const open = new Map();
  for (const part of parts) {
    const { type, id, delta = '', providerMetadata: provider } = part;
    const key = `${String(type).split('-', 1)[0]} ${id}`;
    if (type === 'reasoning-start') open.set(key, added(kept, { reasoning: '' }));
    if (type === 'text-start') open.set(key, added(kept, { chars: 0 }));
    const call = type === 'tool-call' ? calls.findIndex((one) => one.part === part) : -1;
    const one = call >= 0 ? added(kept, { call }) : open.get(key);
    if (one === undefined) continue;
    if (type === 'reasoning-delta') one.reasoning += delta;
    if (type === 'text-delta') one.chars += delta.length;
    if (provider !== undefined) one.provider = provider;
  }
  return kept.some((part) => 'reasoning' in part) ? kept : [];
}

/**
 * @param {KeptPart[]} kept
 * @param {KeptPart} part
 * @returns {any}
 */
function added(kept, part) {
  kept.push(part);
  return part;
}

/**
 * Serialises the parts as one text, so that the ledger stores all of it or nothing.
 * @param {KeptPart[]} parts
 * @param {string} model that they are for
 * @returns {Kept | undefined}
 */
export function recorded(parts, model) {
  if (parts.length === 0) return undefined;
  try {
    const text = toJsonText({ model, parts }, 'reasoning', { nonFiniteNumbers: 'null' });
    if (text.length > MAX_CHARS) return undefined;
    // Checks that the text can be parsed again.
    parseForeignJson(text, { maxDepth: MAX_DEPTH });
    return { text, sha: fingerprint(text) };
  } catch {
    // The metadata of a client may be any value.
    return undefined;
  }
}

/**
 * @param {any} kept as it was read
 * @param {string} model of the resumed run
 * @returns {KeptPart[]} empty if they are of another model, or if the ledger has masked a secret in them, which breaks the signature
 */
export function readBack(kept, model) {
  const { text, sha } = kept ?? {};
  if (typeof text !== 'string' || fingerprint(text) !== sha) return [];
  const read = parseForeignJson(text, { maxDepth: MAX_DEPTH });
  return read.model === model && Array.isArray(read.parts) ? read.parts : [];
}

/**
 * A turn as content of an AI SDK message.
 * @param {{ text: string, calls: Call[], kept: KeptPart[] }} turn
 * @returns {any[]}
 */
export function contentOf({ text, calls, kept }) {
  /** @type {any[]} */
  const parts = kept.length > 0 ? kept : [{ chars: text.length }, ...calls.map((_, call) => ({ call }))];
  let at = 0;
  return parts.flatMap(({ provider, reasoning, chars, call }) => {
    /** @type {any} */
    const marks = provider === undefined ? {} : { providerOptions: provider };
    if (reasoning !== undefined) return [{ type: 'reasoning', text: reasoning, ...marks }];
    if (chars !== undefined) {
      const piece = text.slice(at, at + chars);
      at += chars;
      return piece === '' ? [] : [{ type: 'text', text: piece, ...marks }];
    }
    const { id: toolCallId, tool: toolName, input } = calls[call] ?? {};
    const isObject = typeof input === 'object' && input !== null;
    return [{ type: 'tool-call', toolCallId, toolName, input: isObject ? input : {}, ...marks }];
  });
}
