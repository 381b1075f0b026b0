import mysql from 'mysql2/promise';
import pgPackage from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { caller, policyKernel } from '../helpers/policy_kernel.js';
import { SECRET } from '../helpers/rule_bench.js';
import { ownDatabase } from '../helpers/shared_servers.js';

const SCHEMA = `CREATE TABLE t (id serial, v text); INSERT INTO t (v) VALUES ('a');
  CREATE TABLE parts (id int, s text) PARTITION BY RANGE (id);
  CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10) PARTITION BY RANGE (id);
  CREATE TABLE parts_1_1 PARTITION OF parts_1 FOR VALUES FROM (0) TO (10); INSERT INTO parts VALUES (1, '${SECRET}');
  CREATE INDEX parts_index ON parts_1_1 (s);
  CREATE TABLE parent (id int, s text); CREATE SCHEMA other; CREATE TABLE other.child (more int) INHERITS (parent);
  INSERT INTO other.child VALUES (1, '${SECRET}'); CREATE SEQUENCE s1; CREATE SEQUENCE s2; CREATE SEQUENCE "S2";
  CREATE TABLE secrets (id serial, s text); INSERT INTO secrets (s) VALUES ('${SECRET}');
  CREATE VIEW v AS SELECT '${SECRET}' AS s FROM secrets;
  CREATE SCHEMA pub; CREATE TABLE pub.x (id int); CREATE TABLE "pub.x" (s text); INSERT INTO "pub.x" VALUES ('${SECRET}');
  CREATE TABLE bulk (a int, b int, c int, d text, e text)`;

/** @param {any} source @param {any} options */
const under = (source, options) => {
  const { exec_sql, describe_schema } = createSqlTools(source, { ddl: true, dryRun: true, ...options });
  return {
    describe: async () =>
      /** @type {any} */ (await describe_schema.execute({})).tables.map((/** @type {any} */ { name }) => name),
    /** @type {(statements: string[]) => Promise<string[]>} those that are not refused by rules */
    passed: async (statements) => {
      const found = [];
      for (const sql of statements) {
        const code = await exec_sql.execute({ sql }).then(
          () => 'done',
          (/** @type {any} */ error) => error.code,
        );
        if (code !== 'ERR_SECURITY_VIOLATION') found.push(sql);
      }
      return found;
    },
  };
};

/**
 * Rows of five values.
 * @param {number} rows
 * @param {number} [given] how many of them are parameters
 */
const bulkInsert = (rows, given = 5) => {
  const value = (/** @type {number} */ at) =>
    at % 5 < given ? `$${Math.floor(at / 5) * given + (at % 5) + 1}` : "'x'";
  const row = (/** @type {number} */ at) => `(${[0, 1, 2, 3, 4].map((column) => value(at * 5 + column)).join(', ')})`;
  const sql = `INSERT INTO bulk (a, b, c, d, e) VALUES ${Array.from({ length: rows }, (_, at) => row(at)).join(', ')}`;
  return { sql, params: Array.from({ length: rows * given }, (_, index) => (index % given > 2 ? 'text' : index)) };
};

