import pgPackage from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlTools } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { refusedOrdinary, SECRET } from '../helpers/rule_bench.js';
import { ownDatabase } from '../helpers/shared_servers.js';
import { sqlKernel } from '../helpers/sql_kernel.js';

/** Function bodies: one writes to `log`, the other reads `secrets`. */
const WRITES = `LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ('x'); RETURN (SELECT max(s) FROM secrets); END $$`;
const READS = 'STABLE LANGUAGE sql AS $$ SELECT max(s) FROM secrets $$';

const SCHEMA = `CREATE EXTENSION citext; CREATE EXTENSION pg_trgm; CREATE EXTENSION hstore; CREATE EXTENSION cube;
  CREATE TABLE t (id int, v text); INSERT INTO t VALUES (1, 'a'), (2, 'b');
  CREATE TABLE secrets (s text); INSERT INTO secrets VALUES ('${SECRET}'); CREATE TABLE log (m text);
  CREATE FUNCTION op_w(int, int) RETURNS text ${WRITES}; CREATE OPERATOR @@@@ (LEFTARG = int, RIGHTARG = int, FUNCTION = op_w);
  CREATE FUNCTION op_r(int, int) RETURNS text ${READS}; CREATE OPERATOR #+# (LEFTARG = int, RIGHTARG = int, FUNCTION = op_r);
  CREATE FUNCTION agg_w(text, text) RETURNS text ${WRITES}; CREATE AGGREGATE last_w(text) (SFUNC = agg_w, STYPE = text);
  CREATE FUNCTION agg_r(text, text) RETURNS text ${READS}; CREATE AGGREGATE last_r(text) (SFUNC = agg_r, STYPE = text);
  CREATE FUNCTION final_r(text) RETURNS text ${READS};
  CREATE AGGREGATE end_r(text) (SFUNC = textcat, STYPE = text, FINALFUNC = final_r);
  CREATE FUNCTION chk(text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ('x'); RETURN true; END $$;
  CREATE DOMAIN email AS text CHECK (chk(VALUE)); CREATE DOMAIN work_email AS email; CREATE TYPE contact AS (mail email);
  CREATE TABLE people (mail email); CREATE VIEW writing AS SELECT id, op_w(id, id) AS w FROM t;
  CREATE VIEW above AS SELECT * FROM writing`;

/** User-defined casts, which exist only during the test of them. */
const CASTS = `CREATE TYPE pair AS (a int);
  CREATE FUNCTION cast_w(pair) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ('x'); RETURN 1; END $$;
  CREATE CAST (pair AS int) WITH FUNCTION cast_w(pair);
  CREATE FUNCTION cast_r(pair) RETURNS text ${READS}; CREATE CAST (pair AS text) WITH FUNCTION cast_r(pair);
  CREATE TABLE pairs (p pair); INSERT INTO pairs VALUES (ROW(1))`;
const CAST_ATTEMPTS = [
  'SELECT ROW(1)::pair::text',
  'SELECT CAST(ROW(1)::pair AS text)',
  "INSERT INTO t VALUES (ROW(1)::pair::int + 9, 'x')",
  'INSERT INTO t SELECT int4(p) FROM pairs',
];

/** Statements over `t` that call a function of the owner without its name. */
const ATTEMPTS = [
  'SELECT last_w(v) FROM t',
  'SELECT last_r(v) FROM t',
  'SELECT end_r(v) FROM t',
  'SELECT public.last_r(v) OVER () FROM t',
  'SELECT id @@@@ id FROM t',
  'SELECT 1 #+# 2',
  'SELECT id OPERATOR(public.#+#) id FROM t',
  'UPDATE t SET v = id @@@@ id RETURNING v',
  'UPDATE t SET v = (SELECT last_w(v) FROM t) RETURNING v',
  'INSERT INTO t VALUES (8, 1 @@@@ 2) RETURNING v',
  'INSERT INTO t SELECT 9, last_w(v) FROM t',
  "INSERT INTO t VALUES (9, 'x'::email)",
  "INSERT INTO t VALUES (9, 'x'::public.work_email)",
  "INSERT INTO t VALUES (9, email 'x')",
  "INSERT INTO t VALUES (9, ('{x}'::email[])[1])",
  "INSERT INTO t VALUES (9, ('(x)'::contact)::text)",
  'INSERT INTO t SELECT 9, mail FROM json_to_record(\'{"mail":"x"}\') AS j(mail email)',
  "INSERT INTO people VALUES ('x')",
];

const ORDINARY = [
  'SELECT v, id + 1, id::text, CAST(id AS bigint) FROM t WHERE v = $$a$$ ORDER BY v',
  "SELECT 'A'::citext = 'a', 'word' % 'words', 'a=>1'::hstore -> 'a', '(1)'::cube @> '(1)'::cube FROM t",
  "UPDATE t SET v = ('a=>1'::hstore || 'b=>2'::hstore)::text WHERE v::citext = 'A'",
  "INSERT INTO t SELECT 9, count(*)::text || string_agg(v, ',') FROM t RETURNING id",
];

