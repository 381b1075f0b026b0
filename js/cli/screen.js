/** Output of commands: text for people, one JSON document with `--json`, a spinner on a terminal only. */

import { spinner } from '@clack/prompts';
import { TGPError } from '../boundary/errors.js';
import { harmless, harmlessJson } from '../boundary/harmless.js';
import { err, inStyle, out } from './output.js';

/** @typedef {'text' | 'json'} Format */

/** The active spinner. @type {{ start: () => void, clear: () => void } | undefined} */
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
 * Foreign text, such as a path, escaped as one line without truncation.
 * @param {unknown} text
 */
export function field(text) {
  return harmless(text, Number.POSITIVE_INFINITY);
}

/**
 * Wraps text between words at the width of the terminal; without a terminal it stays one line.
 * @param {string} text
 * @param {number} column where each line starts
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
 * Runs `work`, with a spinner on a terminal.
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
 * Hides the spinner while `work` uses the terminal.
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
 * Prints a TGPError; any other error is rethrown.
 * @param {Format} format
 * @param {unknown} error
 */
export function failure(format, error) {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof TGPError)) throw error;
  if (format === 'json') json({ error: { code: error.code, message, details: error.details } });
  else err(`${message} [${error.code}]\n`);
}
