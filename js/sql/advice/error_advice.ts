/** Adds advice to database errors: similar names from the catalogue, or a misspelt keyword. */

import { SqlError } from '../../boundary/errors.js';
import { editDistance, nearest, nearestFirst } from '../../boundary/spelling.js';
import type { AskCatalogue } from '../catalogue/catalogue.js';
import { columnsOf, tablesOf } from '../catalogue/catalogue.js';
import type { TableVisibility } from '../catalogue/table_visibility.js';
import type { KnownDialect } from '../dialects.js';
import { memberOf, shortened } from '../driver_error.js';
import type { ParsedError } from './database_message.js';
import { bare, parsedError } from './database_message.js';

type Catalogue = { dialect: KnownDialect; ask: AskCatalogue; visibility: TableVisibility };
type Advice = { text: string; suggestion?: string };

/** Maximum number of listed names, and their total length. */
const MAX_NAMES = 20;
const MAX_NAMES_CHARS = 1_000;
/** Maximum number of tables whose columns are listed. */
const MAX_DESCRIBED = 3;
/** How much of a statement is searched, and how many occurrences of a word are checked. */
const MAX_SQL_CHARS = 20_000;
const MAX_PLACES = 20;

/** Keywords whose misspelling causes a syntax error. */
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
/** Keywords up to this length may have one typo, longer ones two. */
const SHORT = 5;

/** The failure with advice from its message and the statement alone. */
export function adviceOnText(failure: Error, sql: unknown) {
  const complaint = parsedSqlError(failure);
  if (!complaint) return failure;
  if (complaint.about === 'syntax') return withAdvice(failure, misspelt(complaint.name, String(sql)));
  return withAdvice(failure, { text: `Look up the existing ${complaint.about}s in the catalogue.` });
}

/** The failure with advice from the catalogue. */
export async function adviceOnNames(failure: Error, sql: unknown, catalogue: Catalogue) {
  const complaint = parsedSqlError(failure);
  if (!complaint || complaint.about === 'syntax') return adviceOnText(failure, sql);
  const { dialect, ask, visibility } = catalogue;
  const tables = await tablesOf(dialect, ask, visibility);
  if (complaint.about === 'table') {
    return withAdvice(
      failure,
      nameAdvice(
        complaint.name,
        tables.map(({ name }) => name),
        TABLES,
      ),
    );
  }
  const named = complaint.table === undefined ? tablesIn(String(sql)) : [complaint.table];
  const candidates = tables.filter(({ name }) => named.includes(bare(name).toLowerCase())).slice(0, MAX_DESCRIBED);
  const parts: Advice[] = [];
  for (const table of candidates) {
    const columns = await columnsOf(dialect, ask, table);
    parts.push(nameAdvice(complaint.name, columns, columnsWords(table.name)));
  }
  const best = parts.find(({ suggestion }) => suggestion !== undefined);
  // Of several tables, the one with a similar column is the likely one.
  const text = best ? best.text : parts.map((part) => part.text).join(' ');
  return withAdvice(failure, { text, suggestion: best?.suggestion });
}

/**
 * The failure with the database's own hint.
 * @param error what the driver threw
 */
export function adviceOfDatabase(failure: Error, error: unknown) {
  const hint = error === failure ? undefined : memberOf(error, 'hint');
  return withAdvice(failure, typeof hint === 'string' ? { text: `${shortened(hint)}.` } : undefined);
}

/** Whether a failure is about an unknown table or column. */
export function isAboutNames(failure: Error) {
  const about = parsedSqlError(failure)?.about;
  return about === 'table' || about === 'column';
}

function parsedSqlError(failure: Error): ParsedError | undefined {
  if (!(failure instanceof SqlError) || failure.details.reason !== 'database') return undefined;
  return parsedError(failure.message);
}

function withAdvice(failure: Error, advice: Advice | undefined) {
  if (!advice || advice.text === '' || !(failure instanceof SqlError)) return failure;
  const { suggestion } = advice;
  return new SqlError(`${failure.message} ${advice.text}`, {
    details: { ...failure.details, ...(suggestion !== undefined && { suggestion }) },
    cause: failure.cause,
  });
}

/** How a list of names is introduced. */
type Intro = { none: string; all: string; others: string };

const TABLES: Intro = {
  none: 'The database has no tables for tools.',
  all: 'The tables are',
  others: 'The other tables are',
};

function columnsWords(table: string): Intro {
  return { none: '', all: `The columns of ${table} are`, others: `The other columns of ${table} are` };
}

/**
 * Advice for an unknown name.
 * @param name the unknown name
 * @param names the existing ones
 */
function nameAdvice(name: string, names: string[], words: Intro): Advice {
  if (names.length === 0) return { text: words.none };
  const bareNames = new Map(names.map((full) => [bare(full), full]));
  const near = nearest(name, [...bareNames.keys()]);
  const suggestion = near === undefined ? undefined : (bareNames.get(near) ?? near);
  const others = nearestFirst(name, names).filter((other) => other !== suggestion);
  const question = suggestion === undefined ? '' : `Did you mean ${suggestion}?`;
  const list = others.length === 0 ? '' : `${suggestion === undefined ? words.all : words.others} ${listed(others)}.`;
  return { text: [question, list].filter(Boolean).join(' '), suggestion };
}

/** @param names nearest first */
function listed(names: string[]) {
  const shown: string[] = [];
  let chars = 0;
  for (const name of names.slice(0, MAX_NAMES)) {
    chars += name.length;
    if (chars > MAX_NAMES_CHARS) break;
    shown.push(name);
  }
  const left = names.length - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** The names after keywords that precede a table. Not all of them are tables; the catalogue decides. */
function tablesIn(sql: string): string[] {
  const found = sql.slice(0, MAX_SQL_CHARS).matchAll(/\b(?:from|join|into|update)\s+((?:[\w$."`[\]]){1,200})/gi);
  return [...found].slice(0, MAX_NAMES).map(([, name]) => bare(name).toLowerCase());
}

/** The likely keyword at the position of a syntax error, or just before it. */
function misspelt(near: string, sql: string): Advice | undefined {
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

/** @param word in upper case */
function nearKeyword(word: string) {
  const [keyword = ''] = nearestFirst(word, KEYWORDS);
  return keyword !== word && editDistance(word, keyword) <= (keyword.length <= SHORT ? 1 : 2) ? keyword : undefined;
}
