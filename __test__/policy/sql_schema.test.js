import pgPackage from 'pg';
import { expect, it } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { policyKernel } from '../helpers/policy_kernel.js';
import { ownDatabase } from '../helpers/shared_servers.js';

const rules = (/** @type {string} */ text) => `version: 1\n${text}\n`;
const DENIED = rules(`default: allow
rules:
  - { id: no-secrets, deny: [sql], tables: [secrets] }
  - { id: no-changes, deny: [sql], verbs: [update], tables: [t] }
  - { id: asked, ask: [sql], tables: [asked] }`);
const ALLOWED = rules(`default: deny
rules:
  - { id: schema, allow: [read] }
  - { id: t-alone, allow: [sql], tables: [t] }`);
const OTHERS = rules(`default: deny
rules:
  - { id: schema, allow: [read] }`);
const TABLES = [
  'CREATE TABLE secrets (id int PRIMARY KEY, s text)',
  'CREATE TABLE t (id int, of_secret int REFERENCES secrets (id))',
  'CREATE TABLE asked (id int)',
];

/**
 * The schema and hints that a caller sees under each policy, and with a token.
 * @param {any} source
 */
async function shown(source) {
  const seen = [];
  const inspect = async (/** @type {any} */ kernel, options = {}) => {
    const { describe_schema, exec_sql } = createSqlTools(kernel, options);
    const { tables } = /** @type {any} */ (await describe_schema.execute({}));
    const { notice = '' } = /** @type {any} */ (await describe_schema.execute({ table: 'secret' }));
    const failed = await exec_sql
      .execute({ sql: 'SELECT * FROM secret' })
      .catch((/** @type {Error} */ { message }) => message);
    const keys = tables.flatMap((/** @type {any} */ { foreignKeys }) => foreignKeys);
    const names = tables.map((/** @type {any} */ { name }) => name).sort();
    seen.push([names.join(' '), keys.length, /secrets/.test(notice), /secrets/.test(JSON.stringify(failed))]);
  };
  for (const policy of [DENIED, ALLOWED, OTHERS]) {
    const { kernel } = await policyKernel(policy, { sql: { source } });
    await kernel.boot();
    await inspect(kernel);
  }
  const { kernel } = await policyKernel('allow', { sql: { source } });
  await kernel.boot();
  const { token } = await kernel.issueToken({ anyOf: [{ allow: ['read'] }, { allow: ['sql'], tables: ['t'] }] });
  await inspect(kernel, { token });
  await inspect(kernel);
  return seen;
}

const EXPECTED = [
  ['asked t', 0, false, false],
  ['t', 0, false, false],
  // Rules without conditions for tables hide no tables.
  ['asked secrets t', 1, true, false],
  ['t', 0, false, false],
  ['asked secrets t', 1, true, true],
];

it('describe_schema and hints name only the tables that the caller may read: SQLite', async () => {
  const source = sqlite(':memory:');
  const { exec_sql } = createSqlTools(source, { ddl: true });
  for (const sql of TABLES) await exec_sql.execute({ sql });
  expect(await shown(source)).toEqual(EXPECTED);
});

it.skipIf(!hasServer('postgres'))(
  'describe_schema and hints name only the tables that the caller may read: PostgreSQL',
  async () => {
    const server = await ownDatabase('postgres');
    const pool = new pgPackage.Pool(server.settings);
    pool.on('error', () => {});
    try {
      for (const sql of TABLES) await pool.query(sql);
      expect(await shown(pool)).toEqual(EXPECTED);
      await pool.query('CREATE SCHEMA tenant; CREATE TABLE tenant.t (id int)');
      const { kernel } = await policyKernel(ALLOWED, { sql: { source: pool } });
      await kernel.boot();
      const { tables } = /** @type {any} */ (await createSqlTools(kernel).describe_schema.execute({}));
      expect(tables.map((/** @type {any} */ { name }) => name)).toEqual(['t']);
    } finally {
      await pool.end();
      await server.stop();
    }
  },
  60_000,
);
