/** Output of commands: text for people, one JSON document with `--json`, a spinner on a terminal only. */

import { spinner } from '@clack/prompts';
import { TGPError } from '../../boundary/errors.js';
import { harmless, harmlessJson } from '../../boundary/harmless.js';
import type { DryRunResult } from '../../types/dry_run.js';
import { columnsOf } from './agent_width.js';
import { err, inStyle, out } from './output.js';

/** The format of a command's output. */
export type Format = 'text' | 'json';

/** The active spinner. */
let shown: { start: () => void; clear: () => void } | undefined;

/** The text with a style, if stdout shows colours. */
export function styled(style: Parameters<typeof inStyle>[0], text: string) {
  return process.stdout.isTTY && process.stdout.hasColors() ? inStyle(style, text) : text;
}

/** Writes one line to stdout. */
export function line(text: string = '') {
  out(`${text}\n`);
}

/** Foreign text, such as a path, escaped as one line without truncation. */
export function field(text: unknown) {
  return harmless(text, Number.POSITIVE_INFINITY);
}

/**
 * Wraps text between words at the width of the terminal; without a terminal it stays one line.
 * @param column where each line starts
 * @param columns of the terminal
 */
export function fitted(text: string, column: number, columns: number = columnsOf(process.stdout)) {
  const width = columns - column;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${' '.repeat(column)}`);
}

/** Writes a value to stdout as indented JSON. */
export function json(value: unknown) {
  line(value === undefined ? '' : harmlessJson(value, 2));
}

/** Runs `work`, with a spinner on a terminal. */
export async function withProgress<T>(format: Format, label: string, work: () => Promise<T>): Promise<T> {
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

/** Hides the spinner while `work` uses the terminal. */
export async function withoutProgress<T>(work: () => Promise<T>): Promise<T> {
  const hidden = shown;
  hidden?.clear();
  try {
    return await work();
  } finally {
    if (hidden === shown) hidden?.start();
  }
}

/**
 * Prints the preview of a dry run.
 * @returns the exit code
 */
export function printPreview(format: Format, preview: DryRunResult): number {
  if (format === 'json') json(preview);
  else line(preview.text);
  return preview.stopped === undefined ? 0 : 1;
}

/** Prints a TGPError; any other error is rethrown. */
export function failure(format: Format, error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof TGPError)) throw error;
  if (format === 'json') json({ error: { code: error.code, message, details: error.details } });
  else err(`${message}${message.endsWith('\n') ? '' : ' '}[${error.code}]\n`);
}
