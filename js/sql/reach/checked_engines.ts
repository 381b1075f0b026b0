/** Checks that MySQL can roll back a write: all tables, also below views, must have transactional engines. */

import type { AskWithValues } from './called_functions.js';
import { Parameters } from './called_functions.js';
import { refused, shown } from './refusal.js';

type Table = { schema: string; name: string; engine: unknown; kind: string };
/** A table that the definition of a view may contain. */
type ViewPart = { view_schema: string; view_name: string; schema: string; name: string };

/** Maximum nesting of views. */
const MAX_LEVELS = 10;

/** Refuses writes to tables without transactions, also through views. */
export async function checkEngines(ask: AskWithValues, written: string[]) {
  // A dot may separate schema and table, or be part of a quoted name.
  const parts = written.map((name) => name.split('.'));
  const tables = parts.flatMap((each) => each.map((_, index) => each.slice(index).join('.')));
  const schemas = parts.flatMap((each) => each.slice(1).map((_, index) => each.slice(0, index + 1).join('.')));
  const places = new Parameters(() => '?');
  const inTables = `t.TABLE_NAME IN (${places.add(tables)})`;
  const inSchemas = ['DATABASE()', ...(schemas.length > 0 ? [places.add(schemas)] : [])].join(', ');
  let found = await ask<Table>(doubtful(`${inTables} AND t.TABLE_SCHEMA IN (${inSchemas})`), places.values);
  for (let level = 0; found.length > 0; level += 1) {
    const table = found.find(({ kind }) => kind !== 'VIEW');
    if (table) throw withoutTransactions(table);
    if (level === MAX_LEVELS) throw unreadView(found[0]?.name);
    found = await below(ask, found);
  }
}

/** A query for views and for tables without transactions. */
function doubtful(where: string) {
  return `SELECT t.TABLE_SCHEMA AS \`schema\`, t.TABLE_NAME AS name, t.ENGINE AS engine, t.TABLE_TYPE AS kind
    FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
    WHERE ${where} AND (t.TABLE_TYPE = 'VIEW' OR e.TRANSACTIONS <> 'YES')`;
}

/**
 * The views and non-transactional tables that views are made of. Refuses a view whose definition or tables are not visible.
 */
async function below(ask: AskWithValues, views: Table[]) {
  const places = new Parameters(() => '?');
  const pairs = views.map(({ schema, name }) => `(${places.add([schema, name])})`).join(', ');
  const parts = await ask<ViewPart>(
    `SELECT v.TABLE_SCHEMA AS \`view_schema\`, v.TABLE_NAME AS view_name, t.TABLE_SCHEMA AS \`schema\`, t.TABLE_NAME AS name
      FROM information_schema.VIEWS v JOIN information_schema.TABLES t ON LOCATE(CONCAT('\`',
        REPLACE(t.TABLE_SCHEMA, '\`', '\`\`'), '\`.\`', REPLACE(t.TABLE_NAME, '\`', '\`\`'), '\`'), v.VIEW_DEFINITION) > 0
      WHERE (v.TABLE_SCHEMA, v.TABLE_NAME) IN (${pairs})`,
    places.values,
  );
  const unread = views.find(
    ({ schema, name }) => !parts.some((part) => part.view_schema === schema && part.view_name === name),
  );
  if (unread) throw unreadView(unread.name);
  const tables = new Parameters(() => '?');
  const names = parts.map(({ schema, name }) => `(${tables.add([schema, name])})`).join(', ');
  return ask<Table>(doubtful(`(t.TABLE_SCHEMA, t.TABLE_NAME) IN (${names})`), tables.values);
}

function withoutTransactions({ name, engine }: Table) {
  return refused(
    `the table ${shown(name)} has the engine ${shown(engine)}, which has no transactions: a write could not be rolled back`,
    'Read from it, or use a table with InnoDB.',
  );
}

function unreadView(name: unknown) {
  return refused(
    `it is unknown whether a write through the view ${shown(name)} can be rolled back: its definition or its tables are not visible`,
    'Write to its table, or have the owner of the database grant SHOW VIEW on it and SELECT on its tables.',
  );
}
