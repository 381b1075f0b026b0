/** Finds user-defined functions that a statement calls, in the database's catalogue. */

import { settled } from './bounded_wait.js';

/**
 * @typedef {import('../boundary/crossing.js').Reach} Reach
 * @typedef {(sql: string, values: unknown[]) => Promise<any[]>} Ask
 */

/** Extensions of PostgreSQL whose functions neither write nor read tables. */
export const HARMLESS_EXTENSIONS = [
  'uuid-ossp',
  'pgcrypto',
  'citext',
  'pg_trgm',
  'unaccent',
  'hstore',
  'ltree',
  'vector',
  'postgis',
];

/**
 * The name of a user-defined function that a statement calls, if there is one.
 * @param {Ask} ask
 * @param {Reach} reach
 * @param {import('./adapter.js').SqlAdapter} adapter
 * @param {string[]} doubted
 * @returns {Promise<string | undefined>}
 */
export async function functionIn(ask, reach, { dialect }, doubted) {
  if (reach.calls.length === 0) return undefined;
  if (dialect === 'postgres') return postgresFunction(ask, reach, doubted);
  if (dialect === 'mysql') return mysqlFunction(ask, reach);
  // The catalogue of an unknown database cannot be queried. Standard functions are already excluded.
  return reach.calls[0];
}

/**
 * @param {Ask} ask
 * @param {Reach} reach
 * @param {string[]} doubted
 * @returns {Promise<string | undefined>}
 */
async function postgresFunction(ask, { calls, names }, doubted) {
  const places = new Parameters();
  const [found] = await ask(
    `SELECT p.proname::text AS name FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE p.proname::text IN (${places.add(calls)}) AND p.provolatile::text IN (${places.add(doubted)})
      AND n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND (pg_catalog.pg_function_is_visible(p.oid) OR n.nspname::text IN (${places.add(names)}))
      AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
        WHERE d.objid = p.oid AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e'
        AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
        AND e.extname::text IN (${places.add(HARMLESS_EXTENSIONS)})) LIMIT 1`,
    places.values,
  );
  return found?.name;
}

/**
 * MySQL does not enforce what a function declares, so every user-defined function counts. MariaDB packages also contain functions.
 * @param {Ask} ask
 * @param {Reach} reach
 * @returns {Promise<string | undefined>}
 */
async function mysqlFunction(ask, { calls, names }) {
  // A rollback does not restore a sequence.
  if (calls.includes('nextval')) return 'nextval';
  const places = new Parameters(() => '?');
  const parts = [...new Set(names.flatMap((name) => name.split('.')))];
  const [found] = await ask(
    `SELECT ROUTINE_NAME AS name FROM information_schema.ROUTINES WHERE
      ((ROUTINE_TYPE = 'FUNCTION' AND ROUTINE_NAME IN (${places.add(calls)}))
        OR (ROUTINE_TYPE LIKE 'PACKAGE%' AND ROUTINE_NAME IN (${places.add(parts)})))
      AND (ROUTINE_SCHEMA = DATABASE() OR ROUTINE_SCHEMA IN (${places.add(parts)})) LIMIT 1`,
    places.values,
  );
  if (found) return found.name;
  const loaded = new Parameters(() => '?');
  /** @type {any} */
  let library;
  // Not every user may read this table.
  await settled(async () => {
    [library] = await ask(`SELECT name FROM mysql.func WHERE name IN (${loaded.add(calls)}) LIMIT 1`, loaded.values);
  });
  return library?.name;
}

/** Collects the values of a statement and returns their placeholders. */
export class Parameters {
  /** @type {unknown[]} */
  values = [];
  #placeholder;

  /** @param {(number: number) => string} [placeholder] */
  constructor(placeholder = (number) => `$${number}`) {
    this.#placeholder = placeholder;
  }

  /** @param {unknown[]} values at least one */
  add(values) {
    return values.map((value) => this.#placeholder(this.values.push(value))).join(', ');
  }
}
