import { createSqlTools } from '../../index.js';

/** A value of the table `secrets`, and of no other. */
export const SECRET = 'sk-live-4711';

const WRITING = ['insert', 'update', 'delete', 'replace', 'merge', 'truncate', 'create', 'alter', 'drop', 'maintain'];

/**
 * Rules of an owner, and their guarantees. `keeps`: what no statement may change; `hides`: whether the rows of `secrets` are
 * hidden.
 * @type {{ name: string, options: any, keeps: 'everything' | 'rows' | 'secrets', hides: boolean }[]}
 */
export const RULES = [
  { name: 'allow select', options: { allow: { verbs: ['select'] } }, keeps: 'everything', hides: false },
  { name: 'deny all that writes', options: { deny: { verbs: WRITING } }, keeps: 'everything', hides: false },
  { name: 'readOnly', options: { readOnly: true }, keeps: 'everything', hides: false },
  { name: 'allow select, insert', options: { allow: { verbs: ['select', 'insert'] } }, keeps: 'rows', hides: false },
  { name: 'deny the table', options: { deny: { tables: ['secrets'] } }, keeps: 'secrets', hides: true },
  { name: 'allow another table', options: { allow: { tables: ['t'] } }, keeps: 'secrets', hides: true },
];

/**
 * The state of a database: the rows of each table as text, and everything else that a statement could change.
 * @typedef {{ rows: Record<string, string[]>, rest: string }} State
 */

/**
 * Makes each attempt under each rule, and returns the violations.
 * @param {any} source
 * @param {string[]} attempts
 * @param {() => Promise<State>} stateOf
 * @param {() => Promise<unknown>} reset restores the initial tables
 * @returns {Promise<string[]>}
 */
export async function violations(source, attempts, stateOf, reset) {
  const wrong = [];
  await reset();
  const before = await stateOf();
  for (const { name, options, keeps, hides } of RULES) {
    const { exec_sql } = createSqlTools(source, { ddl: true, statementTimeoutMs: 3_000, ...options });
    for (const sql of attempts) {
      const answer = await exec_sql.execute({ sql }).then(
        (/** @type {unknown} */ rows) => JSON.stringify(rows),
        (/** @type {any} */ { message, details }) => `${message} ${JSON.stringify(details)}`,
      );
      const after = await stateOf();
      if (!isKept(before, after, keeps)) wrong.push(`${name}: ${sql} changed the database`);
      if (hides && answer.includes(SECRET)) wrong.push(`${name}: ${sql} revealed the secret`);
      if (JSON.stringify(before) !== JSON.stringify(after)) await reset();
    }
  }
  return wrong;
}

/**
 * @param {State} before
 * @param {State} after
 * @param {'everything' | 'rows' | 'secrets'} keeps
 */
function isKept(before, after, keeps) {
  if (keeps === 'everything') return JSON.stringify(before) === JSON.stringify(after);
  if (keeps === 'secrets') return JSON.stringify(before.rows.secrets) === JSON.stringify(after.rows.secrets);
  return (
    before.rest === after.rest &&
    Object.entries(before.rows).every(([table, rows]) => rows.every((row) => after.rows[table]?.includes(row)))
  );
}

/**
 * Statements that ordinary tools need, each under the rule that allows it: `[options, sql]`.
 * @param {any} source
 * @param {[any, string][]} ordinary
 */
export async function refusedOrdinary(source, ordinary) {
  /** @type {string[]} */
  const refused = [];
  for (const [options, sql] of ordinary) {
    const { exec_sql } = createSqlTools(source, { ddl: true, dryRun: true, ...options });
    await exec_sql.execute({ sql }).catch((/** @type {Error} */ { message }) => refused.push(`${sql}: ${message}`));
  }
  return refused;
}
