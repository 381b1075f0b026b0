/** Finds user-defined PostgreSQL functions that statements call implicitly: through operators, aggregates, casts and types. */

import type { AskWithValues } from './called_functions.js';
import { HARMLESS_EXTENSIONS, Parameters } from './called_functions.js';
import type { Reaching } from './checked_reach.js';

/** `order`: of an operator class, used by any sorting or comparison; `view`: called by a view */
type Kind = 'aggregate' | 'operator' | 'cast' | 'type' | 'order' | 'view';
/** `by` calls the function; `context` is when a cast applies: `e`xplicitly, in an `a`ssignment, or `i`mplicitly */
export type Hidden = { kind: Kind; by: string; name: string; context: string };

/** Operators that PostgreSQL uses for `IN`, `BETWEEN`, `LIKE`, `CASE`, `ORDER BY` and the like. */
const IMPLIED = new Set(['=', '<>', '<', '<=', '>', '>=', '~', '~~', '!~~', '~~*', '!~~*']);

/**
 * All implicitly called user-defined functions of a database.
 * @param doubted volatilities
 */
export async function hiddenFunctions(ask: AskWithValues, doubted: string[]): Promise<Hidden[]> {
  const places = new Parameters();
  const catalogue = (name: string) => `'pg_catalog.${name}'::pg_catalog.regclass`;
  // Extensions are trusted when they declare that a function does not write.
  return ask(
    `WITH RECURSIVE own (oid, name) AS (
        SELECT p.oid, p.proname::text FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE p.provolatile::text IN (${places.add(doubted)}) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
          WHERE d.objid = p.oid AND d.classid = ${catalogue('pg_proc')} AND d.deptype = 'e'
          AND d.refclassid = ${catalogue('pg_extension')}
          AND (p.provolatile <> 'v' OR e.extname::text IN (${places.add(HARMLESS_EXTENSIONS)})))),
      callers (class, oid, kind, caller, name) AS (
        SELECT ${catalogue('pg_proc')}::oid, oid, 'function', name, name FROM own
        UNION ALL SELECT ${catalogue('pg_proc')}::oid, p.oid, 'aggregate', p.proname::text, own.name
          FROM own JOIN pg_catalog.pg_aggregate a ON own.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn,
            a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)
          JOIN pg_catalog.pg_proc p ON p.oid = a.aggfnoid
        UNION ALL SELECT ${catalogue('pg_operator')}::oid, o.oid, 'operator', o.oprname::text, own.name
          FROM own JOIN pg_catalog.pg_operator o ON o.oprcode = own.oid),
      uses (class, oid, name) AS (
        SELECT d.classid, d.objid, c.name FROM callers c JOIN pg_catalog.pg_depend d ON d.refclassid = c.class AND d.refobjid = c.oid),
      types (oid, name) AS (
        SELECT c.contypid, u.name FROM uses u JOIN pg_catalog.pg_constraint c
          ON u.class = ${catalogue('pg_constraint')} AND c.oid = u.oid WHERE c.contypid <> 0
        UNION SELECT t.oid, y.name FROM types y
          JOIN pg_catalog.pg_depend d ON d.refclassid = ${catalogue('pg_type')} AND d.refobjid = y.oid
          JOIN pg_catalog.pg_type t ON (d.classid = ${catalogue('pg_type')} AND t.oid = d.objid)
            OR (d.classid = ${catalogue('pg_class')} AND t.typrelid = d.objid)),
      views (oid, name) AS (
        SELECT r.ev_class, u.name FROM uses u JOIN pg_catalog.pg_rewrite r
          ON u.class = ${catalogue('pg_rewrite')} AND r.oid = u.oid WHERE r.ev_type = '1'
        UNION SELECT r.ev_class, v.name FROM views v
          JOIN pg_catalog.pg_depend d ON d.refclassid = ${catalogue('pg_class')} AND d.refobjid = v.oid
          JOIN pg_catalog.pg_rewrite r ON d.classid = ${catalogue('pg_rewrite')} AND r.oid = d.objid AND r.ev_type = '1')
      SELECT kind, caller AS by, name, '' AS context FROM callers WHERE kind <> 'function'
      UNION SELECT 'cast', pg_catalog.format_type(c.casttarget, NULL), own.name, c.castcontext::text
        FROM own JOIN pg_catalog.pg_cast c ON c.castfunc = own.oid
      UNION SELECT 'order', '', own.name, '' FROM own JOIN pg_catalog.pg_amproc a ON a.amproc = own.oid
      UNION SELECT 'type', t.typname::text, y.name, '' FROM types y JOIN pg_catalog.pg_type t ON t.oid = y.oid
      UNION SELECT 'view', c.relname::text, v.name, '' FROM views v JOIN pg_catalog.pg_class c ON c.oid = v.oid`,
    places.values,
  );
}

/** The first one that a statement may call. */
export function hiddenIn(hidden: Hidden[], { sql, reach, access }: Reaching) {
  const names = new Set(reach.names.flatMap((name) => [name, name.split('.').at(-1)]));
  const casts = /::|\bcast\b/i.test(sql);
  const isCalled: Record<Kind, (found: Hidden) => boolean> = {
    aggregate: ({ by }) => reach.calls.includes(by),
    operator: ({ by }) => IMPLIED.has(by) || sql.includes(by),
    cast: ({ by, context }) => context === 'i' || casts || names.has(by) || (context === 'a' && access !== 'read'),
    type: ({ by }) => names.has(by),
    order: () => true,
    view: ({ by }) => names.has(by),
  };
  return hidden.find((found) => isCalled[found.kind](found));
}
