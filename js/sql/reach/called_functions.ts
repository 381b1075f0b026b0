/** Finds user-defined functions that a statement calls, in the database's catalogue. */

import type { Reach } from '../../boundary/crossing.js';
import type { SqlDialect } from '../../types/sql.js';
import type { DatabaseAdapter } from '../adapter.js';
import { settled } from '../waiting/bounded_wait.js';

/** Executes a catalogue query, which returns rows of the type `Row`. */
export type AskWithValues = <Row>(sql: string, values: unknown[]) => Promise<Row[]>;

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

/** Finds a user-defined function among those that a statement calls; `doubted` are volatilities of PostgreSQL. */
type Lookup = (ask: AskWithValues, reach: Reach, doubted: string[]) => Promise<string | undefined>;

/** Without a catalogue of functions, each call counts; the parser has already excluded standard functions. */
const firstCall: Lookup = async (_ask, { calls }) => calls[0];

const LOOKUPS: Readonly<Record<SqlDialect, Lookup>> = {
  sqlite: firstCall,
  postgres: postgresFunction,
  mysql: mysqlFunction,
  any: firstCall,
};

/** The name of a user-defined function that a statement calls, if there is one. */
export async function functionIn(
  ask: AskWithValues,
  reach: Reach,
  { dialect }: DatabaseAdapter,
  doubted: string[],
): Promise<string | undefined> {
  return reach.calls.length === 0 ? undefined : LOOKUPS[dialect](ask, reach, doubted);
}

async function postgresFunction(
  ask: AskWithValues,
  { calls, names }: Reach,
  doubted: string[],
): Promise<string | undefined> {
  const places = new Parameters();
  const [found] = await ask<{ name: string }>(
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
 */
async function mysqlFunction(ask: AskWithValues, { calls, names }: Reach): Promise<string | undefined> {
  // A rollback does not restore a sequence.
  if (calls.includes('nextval')) return 'nextval';
  const places = new Parameters(() => '?');
  const parts = [...new Set(names.flatMap((name) => name.split('.')))];
  const [found] = await ask<{ name: string }>(
    `SELECT ROUTINE_NAME AS name FROM information_schema.ROUTINES WHERE
      ((ROUTINE_TYPE = 'FUNCTION' AND ROUTINE_NAME IN (${places.add(calls)}))
        OR (ROUTINE_TYPE LIKE 'PACKAGE%' AND ROUTINE_NAME IN (${places.add(parts)})))
      AND (ROUTINE_SCHEMA = DATABASE() OR ROUTINE_SCHEMA IN (${places.add(parts)})) LIMIT 1`,
    places.values,
  );
  if (found) return found.name;
  const loaded = new Parameters(() => '?');
  let library: { name: string } | undefined;
  // Not every user may read this table.
  await settled(async () => {
    [library] = await ask(`SELECT name FROM mysql.func WHERE name IN (${loaded.add(calls)}) LIMIT 1`, loaded.values);
  });
  return library?.name;
}

/** Collects the values of a statement and returns their placeholders. */
export class Parameters {
  values: unknown[] = [];
  #placeholder;

  constructor(placeholder: (number: number) => string = (number) => `$${number}`) {
    this.#placeholder = placeholder;
  }

  /** @param values at least one */
  add(values: unknown[]) {
    return values.map((value) => this.#placeholder(this.values.push(value))).join(', ');
  }
}
