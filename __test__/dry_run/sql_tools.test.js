import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import mysql from 'mysql2/promise';
import pgPackage from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createSqlTools, executor, sqlite } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { ownDatabase } from '../helpers/shared_servers.js';
import { tempRoot } from '../helpers/temp_root.js';

/** A file with three rows, and direct access to it without the tools. */
async function database() {
  const file = join(await tempRoot(), 'test.db');
  const direct = new BetterSqlite3(file);
  direct.exec(
    "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO items (name) VALUES ('a'), ('b'), ('c')",
  );
  const source = sqlite({ file });
  onTestFinished(async () => {
    direct.close();
    await source.close?.();
  });
  return { source, direct, rows: () => direct.prepare('SELECT * FROM items ORDER BY id').all() };
}

it('exec_sql: the statement is run and rolled back, and reported with its effect', async () => {
  const { source, rows } = await database();
  const { exec_sql } = createSqlTools(source, { ddl: true });
  const before = rows();
  for (const [sql, params] of /** @type {[string, any[]][]} */ ([
    ['UPDATE items SET name = ? WHERE id > ?', ['x', 1]],
    ['DELETE FROM items', []],
    ["INSERT INTO items (name) VALUES ('d') RETURNING id", []],
    ['UPDATE items SET name = name WHERE id = -1', []],
    ['DROP TABLE items', []],
  ])) {
    const preview = await exec_sql.execute({ sql, params }, { dryRun: true });
    expect(preview, sql).toMatchObject({ dryRun: true, diffs: [], requests: [], calls: [], sql: [{ sql }] });
    expect(preview.text).toContain('rolled back');
    expect(await exec_sql.execute({ sql, params }, { dryRun: true })).toEqual(preview);
    expect(rows(), sql).toEqual(before);
  }
  const sql = "UPDATE items SET name = 'x' WHERE id > 1";
  const preview = await exec_sql.execute({ sql }, { dryRun: true });
  expect(preview.result).toEqual(await exec_sql.execute({ sql }));
  expect(preview.sql[0]?.affected).toBe(2);
  expect(rows()).not.toEqual(before);
});

it('exec_sql: a query returns its rows, and no statement is listed', async () => {
  const { source } = await database();
  const { exec_sql } = createSqlTools(source);
  const preview = await exec_sql.execute({ sql: 'SELECT name FROM items WHERE id = 1' }, { dryRun: true });
  expect(preview).toMatchObject({ result: [{ name: 'a' }], sql: [] });
});

it('exec_sql: a statement that fails has the same error without dryRun', async () => {
  const { source } = await database();
  const { exec_sql } = createSqlTools(source, { deny: { verbs: ['delete'] } });
  for (const sql of ['DELETE FROM items', 'COMMIT', 'SELECT * FROM nothing', 'UPDATE items SET']) {
    const refusal = await exec_sql.execute({ sql }, { dryRun: true }).catch((/** @type {any} */ error) => error);
    const real = await exec_sql.execute({ sql }).catch((/** @type {any} */ error) => error);
    expect(refusal, sql).toBeInstanceOf(Error);
    expect({ code: refusal.code, message: refusal.message }).toEqual({ code: real.code, message: real.message });
  }
});

it('the dryRun option of createSqlTools returns the number of affected rows', async () => {
  const { source, rows } = await database();
  const before = rows();
  const { exec_sql } = createSqlTools(source, { dryRun: true });
  expect(await exec_sql.execute({ sql: 'DELETE FROM items' })).toEqual({
    dryRun: true,
    affected: 3,
    rows: [{ affected: 3 }],
  });
  expect(rows()).toEqual(before);
});

it('a dry run refuses to write to a database without transactions', async () => {
  /** @type {string[]} */
  const sent = [];
  const plain = async (/** @type {string} */ sql) => {
    sent.push(sql);
    return [{ n: 1 }];
  };
  for (const source of [plain, executor(plain, { transactional: true, dialect: 'sqlite' })]) {
    sent.length = 0;
    const { exec_sql } = createSqlTools(source);
    await expect(exec_sql.execute({ sql: 'DELETE FROM items' }, { dryRun: true })).rejects.toThrow(/no transaction/);
    expect(sent.filter((sql) => sql.includes('DELETE'))).toEqual([]);
    expect(await exec_sql.execute({ sql: 'SELECT 1 AS n' }, { dryRun: true })).toMatchObject({ result: [{ n: 1 }] });
    const { kernel } = await createKernel({}, { sql: source });
    const run = kernel.run("return tgp.exec_sql('UPDATE items SET name = 1');", {}, { dryRun: true });
    await expect(run).rejects.toThrow(/no transaction/);
    expect(sent.filter((sql) => sql.includes('UPDATE'))).toEqual([]);
  }
});

