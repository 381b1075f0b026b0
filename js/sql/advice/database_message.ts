/** Parses error messages of databases: unknown table, unknown column, syntax error. */

/** An error about a name; `name` as the statement has it, without quotes. */
export type ParsedError =
  | { about: 'table' | 'column'; name: string; table?: string }
  | { about: 'syntax'; name: string };

const PATTERNS: readonly [RegExp, (found: string[]) => ParsedError][] = [
  // SQLite
  [/no such table: ([^\n]+?)\.?$/m, ([name]) => ({ about: 'table', name: bare(name) })],
  [/table ([^\n]+?) has no column named ([^\n]+?)\.?$/m, ([table, name]) => column(name, table)],
  [/no such column: ([^\n]+?)(?: - should this be[^\n]*)?\.?$/m, ([name]) => column(name)],
  [/near "([^"\n]+)": syntax error/, ([name]) => ({ about: 'syntax', name: name ?? '' })],
  // PostgreSQL
  [/column "?([^"\n]+?)"? of relation "([^"\n]+)" does not exist/, ([name, table]) => column(name, table)],
  [/relation "([^"\n]+)" does not exist/, ([name]) => ({ about: 'table', name: bare(name) })],
  [/column "?([^"\n]+?)"? does not exist/, ([name]) => column(name)],
  [/syntax error at or near "([^"\n]+)"/, ([name]) => ({ about: 'syntax', name: name ?? '' })],
  // MySQL and MariaDB
  [/Table '([^'\n]+)' doesn't exist/, ([name]) => ({ about: 'table', name: bare(name) })],
  [/Unknown column '([^'\n]+)' in/, ([name]) => column(name)],
  [/right syntax to use near '([^'\s]+)/, ([name]) => ({ about: 'syntax', name: name ?? '' })],
];

/** How much of a message is parsed. */
const MAX_CHARS = 2_000;
/** Maximum length of a name. */
const MAX_NAME_CHARS = 256;

/** The name that a message is about; undefined for other errors. */
export function parsedError(message: string): ParsedError | undefined {
  const text = message.slice(0, MAX_CHARS);
  for (const [pattern, read] of PATTERNS) {
    const found = pattern.exec(text);
    if (found) return read(found.slice(1).map((part) => part.slice(0, MAX_NAME_CHARS)));
  }
  return undefined;
}

function column(name: string | undefined, table?: string): ParsedError {
  return { about: 'column', name: bare(name), ...(table !== undefined && { table: bare(table) }) };
}

/** The last part of a qualified name, without quotes. */
export function bare(name: string | undefined = '') {
  const part = name.slice(0, MAX_NAME_CHARS).split('.').at(-1) ?? '';
  return part.replace(/^["'`[]+|["'`\]]+$/g, '');
}
