/** A request at the terminal: shown whole, by page, and answered with one key once all of it was shown. */

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
 * @typedef {Answer & { key: string }} KeyAnswer `key` is what was typed: nothing for any that means no
 */

/** Lines that are shown at first, and each time that more are wanted. */
const FIRST_LINES = 24;
const PAGE_LINES = 200;
/** More is beyond what terminals keep. */
const MAX_LINES = 5_000;
const MAX_CHARS = 400_000;
const DEFAULT_COLUMNS = 80;
const MARGIN = '  ';
/** Marks what goes on from the line above. */
const GOES_ON = '⤷';

/** @type {Record<RequestLine['sign'], import('./agent_text.js').Colour>} */
const COLOURS = { '+': 'green', '-': 'red', ' ': 'dim', '…': 'dim' };
/** @type {Record<string, string>} */
const WORDS = { y: 'yes', a: 'always', r: 'yes, and all the rest', m: 'more', w: 'wider' };

export const TOO_LONG = 'It is too long to be shown whole at a terminal, and what is not shown cannot be approved.';

/**
 * @param {ApprovalRequest} request
 * @param {object} [options]
 * @param {{ covers: string[], lines: RequestLine[] }} [options.change] in the place of some arguments
 * @param {boolean} [options.hasRest] whether all that follows can be approved too, by the key r
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
  /** What the rule leaves open. @type {string[]} */
  let any = [];
  for (;;) {
    const hidden = rows.length - shownRows;
    const rule = hidden > 0 || request.always === undefined ? undefined : withoutConditions(request.always, any);
    if (rule !== undefined) show([{ sign: ' ', text: `always: ${visible(harmlessJson(rule))}` }], columns, ' ');
    const { question, keys } = choices(hidden, rule !== undefined, hasRest);
    const key = await askForKey(question, keys, request.signal);
    err(`${WORDS[key] ?? 'no'}\n`);
    if (key === 'm') showMore(PAGE_LINES);
    else if (key === 'w' && request.always !== undefined) any = await widened(request.always, any, request.signal);
    else {
      const always = any.length > 0 ? { any } : /** @type {const} */ (true);
      return { approved: ['y', 'a', 'r'].includes(key), by, key, ...(key === 'a' && { always }) };
    }
  }
}

/**
 * What can be answered: yes only once all was shown.
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
 * Asks for the conditions that a rule is to leave open.
 * @param {NonNullable<ApprovalRequest['always']>} rule
 * @param {string[]} before
 * @param {AbortSignal} signal
 */
async function widened(rule, before, signal) {
  const names = [...Object.keys(rule.args ?? {}), ...(rule.text === undefined ? [] : ['text'])];
  const typed = await askForLine(`${MARGIN}What may be anything? ${names.join(' ')}: `, signal);
  const words = typed.split(/[\s,]+/).filter((word) => word !== '');
  const unknown = words.filter((word) => !names.includes(word));
  if (unknown.length === 0) return [...new Set([...before, ...words])];
  err(`${MARGIN}The rule has no condition ${unknown.map((word) => `"${word}"`).join(', ')}. It stays as it is.\n`);
  return before;
}

/**
 * @param {RequestLine[]} lines
 * @param {number} columns
 * @returns {string[] | undefined} nothing when they are too many
 */
function rowsOf(lines, columns) {
  if (lines.length > MAX_LINES || lines.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARS) return undefined;
  const rows = lines.flatMap((line) => rowsOfLine(line, columns));
  return rows.length > MAX_LINES ? undefined : rows;
}

/**
 * One line in as many rows as it takes.
 * @param {RequestLine} line
 * @param {number} columns
 */
function rowsOfLine({ sign, text }, columns) {
  const width = Math.max(10, columns - MARGIN.length - 3);
  return wrapped(text, width).map(
    (piece, at) => `${MARGIN}${painted(COLOURS[sign], `${at === 0 ? sign : GOES_ON} ${piece}`)}`,
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
    // In containers a user may have a number and no name.
    return `user ${process.getuid?.()}`;
  }
}
