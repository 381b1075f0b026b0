import mysql from 'mysql2/promise';
import pgPackage from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlTools } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { caller, policyKernel } from '../helpers/policy_kernel.js';
import { ownDatabase } from '../helpers/shared_servers.js';

const rules = (/** @type {string} */ text) => `version: 1\n${text}\n`;
const DENIED = rules(`default: allow
rules:
  - { id: no-orders, deny: [sql], tables: [orders, items] }`);
const ALLOWED = rules(`default: deny
rules:
  - { id: running, allow: [run] }
  - { id: t-alone, allow: [sql], tables: [t] }`);
/** Only `t` is allowed, so any other table name asks. */
const ASKED = rules(`default: ask
rules:
  - { id: running, allow: [run] }
  - { id: t-alone, allow: [sql], tables: [t] }`);

/** @param {string} sql */
const code = (sql) => `tgp.exec_sql(${JSON.stringify(sql)})`;

/**
 * The verdicts on statements of an agent and of a run.
 * @param {any} source
 * @param {string} policy
 * @param {string[]} statements
 */
async function verdictsOn(source, policy, statements) {
  const { kernel } = await policyKernel(policy, { sql: { source, ddl: true } });
  const { call, guest } = await caller(kernel);
  const verdicts = [];
  for (const sql of statements) {
    verdicts.push([sql, (await call('exec_sql', { sql })).verdict, (await guest(code(sql))).verdict]);
  }
  return verdicts;
}

/**
 * @param {string[]} statements
 * @param {string} verdict
 */
const all = (statements, verdict) => statements.map((sql) => [sql, verdict, verdict]);

