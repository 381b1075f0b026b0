/**
 * Catalogue queries per dialect: one row per table, column, key column. Texts are truncated in the database, because names and
 * types may be of any length. The id of a table is safe to interpolate into a statement.
 */

import type { KnownDialect } from '../dialects.js';

/** Maximum length of a name and of a type. Tables with longer names are omitted. */
const MAX_NAME = 256;
/** Maximum number of column rows and of key rows. */
export const MAX_DETAILS = 10_000;

export type SchemaQueries = {
  /** Selects `version` in this database, and the pattern of its answer; other databases fail or answer differently. */
  probe: { sql: string; answer: RegExp };
  /** Selects a {@link TableRow} for each of the first `limit` tables. */
  tables: (limit: number) => string;
  /** Selects a {@link ColumnRow} for each column of the tables with these ids; one row beyond the limit if there are more. */
  columns: (ids: string) => string;
  /** Selects a {@link KeyRow} for each column of a foreign key. */
  keys: (ids: string) => string;
  /** Selects the `estimate` of a table's rows, if `tables` has none. Gets the name in double quotes. */
  estimate?: (table: string) => string;
};

/** A table; `schema` and `own` are its qualified name, in PostgreSQL. */
export type TableRow = {
  id: string | number;
  name: string;
  kind: 'table' | 'view';
  estimate: number | null;
  schema?: unknown;
  own?: unknown;
};

/** A column; booleans are those of the database. */
export type ColumnRow = { id: string | number; name: string; type: string; nullable: unknown; primary_key: unknown };

/** A column of a foreign key. */
export type KeyRow = { id: string | number; name: string; target: string; target_column: string | null };

/** In the order in which databases of unknown dialect are probed. */
export const QUERIES: Readonly<Record<KnownDialect, SchemaQueries>> = {
  sqlite: {
    probe: { sql: 'SELECT sqlite_version() AS version', answer: /./ },
    tables: (limit) => `SELECT s.rowid AS id, s.name, s.type AS kind, NULL AS estimate FROM sqlite_schema s
      WHERE s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite~_%' ESCAPE '~' AND length(s.name) <= ${MAX_NAME}
      ORDER BY s.name LIMIT ${limit}`,
    columns: (
      ids,
    ) => `SELECT s.rowid AS id, substr(c.name, 1, ${MAX_NAME}) AS name, substr(c.type, 1, ${MAX_NAME}) AS type,
        c."notnull" = 0 AND c.pk = 0 AS nullable, c.pk > 0 AS primary_key
      FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.rowid IN (${ids})
      ORDER BY s.name, c.cid LIMIT ${MAX_DETAILS + 1}`,
    keys: (
      ids,
    ) => `SELECT s.rowid AS id, substr(k."from", 1, ${MAX_NAME}) AS name, substr(k."table", 1, ${MAX_NAME}) AS target,
        substr(k."to", 1, ${MAX_NAME}) AS target_column
      FROM sqlite_schema s, pragma_foreign_key_list(s.name) k WHERE s.type = 'table' AND s.rowid IN (${ids})
      LIMIT ${MAX_DETAILS}`,
    // The largest rowid, which is fast.
    estimate: (table) => `SELECT coalesce(max(rowid), 0) AS estimate FROM ${table}`,
  },
  postgres: {
    probe: { sql: 'SELECT version() AS version', answer: /PostgreSQL/i },
    tables: (limit) => `SELECT c.oid::int8 AS id, CASE WHEN n.nspname = 'public' THEN '' ELSE n.nspname || '.' END
          || CASE WHEN strpos(c.relname, '.') > 0 THEN quote_ident(c.relname) ELSE c.relname END AS name,
        n.nspname::text AS schema, c.relname::text AS own,
        CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' ELSE 'table' END AS kind,
        CASE WHEN c.relkind IN ('v', 'f') OR c.reltuples < 0 THEN NULL ELSE c.reltuples::int8 END AS estimate
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND n.nspname NOT LIKE 'pg~_toast%' ESCAPE '~' AND n.nspname NOT LIKE 'pg~_temp%' ESCAPE '~'
      ORDER BY 2 LIMIT ${limit}`,
    columns: (
      ids,
    ) => `SELECT c.oid::int8 AS id, a.attname AS name, left(format_type(a.atttypid, a.atttypmod), ${MAX_NAME}) AS type,
        NOT a.attnotnull AS nullable,
        EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)) AS primary_key
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE a.attnum > 0 AND NOT a.attisdropped AND c.oid IN (${ids})
      ORDER BY c.oid, a.attnum LIMIT ${MAX_DETAILS + 1}`,
    keys: (ids) => `SELECT k.conrelid::int8 AS id, a.attname AS name, f.relname AS target, b.attname AS target_column
      FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
      CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS pair (here, there)
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = pair.here
      JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = pair.there
      WHERE k.contype = 'f' AND k.conrelid IN (${ids}) LIMIT ${MAX_DETAILS}`,
  },
  mysql: {
    probe: { sql: 'SELECT version() AS version', answer: /./ },
    tables: (
      limit,
    ) => `SELECT HEX(table_name) AS id, table_name AS name, IF(table_type = 'VIEW', 'view', 'table') AS kind, table_rows AS estimate
      FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name LIMIT ${limit}`,
    columns: (ids) => `SELECT HEX(table_name) AS id, column_name AS name, LEFT(column_type, ${MAX_NAME}) AS type,
        is_nullable = 'YES' AS nullable, column_key = 'PRI' AS primary_key
      FROM information_schema.columns WHERE table_schema = DATABASE() AND HEX(table_name) IN (${ids})
      ORDER BY table_name, ordinal_position LIMIT ${MAX_DETAILS + 1}`,
    keys: (ids) => `SELECT HEX(table_name) AS id, column_name AS name, referenced_table_name AS target,
        referenced_column_name AS target_column
      FROM information_schema.key_column_usage
      WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL AND HEX(table_name) IN (${ids})
      LIMIT ${MAX_DETAILS}`,
  },
};
