/** The keys of providers, which no text leaves with. */

import { HIDDEN } from '../kernel/config_secrets.js';

/** Variables that hold keys of providers. */
const KEYS = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'COMPATIBLE_API_KEY',
  'AI_GATEWAY_API_KEY',
];
/** Shorter ones are no keys: to take them out would take words apart. */
const MIN_KEY_CHARS = 8;

/** @returns {string[]} */
function keys() {
  return KEYS.flatMap((name) => process.env[name]?.trim() ?? []).filter((key) => key.length >= MIN_KEY_CHARS);
}

/**
 * A text without the keys of providers.
 * @param {string} text
 */
export function withoutKeys(text) {
  return keys().reduce((hidden, key) => hidden.replaceAll(key, HIDDEN), text);
}

/** A text that comes in pieces, without keys: what may be the beginning of one waits for the next piece. */
export class KeylessText {
  #waiting = '';

  /**
   * What can be passed on.
   * @param {string} piece
   */
  add(piece) {
    const text = withoutKeys(this.#waiting + piece);
    const held = Math.max(0, ...keys().map((key) => begun(text, key)));
    this.#waiting = text.slice(text.length - held);
    return text.slice(0, text.length - held);
  }

  /** What was still waiting. */
  end() {
    const rest = this.#waiting;
    this.#waiting = '';
    return rest;
  }
}

/**
 * How much of a key the text ends with.
 * @param {string} text
 * @param {string} key
 */
function begun(text, key) {
  for (let length = Math.min(key.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(key.slice(0, length))) return length;
  }
  return 0;
}
