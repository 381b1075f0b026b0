import { spawn } from 'node:child_process';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import makeKnex from 'knex';
import pgPackage from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlTools, drizzle, knex, pg, postgresJs } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { allOrNothing } from '../helpers/all_or_nothing.js';
import { ownDatabase } from '../helpers/shared_servers.js';
import { sqlKernel, wait } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const INDEX = new URL('../../index.js', import.meta.url).href;
const PG = import.meta.resolve?.('pg') ?? 'pg';

describe.skipIf(!hasServer('postgres'))('PostgreSQL', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {pgPackage.Pool} */
  let oracle;
  /** @type {Record<string, any>} */
  const sources = {};
  /** @type {(() => unknown)[]} */
  const closing = [];

  /** @param {number} [max] */
  const pool = (max = 10) => {
    const made = new pgPackage.Pool({ ...server.settings, max });
    made.on('error', () => {});
    closing.push(() => made.end());
    return made;
  };

  beforeAll(async () => {
    server = await ownDatabase('postgres');
    oracle = pool(2);
    await oracle.query('CREATE TABLE items (id serial PRIMARY KEY, name text)');
    await oracle.query(
      'CREATE TABLE accounts (id int PRIMARY KEY, balance numeric(12, 2) NOT NULL DEFAULT 0 CHECK (balance >= 0))',
    );
    await oracle.query(
      'CREATE TABLE deferred (id int, other int REFERENCES accounts (id) DEFERRABLE INITIALLY DEFERRED)',
    );
    sources.pg = pool();
    sources['postgres.js'] = postgres({ ...server.settings, max: 5, onnotice: () => {} });
    closing.push(() => sources['postgres.js'].end({ timeout: 1 }));
    sources['drizzle over pg'] = drizzlePg(pool());
    sources['drizzle over postgres.js'] = drizzlePostgresJs(sources['postgres.js']);
    const instance = makeKnex({
      client: 'pg',
      connection: server.settings,
      pool: { min: 0, max: 5 },
    });
    closing.push(() => instance.destroy());
    sources.knex = instance;
    const client = new pgPackage.Client(server.settings);
    await client.connect();
    closing.push(() => client.end());
    sources['one client of pg'] = client;
  });

  afterAll(async () => {
    for (const close of closing) await close();
    await server?.stop();
  });

  const count = async () => Number((await oracle.query('SELECT count(*) AS n FROM items')).rows[0].n);

  describe('SQL is all or nothing', () => {
    allOrNothing(() => ({
      sql: sources.pg,
      count,
      // Any lock on the table that is left makes it fail at once.
      write: async () => {
        await oracle.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE NOWAIT; ROLLBACK');
      },
      slow: 'SELECT pg_sleep(60)',
    }));

    it('a COMMIT that the database refuses is an error of the run', async () => {
      const { forge } = await sqlKernel(sources.pg);
      const run = await forge("await tgp.exec_sql('INSERT INTO deferred VALUES (1, 999)'); return 'fine';");
      await expect(run()).rejects.toMatchObject({ code: 'ERR_SQL', message: expect.stringContaining('foreign key') });
      expect((await oracle.query('SELECT count(*) AS n FROM deferred')).rows[0].n).toBe('0');
    });

    it.each(['SIGTERM', 'SIGKILL'])(
      '%s to the host while a statement runs: the server ends it and rolls back',
      async (signal) => {
        const before = await count();
        const root = await tempRoot();
        const program = `
        const { TGP, tgpTools } = await import(${JSON.stringify(INDEX)});
        const { default: pg } = await import(${JSON.stringify(PG)});
        const sql = new pg.Pool(${JSON.stringify(server.settings)});
        const kernel = new TGP({ config: { rootDir: ${JSON.stringify(root)} }, sql });
        const content = "await tgp.exec_sql(\\"INSERT INTO items (name) VALUES ('doomed')\\"); console.log('in'); await tgp.exec_sql('SELECT pg_sleep(60)')";
        await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content });
        await kernel.exec('tools/t.ts', {}, { wallMs: 60000 });
      `;
        const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
        const sleeping = async () =>
          (
            await oracle.query(
              "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND state = 'active' AND datname = current_database() AND pid <> pg_backend_pid()",
            )
          ).rows.length;
        while ((await sleeping()) === 0) await wait(50);
        child.kill(/** @type {NodeJS.Signals} */ (signal));
        const killed = performance.now();
        while ((await sleeping()) > 0) await wait(50);
        expect(performance.now() - killed).toBeLessThan(5_000);
        expect(await count()).toBe(before);
        await oracle.query('BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE NOWAIT; ROLLBACK');
      },
    );

    it('leaves no backend busy or in a transaction', async () => {
      const { rows } = await oracle.query(
        "SELECT state, query FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'",
      );
      expect(rows).toEqual([]);
    });
  });

  describe('every driver', () => {
    const names = ['pg', 'postgres.js', 'drizzle over pg', 'drizzle over postgres.js', 'knex', 'one client of pg'];

    it.each(names)('%s: is detected by its shape, commits, rolls back, and accepts parameters', async (name) => {
      const before = await count();
      const { forge } = await sqlKernel(sources[name]);
      const run = await forge(
        "const [{ id }] = await tgp.exec_sql('INSERT INTO items (name) VALUES (:name) RETURNING id', { name: args.name }); const rows = await tgp.exec_sql('SELECT name FROM items WHERE id = $1 AND name = $2', [id, args.name]); if (args.fail) throw new Error('no'); return rows;",
      );
      expect((await run({ name: 'x' })).result).toEqual([{ name: 'x' }]);
      await expect(run({ name: 'x', fail: true })).rejects.toThrow('no');
      expect(await count()).toBe(before + 1);
      const tools = createSqlTools(sources[name], { statementTimeoutMs: 200 });
      const withDefaults = createSqlTools(sources[name]).exec_sql;
      expect(await withDefaults.execute({ sql: "UPDATE items SET name = 'y' WHERE false" })).toEqual([{ affected: 0 }]);
      const all = before + 1;
      expect(await withDefaults.execute({ sql: 'UPDATE items SET name = name' })).toEqual([{ affected: all }]);
      const dry = createSqlTools(sources[name], { dryRun: true });
      expect(await dry.exec_sql.execute({ sql: 'DELETE FROM items' })).toMatchObject({ affected: all });
      const started = performance.now();
      await expect(tools.exec_sql.execute({ sql: 'SELECT pg_sleep(30)' })).rejects.toMatchObject({ code: 'ERR_SQL' });
      expect(performance.now() - started).toBeLessThan(10_000);
      const limited = createSqlTools(sources[name], { maxRows: 10 });
      await expect(limited.exec_sql.execute({ sql: 'SELECT * FROM generate_series(1, 1000000)' })).rejects.toThrow(
        /maxRows/,
      );
      expect(await limited.exec_sql.execute({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
      const readOnly = createSqlTools(sources[name], { readOnly: true });
      await expect(readOnly.exec_sql.execute({ sql: "SELECT nextval('items_id_seq')" })).rejects.toMatchObject({
        code: 'ERR_SQL',
      });
    });

    it.each(['pg', 'postgres.js', 'knex'])('%s: values are converted the same way', async (name) => {
      const { exec_sql } = createSqlTools(sources[name]);
      const [row] = await exec_sql.execute({
        sql: `SELECT count(*) AS count, 9223372036854775807::int8 AS big, 1.50::numeric(5,2) AS exact, 0.5::float8 AS half,
          'NaN'::float8 AS nan, 'Infinity'::float8 AS inf, true AS yes, NULL AS nothing, '2024-02-29'::date AS day,
          '2024-02-29 13:14:15.5'::timestamp AS local, '2024-02-29 13:14:15.5+02'::timestamptz AS instant,
          '{"a":[1,null]}'::jsonb AS json, ARRAY[1,NULL,3] AS ints, ARRAY['a"b','c,d','NULL',NULL] AS texts,
          ARRAY[[1,2],[3,4]] AS grid, ARRAY[]::text[] AS none, '\\x00ff07'::bytea AS bytes,
          'c0ffee00-0000-4000-8000-000000000000'::uuid AS id, '1 day'::interval AS span FROM items WHERE false`,
      });
      expect(row).toEqual({
        count: 0,
        big: '9223372036854775807',
        exact: '1.50',
        half: 0.5,
        nan: 'NaN',
        inf: 'Infinity',
        yes: true,
        nothing: null,
        day: '2024-02-29',
        local: '2024-02-29T13:14:15.5',
        instant: '2024-02-29T11:14:15.500Z',
        json: { a: [1, null] },
        ints: [1, null, 3],
        texts: ['a"b', 'c,d', 'NULL', null],
        grid: [
          [1, 2],
          [3, 4],
        ],
        none: [],
        bytes: { $base64: 'AP8H' },
        id: 'c0ffee00-0000-4000-8000-000000000000',
        span: '1 day',
      });
      const [back] = await exec_sql.execute({
        sql: `SELECT $1::int8 AS big, $2::bytea AS bytes, $3::timestamptz AS instant, $4::jsonb AS json, $5::int[] AS list,
          $6::text AS text, $7::bool AS yes, $8::float8 AS real, $9::text AS nothing, $10::numeric AS exact`,
        params: [
          2n ** 62n,
          new Uint8Array([0, 255, 7]),
          new Date(0),
          { a: 1 },
          [1, 2],
          "it's",
          true,
          0.25,
          null,
          '12.340',
        ],
      });
      expect(back).toEqual({
        big: (2n ** 62n).toString(),
        bytes: { $base64: 'AP8H' },
        instant: '1970-01-01T00:00:00.000Z',
        json: { a: 1 },
        list: [1, 2],
        text: "it's",
        yes: true,
        real: 0.25,
        nothing: null,
        exact: '12.340',
      });
    });
  });

  it('the protocol accepts a single statement even if the tokeniser misses a second one', async () => {
    for (const source of [sources.pg, sources['postgres.js']]) {
      const { exec_sql } = createSqlTools(source);
      await expect(exec_sql.execute({ sql: 'SELECT 1; SELECT 2' })).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
      });
      await expect(exec_sql.execute({ sql: 'SET statement_timeout = 0' })).rejects.toThrow(
        /SET is not available to tools/,
      );
      await expect(exec_sql.execute({ sql: "SELECT pg_read_file('/etc/passwd')" })).rejects.toThrow(/pg_read_file/);
    }
    expect([
      pg(sources.pg),
      postgresJs(sources['postgres.js']),
      knex(sources.knex),
      drizzle(sources['drizzle over pg']),
    ]).toMatchObject(Array(4).fill({ dialect: 'postgres' }));
  });

  it('describe_schema reads the catalogue', async () => {
    const { describe_schema } = createSqlTools(sources.pg);
    const { tables } = await describe_schema.execute({ table: 'deferred' });
    expect(tables).toMatchObject([
      {
        name: 'deferred',
        kind: 'table',
        columns: [
          { name: 'id', type: 'integer', nullable: true },
          { name: 'other', type: 'integer', nullable: true },
        ],
        foreignKeys: [{ column: 'other', references: 'accounts.id' }],
      },
    ]);
    const accounts = await describe_schema.execute({ table: 'accounts' });
    expect(accounts.tables[0]?.columns[0]).toEqual({ name: 'id', type: 'integer', nullable: false, primaryKey: true });
  });

  it('a pool of one connection is enough, also to stop a statement', async () => {
    const single = pool(1);
    const { forge } = await sqlKernel(single);
    const run = await forge("await tgp.exec_sql('SELECT pg_sleep(60)')");
    await expect(run({}, { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    expect(await createSqlTools(single).exec_sql.execute({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
  });
});
