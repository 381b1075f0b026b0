import { SqlRules } from './rules.js';

/**
 * @typedef {import('./adapter.js').SqlAdapter} SqlAdapter
 * @typedef {import('./transaction.js').SqlTransaction} SqlTransaction
 * @typedef {import('../../index.js').TableDescription} TableDescription
 * @typedef {<T>(work: (transaction: SqlTransaction) => Promise<T>, rules: SqlRules, signal?: AbortSignal) => Promise<T>} InTransaction
 */

/** A model reads this: more tables than this are named and not described. */
const MOST_TABLES = 100;
/** What is read of the catalogue at most. */
const MOST_COLUMNS = 100_000;
const MOST_BYTES = 32 << 20;

/** How each database tells about itself: one row per table, column, key column. */
const QUERIES = {
  sqlite: {
    tables: `SELECT s.name, s.type AS kind, NULL AS estimate FROM sqlite_schema s
      WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY s.name`,
    columns: `SELECT s.name AS "table", c.name, c.type, c."notnull" = 0 AND c.pk = 0 AS nullable, c.pk > 0 AS primary_key
      FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type IN ('table', 'view') ORDER BY s.name, c.cid`,
    keys: `SELECT s.name AS "table", k."from" AS name, k."table" AS target, k."to" AS target_column
      FROM sqlite_schema s, pragma_foreign_key_list(s.name) k WHERE s.type = 'table'`,
  },
  postgres: {
    tables: `SELECT CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END AS name,
        CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' ELSE 'table' END AS kind,
        CASE WHEN c.relkind IN ('v', 'f') OR c.reltuples < 0 THEN NULL ELSE c.reltuples::int8 END AS estimate
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND n.nspname NOT LIKE 'pg~_toast%' ESCAPE '~' AND n.nspname NOT LIKE 'pg~_temp%' ESCAPE '~' ORDER BY 1`,
    columns: `SELECT CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END AS "table",
        a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
        EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)) AS primary_key
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg~_toast%' ESCAPE '~'
      ORDER BY 1, a.attnum`,
    keys: `SELECT CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END AS "table",
        a.attname AS name, f.relname AS target, b.attname AS target_column
      FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_class f ON f.oid = k.confrelid
      CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair (here, there)
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = pair.here
      JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = pair.there
      WHERE k.contype = 'f'`,
  },
  mysql: {
    tables: `SELECT table_name AS name, IF(table_type = 'VIEW', 'view', 'table') AS kind, table_rows AS estimate
      FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name`,
    columns: `SELECT table_name AS \`table\`, column_name AS name, column_type AS type, is_nullable = 'YES' AS nullable,
        column_key = 'PRI' AS primary_key
      FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position`,
    keys: `SELECT table_name AS \`table\`, column_name AS name, referenced_table_name AS target,
        referenced_column_name AS target_column
      FROM information_schema.key_column_usage
      WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL`,
  },
};

/** What tells which database a plain function talks to. */
const PROBES = /** @type {const} */ ([
  ['sqlite', 'SELECT sqlite_version() AS version', /./],
  ['postgres', 'SELECT version() AS version', /PostgreSQL/i],
  ['mysql', 'SELECT version() AS version', /./],
]);

/**
 * @param {SqlAdapter} adapter
 * @param {SqlRules} rules whose tables are shown
 * @param {InTransaction} inTransaction
 * @param {string | undefined} only
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<import('../../index.js').SchemaDescription>}
 */
export async function describeSchema(adapter, rules, inTransaction, only, signal) {
  const { statementTimeoutMs } = rules.options;
  const reading = new SqlRules({ readOnly: true, maxRows: MOST_COLUMNS, maxBytes: MOST_BYTES, statementTimeoutMs });
  /** @type {(sql: string) => Promise<any[]>} */
  const ask = (sql) =>
    inTransaction(async (transaction) => JSON.parse((await transaction.execute(sql)).rows ?? '[]'), reading, signal);
  const dialect = adapter.dialect === 'any' ? await probe(ask) : adapter.dialect;
  const queries = QUERIES[dialect];
  const wanted = (/** @type {string} */ name) => rules.allowsTable(name) && (only === undefined || name === only);
  const tables = (await ask(queries.tables)).filter(({ name }) => wanted(name));
  const described = new Map(
    tables.slice(0, MOST_TABLES).map(({ name, kind, estimate }) => [name, tableOf(name, kind, estimate)]),
  );
  for (const row of await ask(queries.columns)) {
    described.get(row.table)?.columns.push({
      name: row.name,
      type: row.type,
      nullable: isTrue(row.nullable),
      ...(isTrue(row.primary_key) && { primaryKey: true }),
    });
  }
  for (const row of await ask(queries.keys)) {
    const table = described.get(row.table);
    if (!table) continue;
    table.foreignKeys.push({
      column: row.name,
      references: `${row.target}.${row.target_column ?? ''}`.replace(/\.$/, ''),
    });
  }
  if (dialect === 'sqlite') await estimateRows(described.values(), ask);
  return {
    dialect,
    tables: [...described.values()],
    ...(tables.length > MOST_TABLES && { notShown: tables.slice(MOST_TABLES).map(({ name }) => name) }),
  };
}

/**
 * SQLite keeps no counts; the largest row number is found at once and is close. A table without row numbers has none.
 * @param {Iterable<TableDescription>} tables
 * @param {(sql: string) => Promise<any[]>} ask
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

/** @param {unknown} value a truth as each database spells it */
function isTrue(value) {
  return value === true || value === 1;
}

/** @param {(sql: string) => Promise<any[]>} ask */
async function probe(ask) {
  for (const [dialect, sql, answer] of PROBES) {
    const rows = await ask(sql).catch(() => []);
    if (answer.test(rows[0]?.version ?? '')) return dialect;
  }
  return 'sqlite';
}