describe.skipIf(!hasServer('postgres'))('a policy reads SQL as PostgreSQL does', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {pgPackage.Pool} */
  let pool;
  beforeAll(async () => {
    server = await ownDatabase('postgres');
    pool = new pgPackage.Pool(server.settings);
    await pool.query(`CREATE TABLE orders (id int); CREATE TABLE t (id int); CREATE TABLE "T" (id int);
      CREATE SCHEMA main; CREATE TABLE main.t (id int); CREATE TABLE things (id int); INSERT INTO things VALUES (1);
      CREATE FUNCTION purge_things() RETURNS int LANGUAGE sql AS $$ DELETE FROM things RETURNING id $$;
      CREATE FUNCTION count_things() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM things $$;
      CREATE FUNCTION peek_things() RETURNS bigint STABLE LANGUAGE sql AS $$ SELECT count(*) FROM things $$`);
  }, 120_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 60_000);

  it('a rule for a table applies to FROM ONLY, UPDATE ONLY and DELETE FROM ONLY', async () => {
    const statements = [
      'SELECT * FROM ONLY orders',
      'SELECT * FROM ONLY (orders)',
      'SELECT * FROM t JOIN ONLY orders USING (id)',
      'UPDATE ONLY orders SET id = 1',
      'DELETE FROM ONLY orders',
      'DELETE FROM t USING ONLY orders',
      'SELECT * FROM "orders" only',
    ];
    expect(await verdictsOn(pool, DENIED, statements)).toEqual(all(statements, 'deny'));
    expect(await verdictsOn(pool, ASKED, statements)).toEqual(all(statements, 'ask'));
    const others = ['SELECT * FROM ONLY t', 'UPDATE ONLY t SET id = 1', 'SELECT id FROM t FETCH FIRST 1 ROWS ONLY'];
    expect(await verdictsOn(pool, DENIED, others)).toEqual(all(others, 'allow'));
    expect(await verdictsOn(pool, ASKED, others)).toEqual(all(others, 'allow'));
  }, 60_000);

  it('a quoted name in upper case, or a table of another schema, is another table', async () => {
    const others = ['SELECT * FROM "T"', 'SELECT * FROM main.t', 'SELECT * FROM ONLY main.t', 'SELECT * FROM orders'];
    expect(await verdictsOn(pool, ALLOWED, others)).toEqual(all(others, 'deny'));
    const same = ['SELECT * FROM T', 'SELECT * FROM public.t', 'SELECT * FROM "t"', 'SELECT * FROM ONLY t'];
    expect(await verdictsOn(pool, ALLOWED, same)).toEqual(all(same, 'allow'));
  }, 60_000);

  it('an alias or a common table expression may share its name with a table of a view', async () => {
    await pool.query('CREATE VIEW t_view AS SELECT * FROM orders; CREATE VIEW t_above AS SELECT * FROM t_view');
    const policy = rules(`default: deny
rules:
  - { id: running, allow: [run] }
  - { id: view, allow: [sql], tables: [t_view, t_above] }`);
    const same = [
      'SELECT orders.id FROM t_view AS orders',
      'WITH orders AS (SELECT * FROM t_above) SELECT * FROM orders',
    ];
    const { kernel } = await policyKernel(policy, { sql: { source: pool } });
    const { call } = await caller(kernel);
    for (const sql of same) expect(await call('exec_sql', { sql }), sql).toEqual({ verdict: 'allow' });
    const others = ['SELECT * FROM orders', 'SELECT * FROM t_view, orders'];
    expect(await verdictsOn(pool, policy, others)).toEqual(all(others, 'deny'));
  }, 60_000);

  it('a name without a schema means public, whatever the search path of the connection', async () => {
    await pool.query(`CREATE SCHEMA tenant; CREATE TABLE tenant.t (id int); CREATE SCHEMA seen; CREATE VIEW seen.t AS SELECT 1 AS id;
      CREATE TABLE tenant.plain (id int)`);
    for (const path of ['tenant', 'seen']) {
      const tenant = new pgPackage.Pool({ ...server.settings, options: `-c search_path=${path},public` });
      try {
        const { kernel } = await policyKernel(ALLOWED, { sql: { source: tenant } });
        const { call } = await caller(kernel);
        const { exec_sql } = createSqlTools(tenant, { allow: { tables: ['t', 'tenant.plain'] } });
        for (const sql of [
          'SELECT id FROM t',
          'SELECT x.id FROM t AS x',
          'INSERT INTO t VALUES (1)',
          'UPDATE t SET id = 2',
        ]) {
          const outcome = await call('exec_sql', { sql });
          expect(outcome, sql).toMatchObject({ message: expect.stringContaining(`'${path}.t'`) });
          await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
        }
        expect(await call('exec_sql', { sql: 'SELECT id FROM public.t' })).toEqual({ verdict: 'allow' });
        expect(await exec_sql.execute({ sql: 'SELECT plain.id FROM tenant.plain' })).toEqual([]);
      } finally {
        await tenant.end();
      }
    }
    expect((await pool.query('SELECT count(*)::int AS n FROM tenant.t')).rows).toEqual([{ n: 0 }]);
  }, 60_000);

  it('functions pass if no rule has conditions for SQL, but not with a token for tables', async () => {
    const policy = rules(`default: allow
rules:
  - { id: payments, deny: [run], paths: ["tools/payments/**"] }`);
    const { kernel } = await policyKernel(policy, { sql: { source: pool } });
    const { guest } = await caller(kernel);
    expect(await guest(code('SELECT purge_things() + count_things()'))).toEqual({ verdict: 'allow' });
    await pool.query('INSERT INTO things VALUES (1)');
    const { token } = await kernel.issueToken({ allow: ['sql'], tables: ['t'] });
    const { exec_sql } = createSqlTools(kernel, { token });
    expect(await exec_sql.execute({ sql: 'SELECT id FROM t' })).toBeInstanceOf(Array);
    // The statement does not show what the function reads.
    await expect(exec_sql.execute({ sql: 'SELECT peek_things() FROM t' })).rejects.toThrow(/cannot be read/);
  }, 60_000);

  it('the policy safe refuses a SELECT that calls a writing function', async () => {
    const { kernel } = await policyKernel('safe', { sql: { source: pool }, approve: async () => true });
    const { call, guest } = await caller(kernel);
    const sql = 'SELECT purge_things()';
    expect(await call('exec_sql', { sql })).toMatchObject({ message: expect.stringMatching(/read-only transaction/) });
    expect(await guest(code(sql))).toMatchObject({ message: expect.stringMatching(/read-only transaction/) });
    expect((await pool.query('SELECT count(*)::int AS n FROM things')).rows).toEqual([{ n: 1 }]);
    expect(await call('exec_sql', { sql: 'SELECT count_things()' })).toEqual({ verdict: 'allow' });
    const update = 'UPDATE t SET id = purge_things()';
    expect(await call('exec_sql', { sql: update })).toMatchObject({ message: expect.stringMatching(/cannot be read/) });
  }, 60_000);
});