it('a failed statement that the tool swallowed fails the preview and the run', async () => {
  const { source, rows } = await database();
  const before = rows();
  const { kernel } = await createKernel({}, { sql: source });
  const code =
    "await tgp.exec_sql('DELETE FROM items'); try { await tgp.exec_sql('SELECT * FROM nothing'); } catch { return 1; }";
  const refusal = await kernel.run(code, {}, { dryRun: true }).catch((error) => error);
  const real = await kernel.run(code).catch((error) => error);
  expect(refusal).toBeInstanceOf(Error);
  expect({ code: refusal.code, message: refusal.message }).toEqual({ code: real.code, message: real.message });
  expect(rows()).toEqual(before);
});

it('the SQL tools of a kernel: the ledger marks a dry run', async () => {
  const { source, rows } = await database();
  const before = rows();
  const { kernel } = await createKernel({}, { sql: source });
  await kernel.boot();
  const { exec_sql } = createSqlTools(kernel);
  await exec_sql.execute({ sql: 'DELETE FROM items' }, { dryRun: true });
  expect(rows()).toEqual(before);
  const [call] = await kernel.ledger.tail({ type: 'CALL', tool: 'exec_sql' });
  expect(call).toMatchObject({ dryRun: true, effect: 'sql' });
});

it('a schema change is refused for an unknown database, which may commit it', async () => {
  /** @type {string[]} */
  const sent = [];
  const query = async (/** @type {string} */ sql) => {
    sent.push(sql);
    return [];
  };
  const source = { query, transaction: async (/** @type {any} */ work) => work(query) };
  const { exec_sql } = createSqlTools(/** @type {any} */ (source), { ddl: true });
  await expect(exec_sql.execute({ sql: 'CREATE TABLE a (id INT)' }, { dryRun: true })).rejects.toThrow(/may commit/);
  expect(sent).toEqual([]);
});

it.skipIf(!hasServer('postgres'))(
  'a query that calls a function that may write is listed',
  async () => {
    const server = await ownDatabase('postgres');
    const pool = new pgPackage.Pool(server.settings);
    pool.on('error', () => {});
    try {
      await pool.query(`CREATE TABLE log (n int); CREATE FUNCTION note(int) RETURNS int LANGUAGE sql
      AS $$ INSERT INTO log VALUES ($1) RETURNING n $$; CREATE OPERATOR @@@@ (LEFTARG = int, RIGHTARG = int, FUNCTION = int4pl);
      CREATE FUNCTION twice(int, int) RETURNS int LANGUAGE sql AS $$ SELECT note($1) $$;
      CREATE OPERATOR #@# (LEFTARG = int, RIGHTARG = int, FUNCTION = twice);
      CREATE FUNCTION peek() RETURNS bigint STABLE LANGUAGE sql AS $$ SELECT count(*) FROM log $$`);
      const { exec_sql } = createSqlTools(pool);
      const { kernel } = await createKernel({}, { sql: pool });
      const run = (/** @type {string} */ sql) =>
        kernel.run(`return tgp.exec_sql(${JSON.stringify(sql)});`, {}, { dryRun: true });
      for (const sql of ['SELECT note(1) AS n', 'SELECT 1 #@# 2 AS n']) {
        for (const preview of [await exec_sql.execute({ sql }, { dryRun: true }), await run(sql)]) {
          expect(preview, sql).toMatchObject({ result: [{ n: 1 }], sql: [{ sql, mayWrite: true }] });
          expect(preview.text).toContain(`${sql} (calls a function that may write)`);
          expect(preview.text).not.toContain('would change nothing');
        }
      }
      for (const sql of ['SELECT peek() AS n', 'SELECT count(*) AS n FROM log']) {
        for (const preview of [await exec_sql.execute({ sql }, { dryRun: true }), await run(sql)])
          expect(preview, sql).toMatchObject({ result: [{ n: 0 }], sql: [] });
      }
    } finally {
      await pool.end();
      await server.stop();
    }
  },
  60_000,
);

it.skipIf(!hasServer('mariadb'))('a schema change is refused for MariaDB, which commits it', async () => {
  const server = await ownDatabase('mariadb');
  const direct = await mysql.createConnection(server.settings);
  await direct.query('CREATE TABLE items (id INT PRIMARY KEY)');
  await direct.query('INSERT INTO items VALUES (1), (2)');
  const pool = mysql.createPool({ ...server.settings, connectionLimit: 2 });
  onTestFinished(async () => {
    await pool.end();
    await direct.end();
    await server.stop();
  });
  const { kernel } = await createKernel({}, { sql: { source: pool, ddl: true } });
  const code = (/** @type {string} */ sql) =>
    `await tgp.exec_sql('DELETE FROM items WHERE id = 1'); await tgp.exec_sql('${sql}');`;
  for (const sql of ['TRUNCATE TABLE items', 'CREATE TABLE more (id INT)', 'ALTER TABLE items ADD name TEXT']) {
    await expect(kernel.run(code(sql), {}, { dryRun: true }), sql).rejects.toThrow(/MySQL commits at/);
    const [rows] = await direct.query('SELECT * FROM items ORDER BY id');
    expect(rows).toEqual([{ id: 1 }, { id: 2 }]);
  }
});
