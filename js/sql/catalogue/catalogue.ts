/** Lists tables and columns of a database, for advice on unknown names. */

import type { KnownDialect } from '../dialects.js';
import { SqlRules } from '../rules.js';
import type { ColumnRow, TableRow } from './schema_queries.js';
import { QUERIES } from './schema_queries.js';
import type { TableVisibility } from './table_visibility.js';

type CatalogueTable = { id: string; name: string };

/** Executes a catalogue query, which returns rows of the type `Row`. */
export type AskCatalogue = <Row>(sql: string) => Promise<Row[]>;

/** Limits of catalogue queries. */
const MAX_TABLES = 2_000;
const MAX_ROWS = 20_000;
const MAX_BYTES = 1 << 20;
const STATEMENT_TIMEOUT_MS = 2_000;
/** Longer names are not compared. */
const MAX_NAME_CHARS = 256;

let reading: SqlRules | undefined;

/** The SQL rules for catalogue queries. */
export function catalogueRules() {
  reading ??= new SqlRules(
    { readOnly: true, maxRows: MAX_ROWS, maxBytes: MAX_BYTES, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    { isOwn: true },
  );
  return reading;
}

/** The tables that the caller may see. */
export async function tablesOf(
  dialect: KnownDialect,
  ask: AskCatalogue,
  visibility: TableVisibility,
): Promise<CatalogueTable[]> {
  const rows = (await ask<TableRow>(QUERIES[dialect].tables(MAX_TABLES))).filter(isTable);
  const named = rows.filter(({ name }) => isShort(name));
  return (await visibility.shown(named)).map(({ id, name }) => ({ id: String(id), name }));
}

/** The names of a table's columns. */
export async function columnsOf(dialect: KnownDialect, ask: AskCatalogue, { id }: CatalogueTable): Promise<string[]> {
  const rows = await ask<ColumnRow>(QUERIES[dialect].columns(`'${id}'`));
  return rows.map(({ name }) => name).filter((name) => typeof name === 'string' && isShort(name));
}

function isShort(name: string) {
  return name.length <= MAX_NAME_CHARS;
}

/**
 * Whether a row describes a table with an id that is safe in a statement: an application function may return anything.
 */
export function isTable({ id, name }: { id: unknown; name: unknown }) {
  return (
    typeof name === 'string' && (typeof id === 'number' || typeof id === 'string') && /^[0-9A-F]+$/.test(String(id))
  );
}