describe.skipIf(!hasServer('postgres'))('functions that a statement calls implicitly', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {pgPackage.Pool} */
  let pool;
  beforeAll(async () => {
    server = await ownDatabase('postgres');
    pool = new pgPackage.Pool(server.settings);
    await pool.query(SCHEMA);
  }, 120_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 60_000);
  const logged = async () => (await pool.query('SELECT count(*)::int AS n FROM log')).rows[0].n;

  /**
   * The violations of statements under rules.
   * @param {any} options
   * @param {string[]} attempts
   */
  const violationsOf = async (options, attempts) => {
    const { exec_sql } = createSqlTools(pool, options);
    /** @type {string[]} */
    const wrong = [];
    for (const sql of attempts) {
      const before = await logged();
      const answer = await exec_sql
        .execute({ sql })
        .then(JSON.stringify, (/** @type {Error} */ { message }) => message);
      if ((await logged()) !== before) wrong.push(`${sql} wrote`);
      // Rules for verbs hide no rows.
      if (!options.allow?.verbs && answer.includes(SECRET)) wrong.push(`${sql} revealed the secret`);
    }
    return wrong;
  };
  /** @type {[string, any][]} */
  const RULES = [
    ['allowed tables', { allow: { tables: ['t', 'people', 'pairs'] } }],
    ['a denied table', { deny: { tables: ['secrets'] } }],
    ['verbs', { allow: { verbs: ['select', 'insert', 'update'] } }],
  ];

  it.each(RULES)('are refused under rules: %s', async (_, options) => {
    expect(await violationsOf(options, ATTEMPTS)).toEqual([]);
  });

  it('are named in the refusal, with the operator, aggregate or type that calls them', async () => {
    const { exec_sql } = createSqlTools(pool, { allow: { tables: ['t'] } });
    for (const [sql, text] of [
      ['SELECT 1 #+# 2', /function 'op_r'.*operator '#\+#'.*IMMUTABLE/],
      ['SELECT last_r(v) FROM t', /function 'agg_r'.*aggregate 'last_r'/],
      ["SELECT 'x'::email", /function 'chk'.*type 'email'/],
    ]) {
      await expect(exec_sql.execute({ sql })).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
        message: expect.stringMatching(text),
      });
    }
  });

  it('are refused in explicit casts and in assignment casts', async () => {
    await pool.query(CASTS);
    try {
      for (const [name, options] of RULES) expect(await violationsOf(options, CAST_ATTEMPTS), name).toEqual([]);
      await pool.query('DROP CAST (pair AS int); CREATE CAST (pair AS int) WITH FUNCTION cast_w(pair) AS ASSIGNMENT');
      expect(await violationsOf({ deny: { verbs: ['delete'] } }, ['INSERT INTO t (id) SELECT p FROM pairs'])).toEqual(
        [],
      );
    } finally {
      await pool.query('DROP TYPE pair CASCADE');
    }
  });

  it('do not block built-in operators, extensions, immutable functions and defaults of a table', async () => {
    await pool.query(`BEGIN; CREATE TABLE own (id int DEFAULT length(op_w(1, 1)));
      CREATE FUNCTION twice(int, int) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT $1 + $2 * 2 $$;
      CREATE OPERATOR |+| (LEFTARG = int, RIGHTARG = int, FUNCTION = twice);
      CREATE AGGREGATE sum_twice(int) (SFUNC = twice, STYPE = int, INITCOND = 0); COMMIT`);
    const rules = [{ allow: { tables: ['t', 'own'] } }, { deny: { verbs: ['delete'] } }];
    const statements = [...ORDINARY, 'SELECT sum_twice(id |+| id) FROM t', 'INSERT INTO own DEFAULT VALUES'];
    const all = rules.flatMap((rule) => statements.map((sql) => /** @type {[any, string]} */ ([rule, sql])));
    expect(await refusedOrdinary(pool, all)).toEqual([]);
  });

  it.each([
    ['an operator', 'SELECT id @@@@ id FROM t'],
    ['an aggregate', 'SELECT last_w(v) FROM t'],
    ['a domain', "SELECT 'x'::email"],
    ['a view over a view', 'SELECT * FROM above'],
  ])('have their writes rolled back when the nested tool fails: %s', async (_, sql) => {
    const { kernel, forge } = await sqlKernel(pool);
    await forge(
      `export default async () => { await tgp.exec_sql(${JSON.stringify(sql)}); throw new Error('no'); };`,
      'tools/bad.ts',
    );
    await forge(
      `export default async () => {
        try { await tgp.exec_tool('tools/bad.ts', {}); } catch {}
        return tgp.exec_sql("UPDATE t SET v = 'after' WHERE id = 1");
      };`,
      'tools/outer.ts',
    );
    const before = await logged();
    await kernel.exec('tools/outer.ts', {});
    expect(await logged()).toBe(before);
  });
});
