import pgPackage from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasServer } from '../../tools/database_server.mjs';
import { caller, policyKernel } from '../helpers/policy_kernel.js';
import { ownDatabase } from '../helpers/shared_servers.js';

const WRITES = `LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ('x'); RETURN 'x'; END $$`;
const USER_DEFINED = [
  'total',
  'week',
  'quote',
  'typeof',
  'printf',
  'quarter',
  'year',
  'rand',
  'unhex',
  'index',
  'glob',
  'tinyint',
];

/** Statements that call a user-defined function in PostgreSQL. */
const ATTEMPTS = [
  'SELECT purge(acc) AS x FROM acc',
  'SELECT acc.purge AS x FROM acc',
  'SELECT (acc).purge AS x FROM acc',
  'SELECT a.purge AS x FROM acc a',
  'SELECT 1 AS x FROM acc a ORDER BY a.purge',
  'SELECT count(*) AS x FROM acc WHERE "acc"."purge" IS NOT NULL',
  'SELECT (ARRAY[1])[length(a.purge)] AS x FROM acc a',
  'SELECT id @@@@ id AS x FROM acc',
  'SELECT id::comp AS x FROM acc',
  'SELECT CAST(id AS comp) AS x FROM acc',
  "SELECT CAST('x' AS email) AS x",
  "SELECT email 'x' AS x",
  'SELECT "Count"(id) AS x FROM acc',
  ...USER_DEFINED.map((name) => `SELECT ${name}(id) AS x FROM acc`),
];

const ORDINARY = [
  'SELECT count(*) AS n, max(id) AS m FROM acc WHERE id IN (1, 2) AND id <> 3',
  "SELECT upper(trim(m)) || 'x' AS n FROM log JOIN acc USING (m) ORDER BY lower(m)",
  'SELECT CAST(id AS integer) + -1 AS n FROM public.acc',
];

const TABLES = `version: 1
default: deny
rules:
  - { id: running, allow: [run] }
  - { id: q, allow: [sql], verbs: [select], tables: [acc, log, public.acc] }
`;

describe.skipIf(!hasServer('postgres'))('a policy for an SQL source without a dialect', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {pgPackage.Pool} */
  let pool;
  beforeAll(async () => {
    server = await ownDatabase('postgres');
    pool = new pgPackage.Pool(server.settings);
    await pool.query(`CREATE TABLE log (m text); CREATE TABLE acc (id int, m text); INSERT INTO acc VALUES (1, 'a');
      CREATE FUNCTION purge(acc) RETURNS text ${WRITES}; CREATE FUNCTION own(int, int) RETURNS text ${WRITES};
      CREATE OPERATOR @@@@ (LEFTARG = int, RIGHTARG = int, FUNCTION = own); CREATE TYPE comp AS (x text);
      CREATE FUNCTION "Count"(int) RETURNS text ${WRITES};
      CREATE FUNCTION to_comp(int) RETURNS comp LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ('x'); RETURN ROW('x')::comp; END $$;
      CREATE CAST (int AS comp) WITH FUNCTION to_comp(int);
      CREATE FUNCTION chk(text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ('x'); RETURN true; END $$;
      CREATE DOMAIN email AS text CHECK (chk(VALUE));
      ${USER_DEFINED.map((name) => `CREATE FUNCTION ${name}(int) RETURNS text ${WRITES}`).join(';')}`);
  }, 120_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 60_000);

  const query = async (/** @type {string} */ sql, /** @type {any[]} */ params) => (await pool.query(sql, params)).rows;
  const transaction = async (/** @type {any} */ work) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const done = await work(async (/** @type {string} */ sql, /** @type {any[]} */ params) => {
        return (await client.query(sql, params)).rows;
      });
      await client.query('COMMIT');
      return done;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  };

  it.each([
    ['two functions, safe', { query, transaction }, 'safe'],
    ['two functions, rules for tables', { query, transaction }, TABLES],
    ['one function, safe', query, 'safe'],
  ])('lets no statement call a user-defined function: %s', async (_, source, policy) => {
    const { kernel } = await policyKernel(policy, { sql: { source }, approve: async () => true });
    const { call } = await caller(kernel);
    /** @type {string[]} */
    const passed = [];
    for (const sql of ATTEMPTS) if (!(await call('exec_sql', { sql })).message) passed.push(sql);
    expect(passed).toEqual([]);
    expect((await pool.query('SELECT * FROM log')).rows).toEqual([]);
    for (const sql of ORDINARY) expect(await call('exec_sql', { sql }), sql).toEqual({ verdict: 'allow' });
    expect(await call('exec_sql', { sql: 'SELECT id::comp AS x FROM acc' })).toMatchObject(
      policy === 'safe' ? { message: expect.stringMatching(/'::'.*name the dialect/) } : {},
    );
  });
});
