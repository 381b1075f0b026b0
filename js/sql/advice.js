/** What whoever wrote a statement can do about it, said behind what the database said. */

import { SqlError } from '../boundary/errors.js';
import { nearest, nearestFirst, slipsBetween } from '../boundary/near_name.js';
import { columnsOf, tablesOf } from './catalogue.js';
import { bare, complaintOf } from './complaint.js';
import { memberOf, shortened } from './driver_error.js';

/**
 * @typedef {import('./complaint.js').Complaint} Complaint
 * @typedef {{ dialect: 'sqlite' | 'postgres' | 'mysql', ask: import('./catalogue.js').Ask, sight: import('./table_sight.js').TableSight }} Catalogue
 * @typedef {{ text: string, suggestion?: string }} Advice
 */

/** Names that are told, and the characters of all of them. */
const MAX_NAMES = 20;
const MAX_NAMES_CHARS = 1_000;
/** Tables of a statement whose columns are told. */
const MAX_DESCRIBED = 3;
/** What is looked at of a statement, and how often a word of it is. */
const MAX_SQL_CHARS = 20_000;
const MAX_PLACES = 20;

/** Words of a statement whose misspelling makes it one that a database cannot read. */
const KEYWORDS = [
  'SELECT',
  'DISTINCT',
  'FROM',
  'WHERE',
  'GROUP',
  'ORDER',
  'HAVING',
  'LIMIT',
  'OFFSET',
  'JOIN',
  'INNER',
  'OUTER',
  'CROSS',
  'UNION',
  'VALUES',
  'INSERT',
  'INTO',
  'UPDATE',
  'DELETE',
  'RETURNING',
  'BETWEEN',
  'EXISTS',
];
/** Keywords of up to this many letters may have one slip, longer ones two. */
const SHORT = 5;

/**
 * The failure with what its own words and the statement give away.
 * @param {Error} failure
 * @param {unknown} sql
 */
export function adviceOnText(failure, sql) {
  const complaint = complaintIn(failure);
  if (!complaint) return failure;
  if (complaint.about === 'syntax') return withAdvice(failure, misspelt(complaint.name, String(sql)));
  return withAdvice(failure, { text: `Look up in the catalogue which ${complaint.about}s there are.` });
}

/**
 * The failure with what the catalogue tells as well.
 * @param {Error} failure
 * @param {unknown} sql
 * @param {Catalogue} catalogue
 */
export async function adviceOnNames(failure, sql, catalogue) {
  const complaint = complaintIn(failure);
  if (!complaint || complaint.about === 'syntax') return adviceOnText(failure, sql);
  const { dialect, ask, sight } = catalogue;
  const tables = await tablesOf(dialect, ask, sight);
  if (complaint.about === 'table') {
    return withAdvice(
      failure,
      told(
        complaint.name,
        tables.map(({ name }) => name),
        TABLES,
      ),
    );
  }
  const named = complaint.table === undefined ? tablesIn(String(sql)) : [complaint.table];
  const meant = tables.filter(({ name }) => named.includes(bare(name).toLowerCase())).slice(0, MAX_DESCRIBED);
  /** @type {Advice[]} */
  const parts = [];
  for (const table of meant) {
    const columns = await columnsOf(dialect, ask, table);
    parts.push(told(complaint.name, columns, columnsWords(table.name)));
  }
  const best = parts.find(({ suggestion }) => suggestion !== undefined);
  // Of several tables, one with a near name is the one that was meant.
  const text = best ? best.text : parts.map((part) => part.text).join(' ');
  return withAdvice(failure, { text, suggestion: best?.suggestion });
}

/**
 * The failure with the database's own advice, for when there is no better one.
 * @param {Error} failure
 * @param {unknown} error what the driver threw
 */
export function adviceOfDatabase(failure, error) {
  const hint = error === failure ? undefined : memberOf(error, 'hint');
  return withAdvice(failure, typeof hint === 'string' ? { text: `${shortened(hint)}.` } : undefined);
}

