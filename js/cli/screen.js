/** What a person or a script sees: text for people, one JSON document for `--json`, progress only on a terminal. */

import { spinner } from '@clack/prompts';
import { TGPError } from '../boundary/errors.js';
import { harmless, harmlessJson } from '../boundary/harmless.js';
import { err, inStyle, out } from './output.js';

/** @typedef {'text' | 'json'} Format */

/** The spinner that is on the screen. @type {{ start: () => void, clear: () => void } | undefined} */
let shown;

/**
 * @param {Parameters<typeof inStyle>[0]} style
 * @param {string} text
 */
export function styled(style, text) {
  return process.stdout.isTTY && process.stdout.hasColors() ? inStyle(style, text) : text;
}

/** @param {string} [text] */
export function line(text = '') {
  out(`${text}\n`);
}

/**
 * A path, a name or a description of others, whole and in one line.
 * @param {unknown} text
 */
export function field(text) {
  return harmless(text, Number.POSITIVE_INFINITY);
}

/**
 * Text broken between words where the terminal ends; in a pipe it is one line.
 * @param {string} text
 * @param {number} column where it begins, and its later lines too
 * @param {number} [columns] of the terminal
 */
export function fitted(text, column, columns = process.stdout.columns ?? Number.POSITIVE_INFINITY) {
  const width = columns - column;
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${' '.repeat(column)}`);
}

/** @param {unknown} value */
export function json(value) {
  line(value === undefined ? '' : harmlessJson(value, 2));
}

/**
 * Does some work, with a spinner where a person waits for it.
 * @template T
 * @param {Format} format
 * @param {string} label
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(format, label, work) {
  if (format === 'json' || !process.stdout.isTTY) return work();
  const progress = spinner({ withGuide: false });
  shown = { start: () => progress.start(label), clear: () => progress.clear() };
  shown.start();
  try {
    return await work();
  } finally {
    shown.clear();
    shown = undefined;
  }
}

/**
 * Does something that needs the terminal for itself.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withoutProgress(work) {
  const hidden = shown;
  hidden?.clear();
  try {
    return await work();
  } finally {
    if (hidden === shown) hidden?.start();
  }
}

/**
 * @param {Format} format
 * @param {unknown} error
 */
export function failure(format, error) {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof TGPError)) throw error;
  if (format === 'json') json({ error: { code: error.code, message, details: error.details } });
  else err(`${message} [${error.code}]\n`);
}
