import pgPackage from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlRules } from '../../dist/sql/rules.js';
import { createSqlTools } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { oddStatements } from '../helpers/odd_statements.js';
import { refusedOrdinary, SECRET, violations } from '../helpers/rule_bench.js';
import { ownDatabase } from '../helpers/shared_servers.js';

/** Attempts to bypass the rules: by spelling, by hiding, and by side effects of PostgreSQL. */
const ATTEMPTS = [
  // Comments and quotations.
  'WITH c AS (SELECT 1 /* /* */ ) SELECT 1 */) DELETE FROM t',
  'WITH c AS (SELECT 1 /* /* */ */) DELETE FROM t',
  'SELECT 1 --\rDELETE FROM t',
  'WITH c AS (SELECT 1)--x\rDELETE FROM t',
  "WITH c AS (SELECT E'\\') DELETE FROM t -- ')",
  "WITH c AS (SELECT E'a' \n '\\') DELETE FROM t -- ')",
  "WITH c AS (SELECT 'a\\') DELETE FROM t -- ')",
  "WITH c AS (SELECT U&'\\') DELETE FROM t -- ')",
  "WITH c AS (SELECT U&'a' UESCAPE '!') DELETE FROM t -- ')",
  'WITH c AS (SELECT $a$)$a$) DELETE FROM t',
  'WITH c AS (SELECT $$)$$) DELETE FROM t -- $$',
  'WITH c AS (SELECT $é$)$é$) DELETE FROM t -- $é$',
  'WITH c AS (SELECT $1a$) DELETE FROM t -- $1a$',
  "WITH c AS (SELECT 1E'\\') DELETE FROM t -- ')",
  "WITH c AS (SELECT $1E'\\') DELETE FROM t -- ')",
  'WITH c AS (SELECT "a""") DELETE FROM t -- ")',
  'WITH c AS (SELECT 1)DELETE FROM t',
  'WITH c AS (SELECT 1)\u{a0}DELETE FROM t',
  'WITH c AS (SELECT 1) DELETE\u{feff}FROM t',
  'WITH c AS (SELECT 1) DELETE\u{b}FROM t',
  'SELECT 1; DELETE FROM t',
  "SELECT b'0'';DELETE FROM t;--'",
  // Writing in the middle of reading.
  'WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone',
  "WITH new AS (INSERT INTO t (a) VALUES ('x') RETURNING *) SELECT * FROM new",
  "WITH c AS (UPDATE t SET a = 'x' RETURNING *) TABLE c",
  'EXPLAIN ANALYZE DELETE FROM t',
  'EXPLAIN (ANALYZE) WITH c AS (DELETE FROM t) SELECT 1',
  'SELECT * INTO copied FROM t',
  'SELECT a AS insert INTO copied FROM t',
  'WITH c AS (SELECT 1) SELECT (1) insert INTO copied',
  'EXPLAIN ANALYZE SELECT * INTO copied FROM t',
  'CREATE TABLE copied AS SELECT * FROM t',
  'SELECT * FROM t FOR UPDATE',
  'TRUNCATE t',
  'TRUNCATE t CASCADE',
  "INSERT INTO t (id, a) VALUES (1, 'gone') ON CONFLICT (id) DO UPDATE SET a = 'gone'",
  "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = 'gone'",
  // Functions that write, and calls that do not look like one.
  "SELECT setval('counter', 4711)",
  "SELECT ('counter'::regclass).nextval",
  'SELECT erase()',
  'SELECT erase() FROM t',
  'SELECT peek()',
  'SELECT t.described FROM t',
  'UPDATE t SET a = erase()::text WHERE false OR erase() = 1',
  'INSERT INTO t (a) VALUES (erase()::text)',
  'SELECT (t).id, erase() FROM t',
  "SELECT set_config('transaction_read_only', 'off', false)",
  'SELECT lo_create(0)',
  'SELECT (0::oid).lo_create',
  "SELECT lo_from_bytea(0, 'x')",
  "SELECT ('PG_VERSION'::text).pg_read_file",
  "SELECT f.pg_read_file FROM unnest(ARRAY['PG_VERSION']) AS f",
  "SELECT pg_catalog . pg_read_file ('PG_VERSION')",
  "SELECT ('SELECT to_tsvector(s) FROM sec' || 'rets').ts_stat",
  "SELECT query_to_xml('SELECT * FROM sec' || 'rets', true, true, '')",
  "SELECT table_to_xml('sec' || 'rets', true, true, '')",
  "SELECT database_to_xml(true, true, '')",
  'SELECT pg_stat_reset()',
  "SELECT pg_notify('a', 'b')",
  // Other statements, and statements in statements.
  'CREATE SCHEMA s CREATE TABLE x (a int) CREATE VIEW v AS SELECT * FROM x',
  'CREATE SCHEMA s CREATE VIEW v AS SELECT s FROM secrets',
  'CREATE SCHEMA s GRANT ALL ON secrets TO public',
  'DO $$ BEGIN DELETE FROM t; END $$',
  'CALL p()',
  'PREPARE x AS DELETE FROM t',
  'EXECUTE x',
  'COPY t TO STDOUT',
  'SET ROLE postgres',
  'SET TRANSACTION READ WRITE',
  'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ DELETE FROM t; SELECT 1 $$',
  'CREATE RULE r AS ON INSERT TO t DO INSTEAD DELETE FROM t',
  'ALTER TABLE t DISABLE TRIGGER ALL',
  'ALTER TABLE secrets OWNER TO postgres',
  'ALTER TABLE secrets RENAME TO plain',
  'ALTER SCHEMA public RENAME TO hidden',
  'DROP SCHEMA public CASCADE',
  'DROP TABLE IF EXISTS t CASCADE',
  'CREATE TEMP TABLE t (a int)',
  'CREATE TABLE pg_temp.t AS SELECT 1 AS a',
  'SELECT 1 AS a INTO TEMP t',
  // The secret by other names.
  'SELECT * FROM "secrets"',
  'SELECT * FROM U&"s\\0065crets"',
  'SELECT * FROM public . secrets',
  'SELECT * FROM ONLY secrets',
  'SELECT * FROM ONLY (secrets)',
  'SELECT * FROM t JOIN ONLY secrets USING (id)',
  'SELECT * FROM t, ONLY secrets',
  "UPDATE ONLY secrets SET s = 'gone'",
  'DELETE FROM ONLY secrets',
  'DELETE FROM t USING ONLY secrets WHERE true RETURNING s',
  'SELECT * FROM "Secrets"',
  'TABLE secrets',
  'SELECT * FROM t, LATERAL (TABLE secrets) s',
  'WITH secrets AS (SELECT 1) SELECT * FROM public.secrets',
  "WITH secrets AS (SELECT 1) INSERT INTO secrets VALUES (99, 'new')",
  'WITH secrets AS (SELECT 1) DELETE FROM secrets',
  "WITH secrets AS (SELECT 1) UPDATE secrets SET s = 'new'",
  'WITH t AS (SELECT 1), x AS (DELETE FROM secrets) SELECT 1',
  "SELECT most_common_vals, histogram_bounds FROM pg_stats WHERE tablename = 'sec' || 'rets'",
  'SELECT stavalues1 FROM pg_statistic',
  'SELECT query FROM pg_stat_activity',
  'INSERT INTO t (a) SELECT s FROM secrets',
  'UPDATE t SET a = s FROM secrets',
  'DELETE FROM t USING secrets WHERE s > a RETURNING s',
  'SELECT CAST(s AS int) FROM secrets',
  'CREATE TABLE t2 (LIKE secrets)',
  "CREATE TABLE t3 PARTITION OF secrets FOR VALUES IN ('x')",
  'CREATE VIEW v2 AS TABLE secrets',
  'COMMENT ON TABLE secrets IS $$x$$',
  'SHOW server_version',
  'SELECT rolpassword FROM pg_authid',
];

