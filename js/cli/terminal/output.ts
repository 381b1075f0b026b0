/**
 * Writes all output of commands. Terminal control sequences in foreign text are escaped; only our own sequences pass.
 */

import { randomBytes } from 'node:crypto';
import { format, styleText } from 'node:util';
import { escapedJson, harmlessLines } from '../../boundary/harmless.js';

const ESCAPE = '\u001b';
/** Placeholder for the escape character of our own sequences. It is random, so that foreign text cannot contain it. */
const MARK = `<${randomBytes(16).toString('hex')}>`;
const TEXT = 'x';

/** @returns false if the stream's buffer is full */
export function out(text: string): boolean {
  return process.stdout.write(shown(text));
}

/**
 * Writes a line of JSON byte by byte for programs. A terminal gets the same value, escaped.
 * @returns false if the stream's buffer is full
 */
export function data(json: string): boolean {
  return process.stdout.isTTY ? out(`${escapedJson(json)}\n`) : process.stdout.write(`${json}\n`);
}

/** Writes text to stderr. */
export function err(text: string) {
  process.stderr.write(shown(text));
}

/** Logs a kernel message to the current console; an agent run replaces the console to print it between its lines. */
export function remark(...parts: unknown[]) {
  console.error(harmlessLines(format(...parts)));
}

/**
 * Marks a terminal control sequence as our own.
 * @param sequence without foreign text
 */
export function own(sequence: string) {
  return sequence.replaceAll(ESCAPE, MARK);
}

/** Styles a text, which may be untrusted. */
export function inStyle(style: Parameters<typeof styleText>[0], text: string) {
  // The caller decides whether the stream supports colours.
  const [before = '', after = ''] = styleText(style, TEXT, { validateStream: false }).split(TEXT);
  return `${own(before)}${text}${own(after)}`;
}

function shown(text: string) {
  return harmlessLines(text).replaceAll(MARK, ESCAPE);
}
