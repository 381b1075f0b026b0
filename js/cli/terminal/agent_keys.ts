/** Keyboard input: reads one key or one line from the terminal. */

import { createInterface } from 'node:readline/promises';
import { guarded, ignored } from '../../boundary/guarded.js';
import { err } from './output.js';

/** Keys typed before the question appears are discarded for this long. */
const STALE_MS = 60;
/** Longest delay before a held key starts to repeat. A held key answers one question only. */
const HELD_MS = 750;
/** The key that shows more lines; it is not an answer. */
const MORE = 'm';

/** Time of the last key that could be an answer. */
let lastKeyAt = Number.NEGATIVE_INFINITY;

/** The key Ctrl-C. */
export const INTERRUPT = '\u0003';

/** Whether input and output are a terminal, so that a question can be asked. */
export function isTerminal() {
  return process.stdin.isTTY === true && process.stderr.isTTY === true && !process.stdin.readableEnded;
}

/**
 * Asks, and waits for one of some keys.
 * @param question is shown after earlier input is discarded and no key is held down
 * @param keys in lower case
 * @param signal cancels the question
 * @returns a key, {@link INTERRUPT}, or an empty string for a refusal (Enter, Escape, Ctrl-D)
 */
export async function askForKey(question: string, keys: readonly string[], signal?: AbortSignal): Promise<string> {
  const { stdin } = process;
  stdin.setRawMode(true);
  stdin.resume();
  let settle: (key: string) => void = ignored;
  const answer = new Promise<string>((resolve) => {
    settle = resolve;
  });
  let isAsked = false;
  let isOver = false;
  answer.then(() => {
    isOver = true;
  }, ignored);
  const onData = guarded(ignored, (chunk: Buffer) => {
    const key = chunk.toString('utf8').toLowerCase();
    if (key !== MORE) lastKeyAt = performance.now();
    if (key.includes(INTERRUPT)) settle(INTERRUPT);
    else if (!isAsked) return;
    else if (keys.includes(key)) settle(key);
    else if (['\r', '\n', '\u001b', '\u0004'].includes(key)) settle('');
  });
  const onEnd = guarded(ignored, () => settle(''));
  stdin.on('data', onData);
  stdin.on('end', onEnd);
  signal?.addEventListener('abort', onEnd, { once: true });
  try {
    await pause(STALE_MS);
    for (let left = heldMs(); left > 0 && !isOver; left = heldMs()) await pause(Math.min(left, STALE_MS));
    isAsked = true;
    if (!isOver) err(question);
    if (signal?.aborted) settle('');
    return await answer;
  } finally {
    signal?.removeEventListener('abort', onEnd);
    stdin.off('data', onData);
    stdin.off('end', onEnd);
    stdin.setRawMode(false);
    stdin.pause();
  }
}

/** How long the last key may still be held down, in milliseconds. */
function heldMs() {
  return lastKeyAt + HELD_MS - performance.now();
}

function pause(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Asks for a line of text.
 * @param signal cancels the question
 * @returns an empty string if the question was cancelled
 */
export async function askForLine(question: string, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  // Ctrl-C and Ctrl-D end the question.
  const over = new AbortController();
  const end = guarded(ignored, () => over.abort());
  lines.on('close', end);
  signal?.addEventListener('abort', end, { once: true });
  try {
    err(question);
    return await lines.question('', { signal: over.signal });
  } catch (error) {
    if (!over.signal.aborted) throw error;
    return '';
  } finally {
    signal?.removeEventListener('abort', end);
    lines.close();
  }
}
