/** Redacts the API keys of model providers in text. */

import { HIDDEN } from '../kernel/config/config_secrets.js';

/** Environment variables with keys of providers. */
const KEYS = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'COMPATIBLE_API_KEY',
  'AI_GATEWAY_API_KEY',
];
/** Shorter values are not redacted: they could be parts of ordinary words. */
const MIN_KEY_CHARS = 8;

function keys(): string[] {
  return KEYS.flatMap((name) => process.env[name]?.trim() ?? []).filter((key) => key.length >= MIN_KEY_CHARS);
}

/** Replaces the keys of providers in a text. */
export function redactKeys(text: string) {
  return keys().reduce((hidden, key) => hidden.replaceAll(key, HIDDEN), text);
}

/** Redacts keys in a stream of text. The possible beginning of a key is held back until the next piece. */
export class KeyRedactor {
  #pending = '';

  /** Adds a piece, and returns the text that can be passed on. */
  add(piece: string) {
    const text = redactKeys(this.#pending + piece);
    const held = Math.max(0, ...keys().map((key) => partialKeyLength(text, key)));
    this.#pending = text.slice(text.length - held);
    return text.slice(0, text.length - held);
  }

  /** Returns the rest. */
  end() {
    const rest = this.#pending;
    this.#pending = '';
    return rest;
  }
}

/** The length of the longest beginning of a key that the text ends with. */
function partialKeyLength(text: string, key: string) {
  for (let length = Math.min(key.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(key.slice(0, length))) return length;
  }
  return 0;
}
