/** The approval question at the terminal: shows the whole request by pages, then reads the answer as one key. */

import { userInfo } from 'node:os';
import { harmlessJson, visible } from '../boundary/harmless.js';
import { withoutConditions } from '../kernel/permanent_rule.js';
import { renderedRequest } from '../kernel/request_text.js';
import { askForKey, askForLine } from './agent_keys.js';
import { painted } from './agent_screen.js';
import { wrapped } from './agent_width.js';
import { err } from './output.js';
import { fitted } from './screen.js';

/**
 * @typedef {import('../../index.js').ApprovalRequest} ApprovalRequest
 * @typedef {import('../kernel/request_text.js').RequestLine} RequestLine
 * @typedef {{ approved: boolean, always?: true | { any: string[] }, by: string, reason?: string }} Answer
 * @typedef {Answer & { key: string }} KeyAnswer `key` is the typed key; an empty string for Enter, Escape and Ctrl-D
 */

/** Rows of the first page and of each further page. */
const FIRST_LINES = 24;
const PAGE_LINES = 200;
/** Longer requests exceed the scrollback of terminals. */
const MAX_LINES = 5_000;
const MAX_CHARS = 400_000;
const DEFAULT_COLUMNS = 80;
const MARGIN = '  ';
/** Marks a wrapped line. */
const CONTINUATION = '⤷';

/** @type {Record<RequestLine['sign'], import('./agent_text.js').Colour>} */
const COLOURS = { '+': 'green', '-': 'red', ' ': 'dim', '…': 'dim' };
/** @type {Record<string, string>} */
const ECHOES = { y: 'yes', a: 'always', r: 'yes, and all the rest', m: 'more', w: 'wider' };

export const TOO_LONG =
  'The request is too long to be shown in full at a terminal, and only a fully shown request can be approved.';

/**
 * @param {ApprovalRequest} request
 * @param {object} [options]
 * @param {{ covers: string[], lines: RequestLine[] }} [options.change] replaces some arguments in the display
 * @param {boolean} [options.hasRest] whether the key r approves all further requests
 * @returns {Promise<KeyAnswer>}
 */
export async function askAtTerminal(request, { change, hasRest = false } = {}) {
  const columns = process.stderr.columns ?? DEFAULT_COLUMNS;
  const { head, lines, isWhole } = renderedRequest(request, change);
  const by = userName();
  show([{ sign: ' ', text: head }], columns, painted('yellow', '?'));
  const rows = isWhole ? rowsOf(lines, columns) : undefined;
  if (rows === undefined) {
    err(`${MARGIN}${TOO_LONG}\n`);
    return { approved: false, by: 'nobody', reason: TOO_LONG, key: '' };
  }
  let shownRows = 0;
  const showMore = (/** @type {number} */ count) => {
    for (const row of rows.slice(shownRows, shownRows + count)) err(`${row}\n`);
    shownRows = Math.min(rows.length, shownRows + count);
  };
  showMore(FIRST_LINES);
  /** Conditions that the rule omits. @type {string[]} */
  let any = [];
  for (;;) {
    const hidden = rows.length - shownRows;
    const rule = hidden > 0 || request.always === undefined ? undefined : withoutConditions(request.always, any);
    if (rule !== undefined) show([{ sign: ' ', text: `always: ${visible(harmlessJson(rule))}` }], columns, ' ');
    const { question, keys } = choices(hidden, rule !== undefined, hasRest);
    const key = await askForKey(question, keys, request.signal);
    err(`${ECHOES[key] ?? 'no'}\n`);
    if (key === 'm') showMore(PAGE_LINES);
    else if (key === 'w' && request.always !== undefined) any = await widened(request.always, any, request.signal);
    else {
      const always = any.length > 0 ? { any } : /** @type {const} */ (true);
      return { approved: ['y', 'a', 'r'].includes(key), by, key, ...(key === 'a' && { always }) };
    }
  }
}

/**
 * The possible answers; yes only after the whole request was shown.
 * @param {number} hidden lines
 * @param {boolean} hasRule
 * @param {boolean} hasRest
 */
function choices(hidden, hasRule, hasRest) {
  if (hidden > 0) return { question: `${MARGIN}Allow? [n]o, ${hidden} [m]ore lines `, keys: ['n', 'm'] };
  const more = [
    ...(hasRule ? [', [a]lways by this rule, [w]ider'] : []),
    ...(hasRest ? [', all the [r]est'] : []),
  ].join('');
  const keys = ['y', 'n', ...(hasRule ? ['a', 'w'] : []), ...(hasRest ? ['r'] : [])];
  return { question: `${MARGIN}Allow? [y]es, [n]o${more} `, keys };
}

/**
 * Asks for the conditions that the permanent rule omits.
 * @param {NonNullable<ApprovalRequest['always']>} rule
 * @param {string[]} before
 * @param {AbortSignal} signal
 */
async function widened(rule, before, signal) {
  const names = [...Object.keys(rule.args ?? {}), ...(rule.text === undefined ? [] : ['text'])];
  const typed = await askForLine(`${MARGIN}Conditions to omit (${names.join(' ')}): `, signal);
  const words = typed.split(/[\s,]+/).filter((word) => word !== '');
  const unknown = words.filter((word) => !names.includes(word));
  if (unknown.length === 0) return [...new Set([...before, ...words])];
  err(
    `${MARGIN}The rule has no condition ${unknown.map((word) => `"${word}"`).join(', ')}. The rule is not changed.\n`,
  );
  return before;
}

/**
 * @param {RequestLine[]} lines
 * @param {number} columns
 * @returns {string[] | undefined} undefined if there are too many
 */
function rowsOf(lines, columns) {
  if (lines.length > MAX_LINES || lines.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARS) return undefined;
  const rows = lines.flatMap((line) => rowsOfLine(line, columns));
  return rows.length > MAX_LINES ? undefined : rows;
}

/**
 * Wraps one line into rows.
 * @param {RequestLine} line
 * @param {number} columns
 */
function rowsOfLine({ sign, text }, columns) {
  const width = Math.max(10, columns - MARGIN.length - 3);
  return wrapped(text, width).map(
    (piece, at) => `${MARGIN}${painted(COLOURS[sign], `${at === 0 ? sign : CONTINUATION} ${piece}`)}`,
  );
}

/**
 * @param {RequestLine[]} lines
 * @param {number} columns
 * @param {string} mark
 */
function show(lines, columns, mark) {
  const width = Math.max(10, columns - MARGIN.length - 1);
  for (const { text } of lines) {
    const pieces = fitted(text, 0, width)
      .split('\n')
      .flatMap((piece) => wrapped(piece, width));
    for (const [at, piece] of pieces.entries()) err(`${at === 0 ? mark : ' '} ${piece}\n`);
  }
}

export function userName() {
  try {
    return userInfo().username;
  } catch {
    // In containers a user may have a uid but no name.
    return `user ${process.getuid?.()}`;
  }
}
