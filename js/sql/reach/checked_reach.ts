/** Verifies in the database's catalogue, within the transaction, that a statement accesses only what the parser found in it. */

import type { Reach } from '../../boundary/crossing.js';
import { dropOldest } from '../../boundary/drop_oldest.js';
import { parseForeignJson } from '../../boundary/foreign_json.js';
import type { DatabaseAdapter, SqlConnection, SqlDetail, SqlLimits, SqlStatement } from '../adapter.js';
import type { TableVisibility } from '../catalogue/table_visibility.js';
import { DIALECTS, knownDialect } from '../dialects.js';
import type { AskWithValues } from './called_functions.js';
import { functionIn, Parameters } from './called_functions.js';
import { checkEngines } from './checked_engines.js';
import type { Hidden } from './hidden_functions.js';
import { hiddenFunctions, hiddenIn } from './hidden_functions.js';
import { refused, shown } from './refusal.js';
import { relatedTables, restrictedRelation } from './related_tables.js';

/** A statement whose reach must be verified. */
export type Reaching = SqlStatement & { reach: Reach };

/** Limits of catalogue answers. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 2 << 20;
/** Cache of checked statements: lifetime, number of entries, maximum statement length. */
const CHECKED_MS = 60_000;
const MAX_CHECKED = 500;
const MAX_CHECKED_CHARS = 2_000;
/** Times of the last checks without findings, by adapter and statement. */
const checked = new WeakMap<object, Map<string, number>>();
/** Implicitly called functions of a database, by volatility. */
const hidden = new WeakMap<object, Map<string, { at: number; found: Hidden[] }>>();

/** Clears the cache of a database before a schema change. */
export function forgetChecked(adapter: DatabaseAdapter) {
  checked.delete(adapter);
  hidden.delete(adapter);
}

/**
 * Refuses a statement that may do more than the parser found in it.
 * @param isReadOnly whether the database prevents the statement from writing
 * @param visibility which tables the caller may access
 */
export async function checkReach(
  connection: Pick<SqlConnection, 'query'>,
  statement: SqlStatement,
  limits: SqlLimits,
  adapter: DatabaseAdapter,
  isReadOnly: boolean,
  visibility?: TableVisibility,
) {
  const { reach, detail = 'nothing', sql } = statement;
  if (!reach) return;
  const reaching = { ...statement, reach };
  const doubted = volatilities(detail, isReadOnly);
  const { hasSearchPath, inheritsTables, showsPasswords } = DIALECTS[adapter.dialect];
  const isCompared = hasSearchPath && reach.tables !== null;
  const isShown = showsPasswords && reach.names.some((name) => name.toUpperCase() === 'SHOW');
  if (doubted.length === 0 && !isCompared && !isShown && reach.written.length === 0) return;
  const ask = asking(connection, limits);
  if (inheritsTables && detail === 'tables' && visibility) await checkRelated(ask, adapter, reaching, visibility);
  await once(adapter, `${doubted.join('')} ${isCompared} ${sql}`, async () => {
    if (doubted.length > 0) {
      const name = await functionIn(ask, reach, adapter, doubted);
      if (name) throw unreadFunction(name, adapter);
      // Functions that a view calls are its owner's responsibility.
      const own = (await hiddenOf(ask, adapter, doubted)).filter(({ kind }) => kind !== 'view');
      const found = hiddenIn(own, reaching);
      if (found) throw hiddenFunction(found);
    }
    if (isCompared) await checkSchemas(ask, adapter, reaching);
    if (isCompared && reach.planned) await checkPlan(ask, reaching);
    if (isShown) await checkShown(ask, reach.names);
    if (reach.written.length > 0) await checkEngines(ask, reach.written);
    return undefined;
  });
}

/** Whether a statement that only reads by its text may write through a user-defined function. */
export async function mayWrite(
  connection: Pick<SqlConnection, 'query'>,
  statement: SqlStatement,
  limits: SqlLimits,
  adapter: DatabaseAdapter,
) {
  const { reach, sql } = statement;
  if (DIALECTS[adapter.dialect].userFunctions === 'none') return false;
  if (!reach) return true;
  const ask = asking(connection, limits);
  const found = await once(
    adapter,
    `writes ${sql}`,
    async () =>
      (await functionIn(ask, reach, adapter, ['v'])) ??
      hiddenIn(await hiddenOf(ask, adapter, ['v']), { ...statement, reach }),
  );
  return found !== undefined;
}