describe.skipIf(!hasServer('mariadb'))('a policy reads SQL as MariaDB does', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {mysql.Pool} */
  let pool;
  beforeAll(async () => {
    server = await ownDatabase('mariadb');
    pool = mysql.createPool({ ...server.settings, multipleStatements: true });
    await pool.query(`CREATE TABLE orders (id INT) ENGINE=InnoDB; CREATE TABLE t (id INT) ENGINE=InnoDB;
      CREATE TABLE \`İtems\` (id INT) ENGINE=InnoDB; CREATE TABLE things (id INT) ENGINE=InnoDB; INSERT INTO things VALUES (1);
      CREATE FUNCTION purge_things() RETURNS INT BEGIN DELETE FROM things; RETURN 1; END;
      CREATE FUNCTION count_things() RETURNS INT RETURN (SELECT count(*) FROM things);
      SET sql_mode = ORACLE; CREATE PACKAGE pkg AS FUNCTION wipe RETURN INT; END;
      CREATE PACKAGE BODY pkg AS FUNCTION wipe RETURN INT AS BEGIN DELETE FROM things; RETURN 1; END; END;
      SET sql_mode = DEFAULT`);
  }, 120_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 60_000);

  it('a rule for a table applies to UPDATE IGNORE, LOW_PRIORITY and similar modifiers', async () => {
    const statements = [
      'UPDATE IGNORE orders SET id = 1',
      'UPDATE LOW_PRIORITY orders SET id = 1',
      'UPDATE LOW_PRIORITY IGNORE orders SET id = 1',
      'DELETE LOW_PRIORITY QUICK IGNORE FROM orders',
      'INSERT DELAYED IGNORE orders VALUES (1)',
      'REPLACE LOW_PRIORITY orders VALUES (1)',
      'SELECT * FROM `İtems`',
      'SELECT * FROM ITEMS',
    ];
    expect(await verdictsOn(pool, DENIED, statements)).toEqual(all(statements, 'deny'));
    expect(await verdictsOn(pool, ASKED, statements)).toEqual(all(statements, 'ask'));
    const others = ['UPDATE IGNORE t SET id = 1', 'DELETE QUICK FROM t', 'INSERT IGNORE t VALUES (1)'];
    expect(await verdictsOn(pool, DENIED, others)).toEqual(all(others, 'allow'));
    expect(await verdictsOn(pool, ASKED, others)).toEqual(all(others, 'allow'));
  }, 60_000);

  it('a table of another database, or with another letter case, is another table', async () => {
    const others = [
      'SELECT * FROM T',
      'SELECT * FROM main.t',
      'SELECT * FROM public.t',
      'UPDATE IGNORE orders SET id = 1',
    ];
    expect(await verdictsOn(pool, ALLOWED, others)).toEqual(all(others, 'deny'));
    const same = ['SELECT * FROM t', 'SELECT * FROM `t`', 'UPDATE IGNORE t SET id = 2'];
    expect(await verdictsOn(pool, ALLOWED, same)).toEqual(all(same, 'allow'));
  }, 60_000);

  it('the policy safe refuses a SELECT that calls a writing function', async () => {
    const { kernel } = await policyKernel('safe', { sql: { source: pool }, approve: async () => true });
    const { call, guest } = await caller(kernel);
    const packaged = `SELECT ${server.settings.database}.pkg.wipe()`;
    for (const sql of ['SELECT purge_things()', packaged, 'UPDATE t SET id = purge_things()']) {
      const read = sql.startsWith('SELECT') ? /READ ONLY/ : /cannot be read/;
      expect(await call('exec_sql', { sql }), sql).toMatchObject({ message: expect.stringMatching(read) });
      expect(await guest(code(sql)), sql).toMatchObject({ message: expect.stringMatching(/cannot be read/) });
    }
    expect(await call('exec_sql', { sql: 'SELECT count_things()' })).toMatchObject({ verdict: 'allow' });
    expect((await pool.query('SELECT count(*) AS n FROM things'))[0]).toEqual([{ n: 1 }]);
  }, 60_000);
});

describe('a policy for an unknown database', () => {
  it('allows only functions that every database has', async () => {
    /** @type {string[]} */
    const ran = [];
    const source = async (/** @type {string} */ sql) => {
      ran.push(sql);
      return [{ n: 1 }];
    };
    const { kernel } = await policyKernel('safe', { sql: source, approve: async () => true });
    const { call, guest } = await caller(kernel);
    for (const sql of ['SELECT purge_things()', 'SELECT shop.count(1)']) {
      expect(await call('exec_sql', { sql }), sql).toMatchObject({ message: expect.stringMatching(/cannot be read/) });
      expect(await guest(code(sql)), sql).toMatchObject({ message: expect.stringMatching(/cannot be read/) });
    }
    expect(ran).toEqual([]);
    const sql = 'SELECT count(*) AS n FROM t WHERE id IN (1, 2)';
    expect(await call('exec_sql', { sql })).toEqual({ verdict: 'allow' });
    expect(ran).toEqual([sql]);
  });
});

describe('a policy reads SQL as SQLite does', () => {
  it('ORDER BY does not name the table order', async () => {
    const { kernel } = await policyKernel(
      rules(`default: allow
rules:
  - { id: no-order, deny: [sql], tables: [order] }`),
    );
    const { call } = await caller(kernel);
    expect(await call('exec_sql', { sql: 'SELECT 1 AS a ORDER BY a' })).toEqual({ verdict: 'allow' });
    expect(await call('exec_sql', { sql: 'SELECT * FROM "order"' })).toMatchObject({ verdict: 'deny' });
  });

  it('main is the default schema, and the letter case is ignored', async () => {
    const { kernel } = await policyKernel(ALLOWED);
    const { call } = await caller(kernel);
    for (const [sql, verdict] of [
      ['SELECT * FROM "T"', 'allow'],
      ['SELECT * FROM main.t', 'allow'],
      ['SELECT * FROM public.t', 'deny'],
    ]) {
      // The table does not exist: only the verdict of the policy counts.
      expect((await call('exec_sql', { sql })).verdict === 'deny' ? 'deny' : 'allow', sql).toBe(verdict);
    }
  });
});