describe.skipIf(!hasServer('postgres'))('rules for tables of PostgreSQL', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {pgPackage.Pool} */
  let pool;
  beforeAll(async () => {
    server = await ownDatabase('postgres');
    pool = new pgPackage.Pool(server.settings);
    pool.on('error', () => {});
    await pool.query(SCHEMA);
  }, 120_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 60_000);

  it('apply to partitions and child tables of a denied table, and to a denied one below an allowed one', async () => {
    const partitions = [
      'SELECT * FROM parts_1',
      'SELECT * FROM parts_1_1',
      'SELECT x.s FROM public.parts_1_1 AS x',
      'UPDATE parts_1 SET id = 2',
      'DELETE FROM ONLY parts_1_1',
      'TRUNCATE parts_1_1',
      'DROP TABLE parts_1_1',
      'DROP INDEX parts_index',
      'ALTER INDEX parts_index RENAME TO x',
      'ALTER TABLE parts_1_1 ADD COLUMN x int',
    ];
    expect(await under(pool, { deny: { tables: ['parts'] } }).passed(partitions)).toEqual([]);
    expect(
      await under(pool, { allow: { tables: ['parts_1'] }, deny: { tables: ['parts'] } }).passed(partitions),
    ).toEqual([]);
    expect(await under(pool, { deny: { tables: ['parent'] } }).passed(['SELECT * FROM other.child'])).toEqual([]);
    const above = ['SELECT * FROM parts', 'SELECT * FROM parts_1', 'UPDATE parts SET s = 1', 'SELECT * FROM parent'];
    expect(await under(pool, { deny: { tables: ['parts_1_1', 'child'] } }).passed(above)).toEqual([]);
    const allowed = { allow: { tables: ['parts', 'parent', 't'] }, deny: { tables: ['parts_1_1', 'other.child'] } };
    expect(await under(pool, allowed).passed(above)).toEqual([]);
    const shown = await under(pool, { deny: { tables: ['parts_1', 'parent'] } }).describe();
    expect(shown.filter((/** @type {string} */ name) => /part|child|parent/.test(name))).toEqual([]);
    expect(shown).toContain('t');
    // An allowed table includes its partitions.
    const same = ['SELECT * FROM parts', "UPDATE parts SET s = 'x'", 'SELECT * FROM parent', 'SELECT * FROM t'];
    expect(await under(pool, { allow: { tables: ['parts', 'parent', 't'] } }).passed(same)).toEqual(same);
    expect(await under(pool, { deny: { tables: ['secrets'] } }).passed(partitions)).toEqual(partitions);
  }, 30_000);

  it('apply regardless of cached checks: names with spaces are not confused', async () => {
    const tools = createSqlTools(pool, { deny: { tables: ['parts'] } });
    await expect(tools.exec_sql.execute({ sql: 'SELECT 1 AS "s parts_1"' })).resolves.toHaveLength(1);
    await expect(tools.exec_sql.execute({ sql: 'SELECT s FROM parts_1' })).rejects.toThrow("'parts'");
  });

  it('require approval for partitions even with a token that covers them', async () => {
    const rules = 'version: 1\ndefault: allow\nrules:\n  - { id: parts, ask: [sql], tables: [parts] }\n';
    const { kernel } = await policyKernel(rules, { sql: { source: pool } });
    await kernel.boot();
    const { token } = await kernel.issueToken({ allow: ['sql'], tables: ['parts_1'] });
    const { exec_sql } = createSqlTools(kernel, { token });
    await expect(exec_sql.execute({ sql: 'SELECT * FROM parts_1' })).rejects.toThrow("'parts'");
  });

  it('apply to partitions also if a policy denies the table, or asks', async () => {
    const policy = (/** @type {string} */ word) => `version: 1
default: allow
rules:
  - { id: parts, ${word}: [sql], tables: [parts] }
  - { id: none, deny: [sql], verbs: [delete], tables: [parent] }
`;
    for (const word of ['deny', 'ask']) {
      const { kernel } = await policyKernel(policy(word), { sql: { source: pool } });
      const { call, guest } = await caller(kernel);
      for (const sql of ['SELECT * FROM parts_1_1', 'UPDATE parts_1 SET id = 2']) {
        const text = expect.stringContaining("'parts'");
        expect(await call('exec_sql', { sql }), sql).toMatchObject({ message: text });
        expect(await guest(`tgp.exec_sql(${JSON.stringify(sql)})`), sql).toMatchObject({ message: text });
      }
      expect(await call('exec_sql', { sql: 'SELECT * FROM other.child' })).toEqual({ verdict: 'allow' });
      expect(await call('exec_sql', { sql: 'DELETE FROM other.child' })).toMatchObject({
        message: expect.stringContaining("'parent'"),
      });
    }
  }, 30_000);

  it('apply to sequences, which are relations', async () => {
    const moving = ['s2', 'public.s2', '"S2"', 's2 '].flatMap((name) => [
      `UPDATE t SET v = nextval('${name}')`,
      `SELECT currval('${name}')`,
      `SELECT nextval('${name}'::regclass)`,
    ]);
    const unknown = [
      'SELECT lastval()',
      "SELECT nextval('s' || '1')",
      "SELECT nextval(E's1')",
      'SELECT last_value FROM s2',
    ];
    const { passed } = under(pool, { allow: { tables: ['t', 's1'] } });
    expect(await passed([...moving, ...unknown])).toEqual([]);
    const same = [
      "INSERT INTO t (v) SELECT nextval('s1')::text",
      "INSERT INTO t (id) VALUES (nextval('public.s1'::regclass))",
    ];
    expect(await passed(same)).toEqual(same);
    expect(await under(pool, { deny: { tables: ['s2'] } }).passed([...moving, ...unknown])).toEqual([]);
    expect(await under(pool, { deny: { tables: ['secrets'] } }).passed(["SELECT nextval('secrets_id_seq')"])).toEqual(
      [],
    );
    expect(await under(pool, { deny: { tables: ['s2'] } }).passed(same)).toEqual(same);
    const { kernel } = await policyKernel(
      'version: 1\ndefault: deny\nrules:\n  - { id: t, allow: [sql], tables: [t, s1] }\n',
      { sql: { source: pool } },
    );
    const { call } = await caller(kernel);
    expect(await call('exec_sql', { sql: "UPDATE t SET v = nextval('s2')" })).toMatchObject({ verdict: 'deny' });
    expect(await call('exec_sql', { sql: "UPDATE t SET v = nextval('s1')" })).toEqual({ verdict: 'allow' });
  }, 30_000);

  it('do not confuse a table with a dot in its name with a qualified name', async () => {
    const both = [
      'SELECT * FROM "pub.x"',
      'SELECT * FROM pub.x',
      'SELECT * FROM public."pub.x"',
      'SELECT * FROM pub."x"',
    ];
    const denied = under(pool, { deny: { tables: ['pub.x'] } });
    expect(await denied.passed(both)).toEqual([]);
    expect((await denied.describe()).filter((/** @type {string} */ name) => name.includes('x'))).toEqual([]);
    const allowed = under(pool, { allow: { tables: ['pub.x'] } });
    expect(await allowed.passed(both)).toEqual(['SELECT * FROM pub.x', 'SELECT * FROM pub."x"']);
    expect(await allowed.describe()).toEqual(['pub.x']);
    expect(await under(pool, {}).describe()).toEqual(expect.arrayContaining(['pub.x', '"pub.x"']));
  }, 30_000);

  it('refuse functions that reveal definitions, sizes and row counts of other tables', async () => {
    const shows = [
      "SELECT pg_get_viewdef('v')",
      "SELECT pg_catalog.pg_get_viewdef('v'::regclass, true)",
      'SELECT pg_get_indexdef(1), pg_get_constraintdef(1)',
      "SELECT pg_relation_size('secrets')",
      "SELECT pg_total_relation_size('secrets')",
      "SELECT pg_table_size('secrets')",
      "SELECT pg_stat_get_live_tuples('secrets'::regclass)",
      "SELECT currtid2('secrets', '(0,1)')",
      "SELECT 'secrets'::regclass::oid",
      "SELECT to_regclass('secrets')",
      "SELECT CAST('secrets' AS regclass)",
      'SELECT n_live_tup FROM pg_stat_user_tables',
      'SELECT definition FROM pg_views',
    ];
    for (const options of [{ allow: { tables: ['t'] } }, { deny: { tables: ['secrets'] } }]) {
      expect(await under(pool, options).passed(shows)).toEqual([]);
    }
    expect(await under(pool, { allow: { verbs: ['select'] } }).passed(shows)).toEqual(shows);
  }, 30_000);

  it('read definitions and TRUNCATE in the schema public, whatever the search path of the connection', async () => {
    await pool.query('CREATE SCHEMA tenant; CREATE TABLE tenant.t (id int); CREATE SEQUENCE tenant.s1');
    const tenant = new pgPackage.Pool({ ...server.settings, options: '-c search_path=tenant,public' });
    tenant.on('error', () => {});
    try {
      const allow = { allow: { tables: ['t', 's1', 'fresh', 'tenant.fresh', 'bulk'] } };
      const elsewhere = [
        'TRUNCATE t',
        'TRUNCATE TABLE bulk, t',
        'ALTER TABLE t ADD COLUMN x int',
        'DROP TABLE t',
        'CREATE INDEX ON t (id)',
        'CREATE TABLE fresh (id int)',
        'CREATE TABLE fresh AS SELECT 1 AS id',
        'EXPLAIN SELECT * FROM t',
        "SELECT nextval('s1')",
      ];
      expect(await under(tenant, allow).passed(elsewhere)).toEqual([]);
      const named = [
        'TRUNCATE public.t',
        'TRUNCATE bulk',
        'ALTER TABLE bulk ADD COLUMN x int',
        'CREATE TABLE tenant.fresh (id int)',
      ];
      expect(await under(tenant, allow).passed(named)).toEqual(named);
      const usual = elsewhere.filter((sql) => sql !== "SELECT nextval('s1')");
      expect(await under(pool, allow).passed(usual)).toEqual(usual);
    } finally {
      await tenant.end();
    }
  }, 30_000);

  it('accept many rows, and report a statement that is too long', async () => {
    const { exec_sql } = createSqlTools(pool, { allow: { tables: ['bulk'] } });
    expect(await exec_sql.execute(bulkInsert(400))).toEqual([{ affected: 400 }]);
    expect(await exec_sql.execute(bulkInsert(10_000, 3))).toEqual([{ affected: 10_000 }]);
    const ids = Array.from({ length: 5_000 }, (_, id) => id);
    const among = `SELECT count(*)::int AS n FROM bulk WHERE a IN (${ids.join(', ')})`;
    expect(await exec_sql.execute({ sql: among })).toEqual([{ n: expect.any(Number) }]);
    const hidden = bulkInsert(400);
    const other = `${hidden.sql}, ((SELECT id FROM secrets), 1, 1, 'x', 'x')`;
    await expect(exec_sql.execute({ ...hidden, sql: other })).rejects.toThrow("'secrets'");
    const long = `SELECT ${Array.from({ length: 3_000 }, (_, at) => `a AS a${at}`).join(', ')} FROM bulk`;
    await expect(exec_sql.execute({ sql: long })).rejects.toThrow('too long');
    const { kernel } = await policyKernel(
      'version: 1\ndefault: deny\nrules:\n  - { id: bulk, allow: [sql], tables: [bulk] }\n',
      { sql: { source: pool } },
    );
    const { call } = await caller(kernel);
    expect(await call('exec_sql', bulkInsert(400))).toEqual({ verdict: 'allow' });
    expect(await call('exec_sql', { sql: long })).toMatchObject({ reason: expect.stringContaining('too long') });
  }, 30_000);

  it('leave row-level security by settings of the application to the database', async () => {
    await pool.query(`CREATE TABLE rows (tenant text, v text); INSERT INTO rows VALUES ('a', 'mine'), ('b', 'theirs');
      ALTER TABLE rows ENABLE ROW LEVEL SECURITY; ALTER TABLE rows FORCE ROW LEVEL SECURITY;
      CREATE POLICY own ON rows USING (tenant = current_setting('app.tenant_id'));
      CREATE VIEW me AS SELECT current_setting('app.tenant_id') AS tenant;
      CREATE ROLE reader; GRANT USAGE ON SCHEMA public TO reader; GRANT SELECT ON rows, me TO reader`);
    const own = new pgPackage.Pool({ ...server.settings, options: '-c app.tenant_id=a -c role=reader' });
    own.on('error', () => {});
    try {
      for (const options of [{}, { allow: { tables: ['rows', 'me'] } }]) {
        const { exec_sql } = createSqlTools(own, options);
        expect(await exec_sql.execute({ sql: 'SELECT v FROM rows' })).toEqual([{ v: 'mine' }]);
        expect(await exec_sql.execute({ sql: 'SELECT tenant FROM me' })).toEqual([{ tenant: 'a' }]);
        await expect(exec_sql.execute({ sql: "SELECT current_setting('app.tenant_id')" })).rejects.toThrow(
          /parameter.*view/,
        );
        await expect(exec_sql.execute({ sql: 'SHOW app.tenant_id' })).rejects.toThrow(/parameter.*view/);
      }
    } finally {
      await own.end();
      await pool.query('DROP OWNED BY reader; DROP ROLE reader');
    }
  }, 30_000);
});

