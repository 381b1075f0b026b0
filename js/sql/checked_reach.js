/** Whether a statement is what it was read as: the database itself says so, in the transaction that the statement is part of. */

import { SecurityViolation } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';

/**
 * @typedef {import('./adapter.js').SqlConnection} SqlConnection
 * @typedef {import('./adapter.js').SqlStatement} SqlStatement
 * @typedef {import('./rules.js').SqlRules} SqlRules
 * @typedef {import('../boundary/crossing.js').Reach} Reach
 * @typedef {(sql: string, values: unknown[]) => Promise<any[]>} Ask
 * @typedef {SqlStatement & { reach: Reach }} Reaching
 */

/** What a plan or the catalogue may answer. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 2 << 20;
/** How long it is believed that a table has transactions. */
const BELIEVED_MS = 60_000;
const MAX_BELIEVED = 1_000;

/** When statements were last found to write to tables with transactions only. @type {WeakMap<object, Map<string, number>>} */
const believed = new WeakMap();

/**
 * Refuses a statement that may do more than it was read to do.
 * @param {Pick<SqlConnection, 'query'>} connection
 * @param {SqlStatement} statement
 * @param {SqlRules} rules
 * @param {import('./adapter.js').SqlAdapter} adapter
 * @param {boolean} isFenced whether the database lets the statement write nothing
 */
export async function checkReach(connection, statement, rules, adapter, isFenced) {
  const { reach } = statement;
  if (!reach) return;
  const limits = { ...rules.options, maxRows: MAX_ROWS, maxBytes: MAX_BYTES };
  /** @type {Ask} */
  const ask = async (sql, values) => {
    const { rows } = await connection.query({ sql, values, access: 'read', returns: 'rows' }, limits);
    return parseForeignJson(rows ?? '[]');
  };
  const reaching = { ...statement, reach };
  const doubted = [...(isFenced ? [] : ['v']), ...(rules.tellsTablesApart ? ['v', 's'] : [])];
  if (adapter.dialect === 'postgres') await checkPostgres(ask, reaching, doubted);
  if (adapter.dialect === 'mysql') {
    if (doubted.length > 0) await checkMysqlFunctions(ask, reach);
    await checkEngines(ask, reaching, adapter);
  }
}

/**
 * @param {Ask} ask
 * @param {Reaching} statement
 * @param {string[]} doubted volatilities of functions that may do what nobody can read
 */
async function checkPostgres(ask, { sql, values, access, reach }, doubted) {
  if (reach.calls.length > 0 && doubted.length > 0) {
    const places = new Parameters();
    const [found] = await ask(
      `SELECT p.proname::text AS name FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE p.proname::text IN (${places.add(reach.calls)}) AND p.provolatile::text IN (${places.add(doubted)})
        AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND (pg_catalog.pg_function_is_visible(p.oid) OR n.nspname::text IN (${places.add(reach.names)}))
        AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = p.oid
          AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e') LIMIT 1`,
      places.values,
    );
    if (found) throw unreadFunction(found.name);
  }
  if (reach.tables === null || access === 'schema') return;
  const [plan] = await ask(`EXPLAIN (VERBOSE, FORMAT JSON) ${sql}`, values);
  const [tables, names] = [new Set(reach.tables), new Set(reach.names)];
  for (const { schema, name } of relationsOf(plan)) {
    // What is reached without being named, below a view or in a partition, is the owner's.
    const written = [`${schema}.${name}`, name].find((known) => names.has(known));
    if (written !== undefined && !tables.has(written)) throw unreadTable(name);
  }
}

/**
 * @param {any} row of EXPLAIN
 * @returns {{ schema: unknown, name: string }[]}
 */
function relationsOf(row) {
  const [answer] = Object.values(row ?? {});
  const open = [typeof answer === 'string' ? parseForeignJson(answer) : answer];
  const found = [];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    const name = node['Relation Name'];
    if (typeof name === 'string') found.push({ schema: node.Schema, name });
    for (const member of Object.values(node)) open.push(member);
  }
  return found;
}

/**
 * What a function of MySQL says of itself is not enforced.
 * @param {Ask} ask
 * @param {Reach} reach
 */
async function checkMysqlFunctions(ask, { calls, names }) {
  // The next value of a sequence is gone whatever becomes of the transaction.
  if (calls.includes('nextval')) throw unreadFunction('nextval');
  if (calls.length === 0) return;
  const places = new Parameters(() => '?');
  const [found] = await ask(
    `SELECT ROUTINE_NAME AS name FROM information_schema.ROUTINES WHERE ROUTINE_TYPE = 'FUNCTION'
      AND ROUTINE_NAME IN (${places.add(calls)}) AND (ROUTINE_SCHEMA = DATABASE() OR ROUTINE_SCHEMA IN (${places.add(names)}))
      LIMIT 1`,
    places.values,
  );
  if (found) throw unreadFunction(found.name);
}

/**
 * Refuses to write where nothing can be undone.
 * @param {Ask} ask
 * @param {Reaching} statement
 * @param {object} adapter
 */
async function checkEngines(ask, { sql, reach: { written } }, adapter) {
  if (written.length === 0) return;
  const known = believed.get(adapter) ?? new Map();
  believed.set(adapter, known);
  const now = Date.now();
  if (now - (known.get(sql) ?? 0) < BELIEVED_MS) return;
  const schemas = written.filter((name) => name.includes('.')).map((name) => name.split('.')[0]);
  const places = new Parameters(() => '?');
  const [found] = await ask(
    `SELECT t.TABLE_NAME AS name, t.ENGINE AS engine FROM information_schema.TABLES t
      JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE WHERE e.TRANSACTIONS <> 'YES'
      AND t.TABLE_NAME IN (${places.add(written.map((name) => name.split('.').at(-1)))})
      AND t.TABLE_SCHEMA IN (${['DATABASE()', ...(schemas.length > 0 ? [places.add(schemas)] : [])].join(', ')}) LIMIT 1`,
    places.values,
  );
  if (found) throw withoutTransactions(found.name, found.engine);
  if (known.size >= MAX_BELIEVED) known.clear();
  known.set(sql, now);
}

/** Values of a statement, and what stands for them in its text. */
class Parameters {
  /** @type {unknown[]} */
  values = [];
  #placeholder;

  /** @param {(number: number) => string} [placeholder] */
  constructor(placeholder = (number) => `$${number}`) {
    this.#placeholder = placeholder;
  }

  /** @param {unknown[]} values one at least */
  add(values) {
    return values.map((value) => this.#placeholder(this.values.push(value))).join(', ');
  }
}

/** @param {unknown} name */
function unreadFunction(name) {
  return refused(
    `what the function ${shown(name)} does cannot be read, and not everything is allowed`,
    'Write the statements that it stands for, or ask for a function of the application instead.',
  );
}

/** @param {unknown} name */
function unreadTable(name) {
  return refused(
    `the database reads the table ${shown(name)} in this statement, which was not found in it`,
    'Write it in plainer SQL.',
  );
}

/**
 * @param {unknown} name
 * @param {unknown} engine
 */
function withoutTransactions(name, engine) {
  return refused(
    `the table ${shown(name)} has the engine ${shown(engine)}, which has no transactions: what a run writes there could not be undone`,
    'Read from it, or ask for a table with InnoDB.',
  );
}

/** @param {unknown} name */
function shown(name) {
  return `'${String(name).slice(0, 64)}'`;
}

/**
 * @param {string} what
 * @param {string} advice
 */
function refused(what, advice) {
  return new SecurityViolation(`Security Violation: ${what}. ${advice}`, { details: { reason: 'refused' } });
}
