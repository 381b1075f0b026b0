/**
 * Writes all output of commands. Terminal control sequences in foreign text are escaped; only our own sequences pass.
 */

import { randomBytes } from 'node:crypto';
import { format, styleText } from 'node:util';
import { escapedJson, harmlessLines } from '../boundary/harmless.js';

const ESCAPE = '\u001b';
/** Placeholder for the escape character of our own sequences. It is random, so that foreign text cannot contain it. */
const MARK = `<${randomBytes(16).toString('hex')}>`;
const TEXT = 'x';

/**
 * @param {string} text
 * @returns {boolean} false if the stream's buffer is full
 */
export function out(text) {
  return process.stdout.write(shown(text));
}

/**
 * Writes a line of JSON byte by byte for programs. A terminal gets the same value, escaped.
 * @param {string} json
 * @returns {boolean} false if the stream's buffer is full
 */
export function data(json) {
  return process.stdout.isTTY ? out(`${escapedJson(json)}\n`) : process.stdout.write(`${json}\n`);
}

/** @param {string} text */
export function err(text) {
  process.stderr.write(shown(text));
}

/**
 * Logs a kernel message to the current console; an agent run replaces the console to print it between its lines.
 * @param {unknown[]} parts
 */
export function remark(...parts) {
  console.error(harmlessLines(format(...parts)));
}

/**
 * Marks a terminal control sequence as our own.
 * @param {string} sequence without foreign text
 */
export function own(sequence) {
  return sequence.replaceAll(ESCAPE, MARK);
}

/**
 * Styles a text, which may be untrusted.
 * @param {Parameters<typeof styleText>[0]} style
 * @param {string} text
 */
export function inStyle(style, text) {
  // The caller decides whether the stream supports colours.
  const [before = '', after = ''] = /** @type {any} */ (styleText)(style, TEXT, { validateStream: false }).split(TEXT);
  return `${own(before)}${text}${own(after)}`;
}

/** @param {string} text */
function shown(text) {
  return harmlessLines(text).replaceAll(MARK, ESCAPE);
}