/** @type {[any, string][]} */
const ORDINARY = [
  [
    {},
    "SELECT a, a::text, 1e5, 0.5, E'it\\'s' AS e, $$x$$ AS d, U&'\\0061' AS u, (ARRAY[1, 2])[1:2] FROM t WHERE a ~ '^o'",
  ],
  [{}, "SELECT '{\"a\":1}'::jsonb -> 'a' AS x, '{\"a\":1}'::jsonb ? 'a' AS y, '{\"a\":{}}'::jsonb #> '{a}' AS z"],
  [{}, "INSERT INTO t (a) VALUES ('x') ON CONFLICT DO NOTHING RETURNING id"],
  [{}, 'WITH gone AS (DELETE FROM t RETURNING *) SELECT count(*) FROM gone'],
  [{}, 'CREATE TEMP TABLE scratch ON COMMIT DROP AS SELECT * FROM t'],
  [{}, 'CREATE TABLE n (id serial PRIMARY KEY, t int REFERENCES t (id) ON DELETE CASCADE, owner text)'],
  [{}, 'CREATE SCHEMA extra'],
  [{}, "CREATE TYPE mood AS ENUM ('good', 'bad')"],
  [{}, 'ALTER TABLE t ADD COLUMN owner text'],
  [{}, 'SELECT erase()'],
  [{}, "SELECT nextval('counter')"],
  [{}, 'SELECT extract(year FROM now()), substring(a FROM 1 FOR 2), a IS DISTINCT FROM NULL FROM t'],
  [{ readOnly: true }, 'SELECT count(*) FROM t JOIN secrets USING (id)'],
  [{ deny: { verbs: ['delete'] } }, "UPDATE t SET a = 'x' RETURNING a"],
  [{ deny: { verbs: ['delete'] } }, 'SELECT count(*) FROM t'],
  [{ deny: { verbs: ['delete'] } }, 'SELECT peek() IS NULL AS empty'],
  [{ allow: { tables: ['t'] } }, 'UPDATE t SET a = twice(id)::text WHERE lower(a) = $$one$$'],
  [{ allow: { tables: ['t'] } }, 'SELECT * FROM ONLY t WHERE id IN (SELECT id FROM ONLY t) FETCH FIRST 5 ROWS ONLY'],
  [{ allow: { verbs: ['select', 'insert'] } }, "INSERT INTO t (a) SELECT 'x' FROM t RETURNING id"],
  [
    { allow: { tables: ['t'] } },
    "SELECT max(a) FROM public.t x WHERE a <> 'secrets' AND x.a > ANY (ARRAY['b']) -- secrets",
  ],
  [{ allow: { tables: ['t'] } }, 'WITH x AS (SELECT * FROM t) UPDATE t SET a = x.a FROM x WHERE x.id = t.id'],
  [{ allow: { tables: ['t'] } }, 'SHOW server_version'],
  [{ deny: { tables: ['secrets'] } }, "SELECT 'secrets' AS word, relname FROM pg_class WHERE relname = 't'"],
];

