/** Describes the tables of a database for a model (`describe_schema`). */

import { nearest } from '../../boundary/spelling.js';
import type { SchemaDescription, TableDescription } from '../../types/sql.js';
import type { DatabaseAdapter } from '../adapter.js';
import type { KnownDialect } from '../dialects.js';
import { DIALECTS, knownDialect } from '../dialects.js';
import { relatedIds } from '../reach/related_tables.js';
import { SqlRules } from '../rules.js';
import type { SqlRun } from '../run/dry_sql.js';
import type { AskCatalogue } from './catalogue.js';
import { isTable } from './catalogue.js';
import type { ColumnRow, KeyRow, SchemaQueries, TableRow } from './schema_queries.js';
import { MAX_DETAILS, QUERIES } from './schema_queries.js';
import type { OpenTables } from './table_visibility.js';
import { relationOf, TableVisibility } from './table_visibility.js';

type InRun = <T>(work: (run: SqlRun) => Promise<T>, rules: SqlRules, signal?: AbortSignal) => Promise<T>;

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

/** @param rules decide which tables are shown */
export async function describeSchema(
  adapter: DatabaseAdapter,
  rules: SqlRules,
  inRun: InRun,
  only: string | undefined,
  signal: AbortSignal | undefined,
  openTables?: OpenTables,
): Promise<SchemaDescription> {
  const { statementTimeoutMs } = rules.options;
  const limits = { readOnly: true, maxRows: MAX_ROWS, maxBytes: MAX_BYTES, statementTimeoutMs };
  const reading = new SqlRules(limits, { isOwn: true });
  const ask: AskCatalogue = (sql) =>
    inRun(async (run) => JSON.parse((await run.execute(sql)).rows ?? '[]'), reading, signal);
  const dialect = knownDialect(adapter.dialect) ?? (await probe(ask));
  const queries = QUERIES[dialect];
  const tables = (await ask<TableRow>(queries.tables(MAX_TABLES))).filter(isTable);
  const shown = await shownOf(tables, new TableVisibility(rules, dialect, openTables), dialect, ask);
  const found = only === undefined ? shown : shown.filter(({ name }) => name === only);
  const described = await describeTables(found.slice(0, MAX_DESCRIBED), queries, ask, hiddenNames(tables, shown));
  if (queries.estimate) await estimateRows(described.values(), queries.estimate, ask);
  const others = found.filter(({ id }) => !described.has(String(id))).map(({ name }) => name);
  return {
    dialect,
    tables: [...described.values()],
    ...(others.length > 0 && { notShown: others.slice(0, MAX_NAMED) }),
    ...(others.length > MAX_NAMED && { notNamed: others.length - MAX_NAMED }),
    ...(only !== undefined && found.length === 0 && { notice: notThere(only, shown) }),
  };
}

/** The tables that the caller may read. */
async function shownOf(
  tables: TableRow[],
  visibility: TableVisibility,
  dialect: KnownDialect,
  ask: AskCatalogue,
): Promise<TableRow[]> {
  const shown = await visibility.shown(tables);
  if (!DIALECTS[dialect].inheritsTables || shown.length === tables.length) return shown;
  const rest = tables.map((table) => ({ id: String(table.id), ...relationOf(table) }));
  const restricted = await visibility.restricted(rest, ['select']);
  if (restricted.length === 0) return shown;
  const ids = await relatedIds(
    ask,
    restricted.map(({ id }) => id),
  );
  return shown.filter(({ id }) => !ids.has(String(id)));
}

/** @param tables the existing ones */
function notThere(name: string, tables: { name: string }[]) {
  const near = nearest(
    name,
    tables.map((table) => table.name),
  );
  const next = near === undefined ? 'Call describe_schema without a table to see all.' : `Did you mean '${near}'?`;
  return `There is no table '${name.slice(0, MAX_NAME_CHARS)}'. ${next}`;
}

/** Unqualified names that only hidden tables have. */
function hiddenNames(tables: TableRow[], shown: TableRow[]) {
  const names = new Set(tables.length === shown.length ? [] : tables.map((table) => relationOf(table).name));
  for (const table of shown) names.delete(relationOf(table).name);
  return names;
}

/**
 * @param hidden tables; foreign keys to them are not shown
 * @returns by id; without tables whose columns exceed the limit
 */
async function describeTables(
  tables: TableRow[],
  queries: SchemaQueries,
  ask: AskCatalogue,
  hidden: Set<string>,
): Promise<Map<string, TableDescription>> {
  const described = new Map(tables.map((table) => [String(table.id), tableOf(table)] as const));
  if (described.size === 0) return described;
  const ids = [...described.keys()].map((id) => `'${id}'`).join(', ');
  const columns = await ask<ColumnRow>(queries.columns(ids));
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
    described.delete(String(columns.at(-1)?.id));
    for (const [id, { columns: listed }] of described) if (listed.length === 0) described.delete(id);
  }
  for (const row of await ask<KeyRow>(queries.keys(ids))) {
    if (hidden.has(row.target)) continue;
    described.get(String(row.id))?.foreignKeys.push({
      column: row.name,
      references: `${row.target}.${row.target_column ?? ''}`.replace(/\.$/, ''),
    });
  }
  return described;
}

/** Sets estimates of row counts. Tables whose query fails get none, in SQLite those without a rowid. */
async function estimateRows(
  tables: Iterable<TableDescription>,
  estimate: (table: string) => string,
  ask: AskCatalogue,
) {
  for (const table of tables) {
    if (table.kind === 'view') continue;
    const quoted = `"${table.name.replaceAll('"', '""')}"`;
    const [row] = await ask<{ estimate: unknown }>(estimate(quoted)).catch(() => []);
    if (row) table.rows = Number(row.estimate);
  }
}

function tableOf({ name, kind, estimate }: TableRow): TableDescription {
  return { name, kind, ...(typeof estimate === 'number' && { rows: estimate }), columns: [], foreignKeys: [] };
}

/** @param value a boolean of any database */
function isTrue(value: unknown) {
  return value === true || value === 1;
}

async function probe(ask: AskCatalogue): Promise<KnownDialect> {
  for (const [dialect, { probe: question }] of Object.entries(QUERIES)) {
    const rows = await ask<{ version?: string }>(question.sql).catch(() => []);
    if (question.answer.test(rows[0]?.version ?? '')) return dialect as KnownDialect;
  }
  return 'sqlite';
}
