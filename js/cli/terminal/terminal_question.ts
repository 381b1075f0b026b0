/** The approval question at the terminal: shows the whole request by pages, then reads the answer as one key. */

import { userInfo } from 'node:os';
import { harmlessJson, visible } from '../../boundary/harmless.js';
import { withoutConditions } from '../../kernel/approvals/permanent_rule.js';
import type { RequestLine } from '../../kernel/approvals/request_text.js';
import { renderedRequest } from '../../kernel/approvals/request_text.js';
import type { ApprovalRequest } from '../../types/policy.js';
import { askForKey, askForLine } from './agent_keys.js';
import { painted } from './agent_screen.js';
import type { Colour } from './agent_text.js';
import { columnsOf, wrapped } from './agent_width.js';
import { err } from './output.js';
import { fitted } from './screen.js';

/** The answer of the user. */
export type Answer = { approved: boolean; always?: true | { any: string[] }; by: string; reason?: string };
/** `key` is the typed key; an empty string for Enter, Escape and Ctrl-D. */
type KeyAnswer = Answer & { key: string };

/** Rows of the first page and of each further page. */
const FIRST_LINES = 24;
const PAGE_LINES = 200;
/** Longer requests exceed the scrollback of terminals. */
const MAX_LINES = 5_000;
const MAX_CHARS = 400_000;
const MARGIN = '  ';
/** Marks a wrapped line. */
const CONTINUATION = '⤷';

const COLOURS: Record<RequestLine['sign'], Colour> = { '+': 'green', '-': 'red', ' ': 'dim', '…': 'dim' };
const ECHOES: Record<string, string> = { y: 'yes', a: 'always', r: 'yes, and all the rest', m: 'more', w: 'wider' };

/** Why a request is refused that does not fit the terminal. */
export const TOO_LONG =
  'The request is too long to be shown in full at a terminal, and only a fully shown request can be approved.';

/** Shows a request and returns the answer. */
export async function askAtTerminal(
  request: ApprovalRequest,
  {
    change,
    hasRest = false,
  }: {
    /** Replaces some arguments in the display. */
    change?: { covers: string[]; lines: RequestLine[] };
    /** Whether the key r approves all further requests. */
    hasRest?: boolean;
  } = {},
): Promise<KeyAnswer> {
  const columns = columnsOf(process.stderr);
  const { head, lines, isWhole } = renderedRequest(request, change);
  const by = userName();
  show([{ sign: ' ', text: head }], columns, painted('yellow', '?'));
  const rows = isWhole ? rowsOf(lines, columns) : undefined;
  if (rows === undefined) {
    err(`${MARGIN}${TOO_LONG}\n`);
    return { approved: false, by: 'nobody', reason: TOO_LONG, key: '' };
  }
  let shownRows = 0;
  const showMore = (count: number) => {
    for (const row of rows.slice(shownRows, shownRows + count)) err(`${row}\n`);
    shownRows = Math.min(rows.length, shownRows + count);
  };
  showMore(FIRST_LINES);
  /** Conditions that the rule omits. */
  let any: string[] = [];
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
      const always = any.length > 0 ? { any } : (true as const);
      return { approved: ['y', 'a', 'r'].includes(key), by, key, ...(key === 'a' && { always }) };
    }
  }
}

/**
 * The possible answers; yes only after the whole request was shown.
 * @param hidden lines
 */
function choices(hidden: number, hasRule: boolean, hasRest: boolean) {
  if (hidden > 0) return { question: `${MARGIN}Allow? [n]o, ${hidden} [m]ore lines `, keys: ['n', 'm'] };
  const more = [
    ...(hasRule ? [', [a]lways by this rule, [w]ider'] : []),
    ...(hasRest ? [', all the [r]est'] : []),
  ].join('');
  const keys = ['y', 'n', ...(hasRule ? ['a', 'w'] : []), ...(hasRest ? ['r'] : [])];
  return { question: `${MARGIN}Allow? [y]es, [n]o${more} `, keys };
}

/** Asks for the conditions that the permanent rule omits. */
async function widened(rule: NonNullable<ApprovalRequest['always']>, before: string[], signal: AbortSignal) {
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

/** @returns undefined if there are too many */
function rowsOf(lines: RequestLine[], columns: number): string[] | undefined {
  if (lines.length > MAX_LINES || lines.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARS) return undefined;
  const rows = lines.flatMap((line) => rowsOfLine(line, columns));
  return rows.length > MAX_LINES ? undefined : rows;
}

/** Wraps one line into rows. */
function rowsOfLine({ sign, text }: RequestLine, columns: number) {
  const width = Math.max(10, columns - MARGIN.length - 3);
  return wrapped(text, width).map(
    (piece, at) => `${MARGIN}${painted(COLOURS[sign], `${at === 0 ? sign : CONTINUATION} ${piece}`)}`,
  );
}

function show(lines: RequestLine[], columns: number, mark: string) {
  const width = Math.max(10, columns - MARGIN.length - 1);
  for (const { text } of lines) {
    const pieces = fitted(text, 0, width)
      .split('\n')
      .flatMap((piece) => wrapped(piece, width));
    for (const [at, piece] of pieces.entries()) err(`${at === 0 ? mark : ' '} ${piece}\n`);
  }
}

/** The user's name, which approvals record. */
export function userName() {
  try {
    return userInfo().username;
  } catch {
    // In containers a user may have a uid but no name.
    return `user ${process.getuid?.()}`;
  }
}
