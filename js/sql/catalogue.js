/** Lists tables and columns of a database, for advice on unknown names. */

import { SqlRules } from './rules.js';
import { QUERIES } from './schema_queries.js';

/**
 * @typedef {{ id: string, name: string }} CatalogueTable
 * @typedef {(sql: string) => Promise<any[]>} Ask
 */

/** Limits of catalogue queries. */
const MAX_TABLES = 2_000;
const MAX_ROWS = 20_000;
const MAX_BYTES = 1 << 20;
const STATEMENT_TIMEOUT_MS = 2_000;
/** Longer names are not compared. */
const MAX_NAME_CHARS = 256;

/** @type {SqlRules | undefined} */
let reading;

/** The SQL rules for catalogue queries. */
export function catalogueRules() {
  reading ??= new SqlRules(
    { readOnly: true, maxRows: MAX_ROWS, maxBytes: MAX_BYTES, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    { isOwn: true },
  );
  return reading;
}

/**
 * @param {'sqlite' | 'postgres' | 'mysql'} dialect
 * @param {Ask} ask
 * @param {import('./table_visibility.js').TableVisibility} visibility
 * @returns {Promise<CatalogueTable[]>}
 */
export async function tablesOf(dialect, ask, visibility) {
  const rows = (await ask(QUERIES[dialect].tables(MAX_TABLES))).filter(isTable);
  const named = rows.filter(({ name }) => isShort(name));
  return (await visibility.shown(named)).map(({ id, name }) => ({ id: String(id), name }));
}

/**
 * @param {'sqlite' | 'postgres' | 'mysql'} dialect
 * @param {Ask} ask
 * @param {CatalogueTable} table
 * @returns {Promise<string[]>}
 */
export async function columnsOf(dialect, ask, { id }) {
  const rows = await ask(QUERIES[dialect].columns(`'${id}'`));
  return rows.map(({ name }) => name).filter((name) => typeof name === 'string' && isShort(name));
}

/** @param {string} name */
function isShort(name) {
  return name.length <= MAX_NAME_CHARS;
}

/**
 * Whether a row describes a table with an id that is safe in a statement: an application function may return anything.
 * @param {any} row
 */
export function isTable({ id, name }) {
  return (
    typeof name === 'string' && (typeof id === 'number' || typeof id === 'string') && /^[0-9A-F]+$/.test(String(id))
  );
}