describe.skipIf(!hasServer('postgres'))('rules on PostgreSQL', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {pgPackage.Pool} */
  let pool;
  /** @type {pgPackage.Client} */
  let oracle;
  /** @type {any} */
  let other;

  beforeAll(async () => {
    server = await ownDatabase('postgres');
    const settings = server.settings;
    pool = new pgPackage.Pool({ ...settings, max: 1 });
    pool.on('error', () => {});
    oracle = new pgPackage.Client(settings);
    await oracle.connect();
    other = postgres({ ...settings, max: 1, onnotice: () => {} });
    await reset();
  });

  afterAll(async () => {
    await other?.end({ timeout: 1 });
    await pool?.end();
    await oracle?.end();
    await server?.stop();
  });

  const reset = () =>
    oracle.query(`DROP SCHEMA IF EXISTS s CASCADE; DROP SCHEMA IF EXISTS hidden CASCADE; DROP SCHEMA IF EXISTS public CASCADE;
      CREATE SCHEMA public;
      CREATE TABLE t (id serial PRIMARY KEY, a text);
      CREATE TABLE secrets (id int PRIMARY KEY, s text);
      CREATE SEQUENCE counter;
      INSERT INTO t (a) VALUES ('one'), ('two'), ('three');
      INSERT INTO secrets SELECT n, '${SECRET}' FROM generate_series(1, 20) n;
      CREATE FUNCTION erase() RETURNS int LANGUAGE sql AS $$ DELETE FROM t WHERE id = 1 RETURNING id $$;
      CREATE FUNCTION peek() RETURNS text STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT max(s) FROM secrets); END $$;
      CREATE FUNCTION described(t) RETURNS text STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT max(s) FROM secrets); END $$;
      CREATE FUNCTION twice(n int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT n * 2 $$;
      CREATE PROCEDURE p() LANGUAGE sql AS $$ DELETE FROM t $$;
      ANALYZE t, secrets`);

  const state = async () => {
    const { rows: tables } = await oracle.query(
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1",
    );
    /** @type {Record<string, string[]>} */
    const rows = {};
    for (const { relname } of tables) {
      const { rows: found } = await oracle.query(`SELECT * FROM public."${relname}" ORDER BY 1`);
      rows[relname] = found.map((row) => JSON.stringify(row));
    }
    const { rows: rest } = await oracle.query(`SELECT
      (SELECT string_agg(n.nspname || '.' || c.relname || c.relowner, ',' ORDER BY n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname NOT LIKE 'pg_%' AND n.nspname <> 'information_schema') AS relations,
      (SELECT string_agg(proname, ',' ORDER BY proname) FROM pg_proc WHERE pronamespace = 'public'::regnamespace) AS functions,
      (SELECT last_value FROM counter) AS counter, (SELECT count(*) FROM pg_largeobject_metadata) AS objects`);
    return { rows, rest: JSON.stringify(rest) };
  };

  it('no attempt makes a forbidden change or reveals the secret', async () => {
    expect(ATTEMPTS.length).toBeGreaterThan(60);
    const wrong = await violations(pool, ATTEMPTS, state, reset);
    expect(wrong).toEqual([]);
  });

  it('ordinary statements pass', async () => {
    expect(await refusedOrdinary(pool, ORDINARY)).toEqual([]);
  });

  it('a statement classified as a read cannot write, even if writing is allowed', async () => {
    const rules = [{ deny: { verbs: ['delete'] } }, { deny: { tables: ['secrets'] } }, { allow: { tables: ['t'] } }];
    for (const [source, options] of [pool, other].flatMap((each) => rules.map((rule) => [each, rule]))) {
      const { exec_sql } = createSqlTools(source, { ddl: true, .../** @type {any} */ (options) });
      // Rules for tables refuse the call, because the function may read any table.
      await expect(exec_sql.execute({ sql: 'SELECT erase()' })).rejects.toThrow(/read-only transaction|cannot be read/);
      expect(await exec_sql.execute({ sql: "INSERT INTO t (a) VALUES ('kept')" })).toEqual([{ affected: 1 }]);
      expect(await exec_sql.execute({ sql: "SELECT count(*) > 0 AS there FROM t WHERE a = 'kept'" })).toEqual([
        { there: true },
      ]);
    }
  });

  it('system tables cannot be changed: settings of the session, code and names', async () => {
    const { exec_sql } = createSqlTools(pool, { ddl: true });
    for (const sql of [
      "UPDATE pg_settings SET setting = 'evil' WHERE name = 'search_path'",
      "UPDATE pg_catalog.pg_settings SET setting = 'evil' WHERE name = 'search_path'",
      "UPDATE \"pg_settings\" SET setting = 'UTC' WHERE name = 'TimeZone'",
      'CREATE VIEW settings AS SELECT * FROM pg_settings',
      "UPDATE pg_proc SET prosrc = 'x' WHERE proname = 'erase'",
      "UPDATE pg_class SET relname = 'opened' WHERE relname = 'secrets'",
      "WITH c AS (UPDATE pg_settings SET setting = 'evil' WHERE name = 'search_path' RETURNING 1) SELECT * FROM c",
      'ALTER TABLE information_schema.sql_parts ADD COLUMN x int',
    ]) {
      await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
    expect(await exec_sql.execute({ sql: "SELECT count(*) AS n FROM pg_class WHERE relname = 'secrets'" })).toEqual([
      { n: 1 },
    ]);
  });

  it('settings that may hold secrets are not shown, others are', async () => {
    const client = new pgPackage.Pool({ ...server.settings, options: `-c app.key=${SECRET}` });
    try {
      const { exec_sql } = createSqlTools(client);
      for (const sql of [
        'SHOW app.key',
        'SHOW ALL',
        'SHOW primary_conninfo',
        "SELECT current_setting('app.key')",
        "SELECT current_setting('app' || '.key')",
        "SELECT ('app.key'::text).current_setting",
        'SELECT setting FROM pg_settings',
        'SELECT pg_show_all_settings()',
        'SELECT pg_show_all_file_settings()',
        "SELECT pg_get_functiondef('erase'::regproc)",
        'SELECT prosrc FROM pg_proc',
      ]) {
        await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
      }
      const open = "SELECT current_setting('search_path') AS path, current_setting('no_such', true) AS none";
      expect(await exec_sql.execute({ sql: open })).toEqual([{ path: '"$user", public', none: null }]);
      expect(await exec_sql.execute({ sql: 'SHOW standard_conforming_strings' })).toHaveLength(1);
    } finally {
      await client.end();
    }
  });

  it('a temporary table does not shadow a table for the next user of the connection', async () => {
    const { exec_sql } = createSqlTools(pool, { ddl: true });
    await exec_sql.execute({ sql: 'CREATE TEMP TABLE secrets ON COMMIT DROP AS SELECT 1 AS fake' });
    for (const sql of [
      'CREATE TEMP TABLE secrets (fake int)',
      'CREATE TABLE pg_temp.secrets (fake int)',
      'SELECT 1 INTO TEMP secrets',
      'CREATE TEMP VIEW secrets AS SELECT 1 AS fake',
    ]) {
      await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
    expect((await pool.query('SELECT * FROM secrets LIMIT 1')).rows[0]).toHaveProperty('s', SECRET);
  });

  it('statements classified as reads run in a read-only transaction', async () => {
    const rules = new SqlRules();
    let ran = 0;
    for (const sql of oddStatements(1_500)) {
      let judged;
      try {
        judged = await rules.judge(sql, [], 'postgres');
      } catch {
        continue;
      }
      if (judged.access !== 'read') continue;
      await oracle.query('BEGIN READ ONLY');
      const error = await oracle.query({ text: judged.sql, values: [], queryMode: 'extended' }).then(
        () => undefined,
        (/** @type {any} */ caught) => caught,
      );
      await oracle.query('ROLLBACK');
      expect(error?.code, sql).not.toBe('25006');
      if (!error) ran += 1;
    }
    expect(ran).toBeGreaterThan(20);
  });
});