/** The user-defined functions that statements may call implicitly. */
async function hiddenOf(ask: AskWithValues, adapter: DatabaseAdapter, doubted: string[]): Promise<Hidden[]> {
  if (DIALECTS[adapter.dialect].userFunctions !== 'implicit') return [];
  const cached = hidden.get(adapter) ?? new Map<string, { at: number; found: Hidden[] }>();
  hidden.set(adapter, cached);
  const key = doubted.join('');
  const last = cached.get(key);
  if (last && Date.now() - last.at < CHECKED_MS) return last.found;
  const answer = await hiddenFunctions(ask, doubted);
  cached.set(key, { at: Date.now(), found: answer });
  return answer;
}

/** PostgreSQL volatilities of functions that the rules cannot see through. */
function volatilities(detail: SqlDetail, isReadOnly: boolean) {
  if (detail === 'tables') return ['v', 's'];
  return detail === 'verbs' && !isReadOnly ? ['v'] : [];
}

/** Runs a check, unless the same check found nothing recently. */
async function once<Answer>(
  adapter: DatabaseAdapter,
  key: string,
  question: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const times = checked.get(adapter) ?? new Map<string, number>();
  checked.set(adapter, times);
  const now = Date.now();
  if (now - (times.get(key) ?? 0) < CHECKED_MS) return undefined;
  const answer = await question();
  if (answer === undefined && key.length <= MAX_CHECKED_CHARS) {
    times.delete(key);
    dropOldest(times, MAX_CHECKED);
    times.set(key, now);
  }
  return answer;
}

function asking(connection: Pick<SqlConnection, 'query'>, limits: SqlLimits): AskWithValues {
  const own = { ...limits, maxRows: MAX_ROWS, maxBytes: MAX_BYTES };
  return async <Row>(sql: string, values: unknown[]) => {
    const { rows } = await connection.query({ sql, values, access: 'read', returns: 'rows' }, own);
    return parseForeignJson(rows ?? '[]') as Row[];
  };
}

/** Refuses a table that shares rows with one the caller may not access. */
async function checkRelated(
  ask: AskWithValues,
  adapter: DatabaseAdapter,
  { reach, verbs }: Reaching,
  visibility: TableVisibility,
) {
  // The rules depend on the caller, so they are evaluated every time.
  const related = await once(adapter, `related ${JSON.stringify(reach.names)}`, async () => {
    const found = await relatedTables(ask, reach.names);
    return found.length > 0 ? found : undefined;
  });
  const [restricted] = related ? await visibility.restricted(related, verbs) : [];
  if (restricted) throw restrictedRelation(restricted);
}

/**
 * Refuses an unqualified table that this connection resolves to, or would create in, another schema than the rules assume.
 */
async function checkSchemas(ask: AskWithValues, adapter: DatabaseAdapter, { reach, access }: Reaching) {
  const bare = (reach.tables ?? []).filter((name) => !name.includes('.'));
  if (bare.length === 0) return;
  await once(adapter, `schemas ${access === 'schema'} ${JSON.stringify(bare)}`, async () => {
    if (access === 'schema') await checkCreated(ask, bare);
    const places = new Parameters();
    const [found] = await ask<{ schema: string; name: string }>(
      `SELECT n.nspname::text AS schema, c.relname::text AS name FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname::text IN (${places.add(bare)}) AND n.nspname NOT IN ('public', 'pg_catalog')
        AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND pg_catalog.pg_table_is_visible(c.oid) LIMIT 1`,
      places.values,
    );
    if (found) throw elsewhere(found);
    return undefined;
  });
}

/** Refuses new names that would be created in another schema than `public`. */
async function checkCreated(ask: AskWithValues, bare: string[]) {
  const places = new Parameters();
  const [found] = await ask<{ schema: string; name: string }>(
    `SELECT pg_catalog.current_schema()::text AS schema, w.name FROM (VALUES ${bare.map((name) => `(${places.add([name])}::text)`).join(', ')}) w (name)
      WHERE pg_catalog.current_schema() IS DISTINCT FROM 'public' AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class c
        WHERE c.relname::text = w.name AND pg_catalog.pg_table_is_visible(c.oid)) LIMIT 1`,
    places.values,
  );
  if (found) throw elsewhere(found);
}

