/**
 * Everything that commands write goes out here: what a terminal would obey in it is spelt out, save the sequences that we put in
 * ourselves.
 */

import { randomBytes } from 'node:crypto';
import { format, styleText } from 'node:util';
import { escapedJson, harmlessLines } from '../boundary/harmless.js';

const ESCAPE = '\u001b';
/** Stands for that character until it is written. Made at random, so that no text of others has it. */
const MARK = `<${randomBytes(16).toString('hex')}>`;
const TEXT = 'x';

/**
 * @param {string} text
 * @returns {boolean} false when the reader is slower
 */
export function out(text) {
  return process.stdout.write(shown(text));
}

/**
 * A line of JSON whose bytes count for the program that reads it. A terminal gets the same value.
 * @param {string} json
 * @returns {boolean} false when the reader is slower
 */
export function data(json) {
  return process.stdout.isTTY ? out(`${escapedJson(json)}\n`) : process.stdout.write(`${json}\n`);
}

/** @param {string} text */
export function err(text) {
  process.stderr.write(shown(text));
}

/**
 * Remarks of the kernel, for whatever the console is: an agent's screen puts them between its lines.
 * @param {unknown[]} parts
 */
export function remark(...parts) {
  console.error(harmlessLines(format(...parts)));
}

/**
 * A sequence that a terminal is to obey.
 * @param {string} sequence without text of others
 */
export function own(sequence) {
  return sequence.replaceAll(ESCAPE, MARK);
}

/**
 * Text in a style. The text itself may be hostile.
 * @param {Parameters<typeof styleText>[0]} style
 * @param {string} text
 */
export function inStyle(style, text) {
  // Whether the stream has colours is for the caller to say.
  const [before = '', after = ''] = /** @type {any} */ (styleText)(style, TEXT, { validateStream: false }).split(TEXT);
  return `${own(before)}${text}${own(after)}`;
}

/** @param {string} text */
function shown(text) {
  return harmlessLines(text).replaceAll(MARK, ESCAPE);
}