describe.skipIf(!hasServer('mariadb'))('rules for tables of MariaDB', () => {
  it('apply to sequences, which are relations', async () => {
    const server = await ownDatabase('mariadb');
    const pool = mysql.createPool(server.settings);
    try {
      for (const sql of ['CREATE TABLE i (id int)', 'CREATE SEQUENCE s1', 'CREATE SEQUENCE s2', 'SELECT NEXTVAL(s1)'])
        await pool.query(sql);
      const other = ['SELECT LASTVAL(s1)', 'SELECT PREVIOUS VALUE FOR s1', 'SELECT LASTVAL(`s1`) FROM i'];
      expect(await under(pool, { allow: { tables: ['i', 's2'] }, ddl: false }).passed(other)).toEqual([]);
      expect(await under(pool, { deny: { tables: ['s1'] }, ddl: false }).passed(other)).toEqual([]);
      const same = other.filter((sql) => sql.includes('LASTVAL'));
      expect(await under(pool, { allow: { tables: ['i', 's1'] }, ddl: false }).passed(same)).toEqual(same);
    } finally {
      await pool.end();
      await server.stop();
    }
  }, 120_000);
});

describe('rules for tables of SQLite', () => {
  it('do not confuse a table with a dot in its name with a qualified name', async () => {
    const source = sqlite(':memory:');
    const { exec_sql } = createSqlTools(source, { ddl: true });
    await exec_sql.execute({ sql: 'CREATE TABLE x (id int)' });
    await exec_sql.execute({ sql: 'CREATE TABLE "main.x" (s text)' });
    await exec_sql.execute({ sql: 'CREATE VIEW seen AS SELECT * FROM "main.x"' });
    const both = ['SELECT * FROM "main.x"', 'SELECT * FROM main.x', 'SELECT * FROM seen'];
    expect(await under(source, { deny: { tables: ['main.x'] } }).passed(both)).toEqual([]);
    const { passed, describe: described } = under(source, { allow: { tables: ['x', 'seen'] } });
    expect(await passed(both)).toEqual(['SELECT * FROM main.x']);
    expect(await described()).toEqual(['seen', 'x']);
  });
});