/** Compares the tables that the parser found with those of the query plan. */
async function checkPlan(ask: AskWithValues, { sql, values, reach }: Reaching) {
  const [plan] = await ask<object>(`EXPLAIN (VERBOSE, FORMAT JSON) ${sql}`, values);
  const [tables, names] = [new Set(reach.tables), new Set(reach.names)];
  for (const { schema, name } of relationsOf(plan)) {
    // Tables accessed indirectly, below a view or in a partition, are the owner's responsibility.
    const written = [`${schema}.${name}`, name].find((each) => names.has(each));
    if (written === undefined || tables.has(written)) continue;
    // An alias or common table expression may have the same name as a table below a view.
    if (!(await isBelowView(ask, name, [...tables]))) throw unreadTable(name);
  }
}

/**
 * Whether a table is part of the definition of a view, or of a view below that.
 * @param views names that may be those of views
 */
async function isBelowView(ask: AskWithValues, table: string, views: string[]) {
  if (views.length === 0) return false;
  const places = new Parameters();
  const lasts = views.map((name) => name.split('.').at(-1));
  const [found] = await ask(
    `WITH RECURSIVE below (oid) AS (
        SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relkind IN ('v', 'm') AND c.relname::text IN (${places.add(lasts)})
        UNION SELECT d.refobjid FROM below b JOIN pg_catalog.pg_rewrite r ON r.ev_class = b.oid
          JOIN pg_catalog.pg_depend d ON d.objid = r.oid AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
          AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass)
      SELECT 1 AS found FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.oid
      WHERE c.relkind NOT IN ('v', 'm') AND c.relname::text IN (${places.add([table])}) LIMIT 1`,
    places.values,
  );
  return found !== undefined;
}

type PlanNode = { 'Relation Name'?: unknown; Schema?: unknown };

/** @param row of EXPLAIN */
function relationsOf(row: object | undefined): { schema: unknown; name: string }[] {
  const [answer] = Object.values(row ?? {});
  const open: unknown[] = [typeof answer === 'string' ? parseForeignJson(answer) : answer];
  const found: { schema: unknown; name: string }[] = [];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    const { 'Relation Name': name, Schema: schema } = node as PlanNode;
    if (typeof name === 'string') found.push({ schema, name });
    for (const member of Object.values(node)) open.push(member);
  }
  return found;
}

/** Refuses SHOW for a table on another server: its definition may contain a password. */
async function checkShown(ask: AskWithValues, names: string[]) {
  const places = new Parameters(() => '?');
  const parts = [...new Set(names.flatMap((name) => [name, ...name.split('.')]))];
  const [found] = await ask<{ name: string }>(
    `SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE ENGINE IN ('FEDERATED', 'CONNECT', 'SPIDER', 'S3')
      AND TABLE_NAME IN (${places.add(parts)}) LIMIT 1`,
    places.values,
  );
  if (found) throw refused(`the table ${shown(found.name)} is on another server`, 'Use DESCRIBE to see its columns.');
}

function unreadFunction(name: unknown, { dialect }: DatabaseAdapter) {
  if (!knownDialect(dialect)) {
    return refused(
      `the function ${shown(name)} cannot be read in a database of unknown dialect, and the rules restrict access`,
      'Remove the call, or name the dialect of the database in the application.',
    );
  }
  return refused(
    `the function ${shown(name)} cannot be read, and the rules restrict access`,
    'Write its statements directly, or use a function of the application.',
  );
}

function hiddenFunction({ kind, by, name }: Hidden) {
  const caller = kind === 'order' ? 'an operator class' : `the ${kind}${kind === 'cast' ? ' to' : ''} ${shown(by)}`;
  return refused(
    `the function ${shown(name)}, which ${caller} calls, cannot be read, and the rules restrict access`,
    'Do not use it. If the function reads no tables, the owner of the database can declare it IMMUTABLE.',
  );
}

function elsewhere({ schema, name }: { schema: string; name: string }) {
  return refused(
    `the table ${shown(name)} is ${shown(`${schema}.${name}`)} on this connection, but rules refer to the one in the schema public`,
    'Name it with its schema, in the statement and in the rules.',
  );
}

function unreadTable(name: unknown) {
  return refused(
    `the database reads the table ${shown(name)}, which the parser did not find in this statement`,
    'Write it in simpler SQL.',
  );
}