/**
 * Whether a failure is about names, so that the catalogue could help.
 * @param {Error} failure
 */
export function asksForNames(failure) {
  const about = complaintIn(failure)?.about;
  return about === 'table' || about === 'column';
}

/**
 * @param {Error} failure
 * @returns {Complaint | undefined}
 */
function complaintIn(failure) {
  if (!(failure instanceof SqlError) || failure.details.reason !== 'database') return undefined;
  return complaintOf(failure.message);
}

/**
 * @param {Error} failure
 * @param {Advice | undefined} advice
 */
function withAdvice(failure, advice) {
  if (!advice || advice.text === '' || !(failure instanceof SqlError)) return failure;
  const { suggestion } = advice;
  return new SqlError(`${failure.message} ${advice.text}`, {
    details: { ...failure.details, ...(suggestion !== undefined && { suggestion }) },
    cause: failure.cause,
  });
}

/** @typedef {{ none: string, all: string, others: string }} Words how a list of names is introduced */

/** @type {Words} */
const TABLES = {
  none: 'The database has no tables for tools.',
  all: 'The tables are',
  others: 'The other tables are',
};

/**
 * @param {string} table
 * @returns {Words}
 */
function columnsWords(table) {
  return { none: '', all: `The columns of ${table} are`, others: `The other columns of ${table} are` };
}

/**
 * @param {string} name what was asked for
 * @param {string[]} names what there is
 * @param {Words} words
 * @returns {Advice}
 */
function told(name, names, words) {
  if (names.length === 0) return { text: words.none };
  const bareNames = new Map(names.map((full) => [bare(full), full]));
  const near = nearest(name, [...bareNames.keys()]);
  const suggestion = near === undefined ? undefined : (bareNames.get(near) ?? near);
  const others = nearestFirst(name, names).filter((other) => other !== suggestion);
  const question = suggestion === undefined ? '' : `Did you mean ${suggestion}?`;
  const list = others.length === 0 ? '' : `${suggestion === undefined ? words.all : words.others} ${listed(others)}.`;
  return { text: [question, list].filter(Boolean).join(' '), suggestion };
}

/** @param {string[]} names nearest first */
function listed(names) {
  /** @type {string[]} */
  const shown = [];
  let chars = 0;
  for (const name of names.slice(0, MAX_NAMES)) {
    chars += name.length;
    if (chars > MAX_NAMES_CHARS) break;
    shown.push(name);
  }
  const left = names.length - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/**
 * The names behind words that a table follows; some may be none, which the catalogue will tell.
 * @param {string} sql
 * @returns {string[]}
 */
function tablesIn(sql) {
  const found = sql.slice(0, MAX_SQL_CHARS).matchAll(/\b(?:from|join|into|update)\s+((?:[\w$."`[\]]){1,200})/gi);
  return [...found].slice(0, MAX_NAMES).map(([, name]) => bare(name).toLowerCase());
}

/**
 * The keyword that was meant at the place where a database could not read on, or just before it.
 * @param {string} near
 * @param {string} sql
 * @returns {Advice | undefined}
 */
function misspelt(near, sql) {
  const words = sql.slice(0, MAX_SQL_CHARS).match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const at = near.match(/[\p{L}\p{N}_$]+/u)?.[0];
  const places = [...words.keys()].filter((index) => words[index] === at).slice(0, MAX_PLACES);
  for (const index of places) {
    for (const candidate of [words[index - 1], words[index]]) {
      const keyword = candidate === undefined ? undefined : nearKeyword(candidate.toUpperCase());
      if (keyword) return { text: `Did you mean ${keyword} instead of ${candidate}?`, suggestion: keyword };
    }
  }
  return undefined;
}

/** @param {string} word in upper case */
function nearKeyword(word) {
  const [keyword = ''] = nearestFirst(word, KEYWORDS);
  return keyword !== word && slipsBetween(word, keyword) <= (keyword.length <= SHORT ? 1 : 2) ? keyword : undefined;
}
