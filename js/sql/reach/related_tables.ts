/** Finds PostgreSQL tables that share rows with those of a statement through partitioning or inheritance. */

import type { AskCatalogue } from '../catalogue/catalogue.js';
import type { Relation } from '../catalogue/table_visibility.js';
import type { AskWithValues } from './called_functions.js';
import { Parameters } from './called_functions.js';
import { refused, shown } from './refusal.js';

/** Maximum number of related tables. */
const MAX_RELATED = 2_000;
/** Denied with a table: its parents and its children. */
const DIRECTIONS = [
  ['above', 'below'],
  ['below', 'above'],
] as const;
/** Maximum number of inheritance pairs for a schema description. */
const MAX_PAIRS = 50_000;

/**
 * The parents and children of the tables that a statement names. The table of a sequence or index is its parent.
 * @param names all names of the statement
 * @returns without the named ones
 */
export async function relatedTables(ask: AskWithValues, names: string[]): Promise<Relation[]> {
  if (names.length === 0) return [];
  const places = new Parameters();
  const parts = [...new Set(names.flatMap((name) => [name, ...name.split('.')]))];
  const CLASS = `'pg_catalog.pg_class'::pg_catalog.regclass`;
  const related = await ask<Relation>(
    `WITH RECURSIVE named (oid) AS (
        SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname::text IN (${places.add(parts)}) AND c.relkind IN ('r', 'p', 'f', 'S', 'i', 'I')
        AND (pg_catalog.pg_table_is_visible(c.oid) OR n.nspname::text IN (${places.add(parts)}))),
      above (oid) AS (
        (SELECT oid FROM named UNION SELECT d.refobjid FROM named JOIN pg_catalog.pg_depend d ON d.objid = named.oid
          AND d.classid = ${CLASS} AND d.refclassid = ${CLASS} AND d.deptype IN ('a', 'i')
          UNION SELECT x.indrelid FROM named JOIN pg_catalog.pg_index x ON x.indexrelid = named.oid)
        UNION SELECT i.inhparent FROM above a JOIN pg_catalog.pg_inherits i ON i.inhrelid = a.oid),
      below (oid) AS (
        SELECT oid FROM named UNION SELECT i.inhrelid FROM below b JOIN pg_catalog.pg_inherits i ON i.inhparent = b.oid)
      SELECT n.nspname::text AS schema, c.relname::text AS name FROM (SELECT oid FROM above UNION SELECT oid FROM below) f
      JOIN pg_catalog.pg_class c ON c.oid = f.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.oid NOT IN (SELECT oid FROM named) LIMIT ${MAX_RELATED}`,
    places.values,
  );
  if (related.length >= MAX_RELATED) {
    throw refused(
      `the tables of this statement have ${MAX_RELATED} partitions or more, too many to check`,
      'Name the partition in the statement.',
    );
  }
  return related;
}

/** The ids of the parents and children of some tables. */
export async function relatedIds(ask: AskCatalogue, ids: string[]): Promise<Set<string>> {
  const pairs = await ask<{ above: unknown; below: unknown }>(
    `SELECT inhrelid::int8 AS below, inhparent::int8 AS above FROM pg_inherits LIMIT ${MAX_PAIRS}`,
  );
  const found = new Set<string>();
  for (const [from, to] of DIRECTIONS) {
    const steps = new Map<string, string[]>();
    for (const pair of pairs) {
      const key = String(pair[from]);
      const targets = steps.get(key);
      if (targets) targets.push(String(pair[to]));
      else steps.set(key, [String(pair[to])]);
    }
    const open = [...ids];
    const seen = new Set(ids);
    while (open.length > 0) {
      for (const id of steps.get(open.pop() ?? '') ?? []) {
        if (!seen.has(id)) open.push(id);
        seen.add(id);
        found.add(id);
      }
    }
  }
  return found;
}

/** The error for a statement that reaches a restricted table through a related one. */
export function restrictedRelation({ name }: Relation) {
  return refused(
    `this statement reaches ${shown(name)}, which tools may not access, through a partition, inheritance, a sequence or an index`,
    'Remove it from the statement.',
  );
}
