/** Describes the tables of a database for a model (`describe_schema`). */

import { nearest } from '../boundary/spelling.js';
import { isTable } from './catalogue.js';
import { relatedIds } from './related_tables.js';
import { SqlRules } from './rules.js';
import { MAX_DETAILS, PROBES, QUERIES } from './schema_queries.js';
import { relationOf, TableVisibility } from './table_visibility.js';

/**
 * @typedef {import('./adapter.js').SqlAdapter} SqlAdapter
 * @typedef {import('./dry_sql.js').SqlRun} SqlRun
 * @typedef {import('../../index.js').TableDescription} TableDescription
 * @typedef {<T>(work: (run: SqlRun) => Promise<T>, rules: SqlRules, signal?: AbortSignal) => Promise<T>} InRun
 * @typedef {(sql: string) => Promise<any[]>} Ask
 */

/** Maximum number of described tables; further ones are only listed by name. */
const MAX_DESCRIBED = 100;
/** Maximum number of listed names; further ones are only counted. */
const MAX_NAMED = 1_000;
/** Maximum number of tables read from the catalogue. */
const MAX_TABLES = 100_000;
/** Limits of catalogue queries. */
const MAX_ROWS = 100_000;
const MAX_BYTES = 16 << 20;
/** Maximum length of an unknown name in messages. */
const MAX_NAME_CHARS = 100;

/**
 * @param {SqlAdapter} adapter
 * @param {SqlRules} rules decide which tables are shown
 * @param {InRun} inRun
 * @param {string | undefined} only
 * @param {AbortSignal | undefined} signal
 * @param {import('./table_visibility.js').OpenTables} [openTables]
 * @returns {Promise<import('../../index.js').SchemaDescription>}
 */
export async function describeSchema(adapter, rules, inRun, only, signal, openTables) {
  const { statementTimeoutMs } = rules.options;
  const limits = { readOnly: true, maxRows: MAX_ROWS, maxBytes: MAX_BYTES, statementTimeoutMs };
  const reading = new SqlRules(limits, { isOwn: true });
  /** @type {Ask} */
  const ask = (sql) => inRun(async (run) => JSON.parse((await run.execute(sql)).rows ?? '[]'), reading, signal);
  const dialect = adapter.dialect === 'any' ? await probe(ask) : adapter.dialect;
  const queries = QUERIES[dialect];
  const tables = (await ask(queries.tables(MAX_TABLES))).filter(isTable);
  const shown = await shownOf(tables, new TableVisibility(rules, dialect, openTables), dialect, ask);
  const found = only === undefined ? shown : shown.filter(({ name }) => name === only);
  const described = await describeTables(found.slice(0, MAX_DESCRIBED), queries, ask, hiddenNames(tables, shown));
  if (dialect === 'sqlite') await estimateRows(described.values(), ask);
  const others = found.filter(({ id }) => !described.has(String(id))).map(({ name }) => name);
  return {
    dialect,
    tables: [...described.values()],
    ...(others.length > 0 && { notShown: others.slice(0, MAX_NAMED) }),
    ...(others.length > MAX_NAMED && { notNamed: others.length - MAX_NAMED }),
    ...(only !== undefined && found.length === 0 && { notice: notThere(only, shown) }),
  };
}

/**
 * The tables that the caller may read.
 * @param {any[]} tables
 * @param {TableVisibility} visibility
 * @param {string} dialect
 * @param {Ask} ask
 * @returns {Promise<any[]>}
 */
async function shownOf(tables, visibility, dialect, ask) {
  const shown = await visibility.shown(tables);
  if (dialect !== 'postgres' || shown.length === tables.length) return shown;
  const rest = tables.map((table) => ({ id: String(table.id), ...relationOf(table) }));
  const restricted = await visibility.restricted(rest, ['select']);
  if (restricted.length === 0) return shown;
  const ids = await relatedIds(
    ask,
    restricted.map(({ id }) => id),
  );
  return shown.filter(({ id }) => !ids.has(String(id)));
}

/**
 * @param {string} name
 * @param {{ name: string }[]} tables the existing ones
 */
function notThere(name, tables) {
  const near = nearest(
    name,
    tables.map((table) => table.name),
  );
  const next = near === undefined ? 'Call describe_schema without a table to see all.' : `Did you mean '${near}'?`;
  return `There is no table '${name.slice(0, MAX_NAME_CHARS)}'. ${next}`;
}

/**
 * Unqualified names that only hidden tables have.
 * @param {any[]} tables
 * @param {any[]} shown
 */
function hiddenNames(tables, shown) {
  const names = new Set(tables.length === shown.length ? [] : tables.map((table) => relationOf(table).name));
  for (const table of shown) names.delete(relationOf(table).name);
  return names;
}

/**
 * @param {any[]} tables
 * @param {import('./schema_queries.js').SchemaQueries} queries
 * @param {Ask} ask
 * @param {Set<string>} hidden tables; foreign keys to them are not shown
 * @returns {Promise<Map<string, TableDescription>>} by id; without tables whose columns exceed the limit
 */
async function describeTables(tables, queries, ask, hidden) {
  /** @type {Map<string, TableDescription>} */
  const described = new Map(tables.map(({ id, name, kind, estimate }) => [String(id), tableOf(name, kind, estimate)]));
  if (described.size === 0) return described;
  const ids = [...described.keys()].map((id) => `'${id}'`).join(', ');
  const columns = await ask(queries.columns(ids));
  for (const row of columns) {
    described.get(String(row.id))?.columns.push({
      name: row.name,
      type: row.type,
      nullable: isTrue(row.nullable),
      ...(isTrue(row.primary_key) && { primaryKey: true }),
    });
  }
  if (columns.length > MAX_DETAILS) {
    // At the row limit, the last table may be incomplete, and later ones are missing.
    described.delete(String(columns.at(-1).id));
    for (const [id, { columns: listed }] of described) if (listed.length === 0) described.delete(id);
  }
  for (const row of await ask(queries.keys(ids))) {
    if (hidden.has(row.target)) continue;
    described.get(String(row.id))?.foreignKeys.push({
      column: row.name,
      references: `${row.target}.${row.target_column ?? ''}`.replace(/\.$/, ''),
    });
  }
  return described;
}

/**
 * Estimates row counts in SQLite by the largest rowid, which is fast. Tables without a rowid get no estimate.
 * @param {Iterable<TableDescription>} tables
 * @param {Ask} ask
 */
async function estimateRows(tables, ask) {
  for (const table of tables) {
    if (table.kind === 'view') continue;
    const quoted = `"${table.name.replaceAll('"', '""')}"`;
    const [row] = await ask(`SELECT coalesce(max(rowid), 0) AS estimate FROM ${quoted}`).catch(() => []);
    if (row) table.rows = Number(row.estimate);
  }
}

/**
 * @param {string} name
 * @param {'table' | 'view'} kind
 * @param {number | null} estimate
 * @returns {TableDescription}
 */
function tableOf(name, kind, estimate) {
  return { name, kind, ...(typeof estimate === 'number' && { rows: estimate }), columns: [], foreignKeys: [] };
}

/** @param {unknown} value a boolean of any database */
function isTrue(value) {
  return value === true || value === 1;
}

/** @param {Ask} ask */
async function probe(ask) {
  for (const [dialect, sql, answer] of PROBES) {
    const rows = await ask(sql).catch(() => []);
    if (answer.test(rows[0]?.version ?? '')) return dialect;
  }
  return 'sqlite';
}
