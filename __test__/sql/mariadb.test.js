import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import makeKnex from 'knex';
import callbackMysql from 'mysql2';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlTools } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { ownDatabase } from '../helpers/shared_servers.js';
import { sqlKernel } from '../helpers/sql_kernel.js';

describe.skipIf(!hasServer('mariadb'))('MariaDB', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {mysql.Connection} */
  let oracle;
  /** @type {Record<string, any>} */
  const sources = {};
  /** @type {(() => unknown)[]} */
  const closing = [];

  beforeAll(async () => {
    server = await ownDatabase('mariadb');
    const { settings } = server;
    oracle = await mysql.createConnection(settings);
    await oracle.query('CREATE TABLE items (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(100)) ENGINE=InnoDB');
    await oracle.query(
      'CREATE TABLE kinds (big BIGINT, exact DECIMAL(10, 2), day DATE, moment DATETIME(3), bytes BLOB, text TEXT, real_ DOUBLE, item INT, FOREIGN KEY (item) REFERENCES items (id)) ENGINE=InnoDB',
    );
    const pool = mysql.createPool({ ...settings, connectionLimit: 5 });
    const callbacks = callbackMysql.createPool({ ...settings, connectionLimit: 5 });
    const instance = makeKnex({ client: 'mysql2', connection: settings, pool: { min: 0, max: 5 } });
    const single = await mysql.createConnection(settings);
    closing.push(
      () => pool.end(),
      () => new Promise((done) => callbacks.end(done)),
      () => instance.destroy(),
      () => single.end(),
      () => oracle.end(),
    );
    Object.assign(sources, {
      'pool with promises': pool,
      'pool with callbacks': callbacks,
      'one connection': single,
      drizzle: drizzleMysql(pool),
      knex: instance,
    });
  });

  afterAll(async () => {
    for (const close of closing) await close();
    await server?.stop();
  });

  const count = async () => /** @type {any} */ (await oracle.query('SELECT count(*) AS n FROM items'))[0][0].n;

  it.each(['pool with promises', 'pool with callbacks', 'one connection', 'drizzle', 'knex'])(
    '%s: is detected by its shape, commits, rolls back, and stops long statements',
    async (name) => {
      const before = await count();
      const { forge } = await sqlKernel(sources[name]);
      const run = await forge(
        "await tgp.exec_sql('INSERT INTO items (name) VALUES (:name)', { name: args.name }); const rows = await tgp.exec_sql('SELECT name FROM items WHERE name = ? LIMIT ?', [args.name, 1]); if (args.fail) throw new Error('no'); return rows;",
      );
      expect((await run({ name })).result).toEqual([{ name }]);
      await expect(run({ name, fail: true })).rejects.toThrow('no');
      const swallow = await forge(
        "await tgp.exec_sql(\"INSERT INTO items (name) VALUES ('s')\"); try { await tgp.exec_sql('SELECT * FROM missing') } catch {} return 1;",
      );
      await expect(swallow()).rejects.toMatchObject({ code: 'ERR_SQL' });
      const aborted = await forge(
        "await tgp.exec_sql(\"INSERT INTO items (name) VALUES ('a')\"); await tgp.exec_sql('SELECT sleep(60)');",
      );
      await expect(aborted({}, { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({ code: 'ERR_ABORTED' });
      expect(await count()).toBe(before + 1);
      const tools = createSqlTools(sources[name], { statementTimeoutMs: 200 });
      const started = performance.now();
      await expect(tools.exec_sql.execute({ sql: 'SELECT sleep(30)' })).rejects.toThrow(/timed out/);
      expect(performance.now() - started).toBeLessThan(10_000);
      const withDefaults = createSqlTools(sources[name]).exec_sql;
      expect(await withDefaults.execute({ sql: "UPDATE items SET name = 'y' WHERE false" })).toEqual([{ affected: 0 }]);
      const limited = createSqlTools(sources[name], { maxRows: 10 });
      await expect(limited.exec_sql.execute({ sql: 'SELECT seq FROM seq_1_to_100000' })).rejects.toThrow(/maxRows/);
      const readOnly = createSqlTools(sources[name], { readOnly: true });
      await expect(readOnly.exec_sql.execute({ sql: 'DELETE FROM items' })).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
      });
    },
  );

  it('a statement with an implicit commit is refused', async () => {
    const { exec_sql } = createSqlTools(sources['pool with promises']);
    for (const sql of [
      'CREATE TABLE x (a INT)',
      'TRUNCATE items',
      'ALTER TABLE items ADD x INT',
      'LOCK TABLES items WRITE',
      "SELECT 1 INTO OUTFILE '/tmp/x'",
      '/*! COMMIT */',
    ]) {
      await expect(exec_sql.execute({ sql }), sql).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
  });

  it('integers are sent as numbers in every context', async () => {
    for (const source of Object.values(sources)) {
      const { exec_sql } = createSqlTools(source);
      const sql =
        "SELECT ? AS n, COALESCE(NULL, ?) AS other, JSON_TYPE(JSON_EXTRACT(JSON_OBJECT('n', ?), '$.n')) AS type";
      // The second time the driver has the statement prepared.
      for (const n of [5, 6]) {
        const [row] = await exec_sql.execute({ sql, params: [n, -7, 2 ** 40] });
        expect(row).toEqual({ n, other: -7, type: 'INTEGER' });
      }
      // Beyond 64 bits there is only text.
      const [large] = await exec_sql.execute({ sql: 'SELECT ? AS n', params: [2n ** 70n] });
      expect(large).toEqual({ n: (2n ** 70n).toString() });
    }
  });

  it('values survive a round trip', async () => {
    const { exec_sql } = createSqlTools(sources['pool with promises']);
    await exec_sql.execute({
      sql: 'INSERT INTO kinds (big, exact, day, moment, bytes, text, real_) VALUES (?, ?, ?, ?, ?, ?, ?)',
      params: [2n ** 62n, '12.50', '2024-02-29', new Date(1_500), new Uint8Array([0, 255, 7]), 'é', 0.25],
    });
    expect(await exec_sql.execute({ sql: 'SELECT * FROM kinds' })).toEqual([
      {
        big: (2n ** 62n).toString(),
        exact: '12.50',
        day: '2024-02-29',
        moment: '1970-01-01T00:00:01.500',
        bytes: { $base64: 'AP8H' },
        text: 'é',
        real_: 0.25,
        item: null,
      },
    ]);
    expect(await exec_sql.execute({ sql: 'SELECT count(*) AS n, NULL AS nothing FROM kinds' })).toEqual([
      { n: 1, nothing: null },
    ]);
  });

  it('describe_schema reads the catalogue', async () => {
    const { describe_schema } = createSqlTools(sources['pool with promises']);
    const { tables } = await describe_schema.execute({});
    expect(tables.map(({ name }) => name)).toEqual(['items', 'kinds']);
    expect(tables[0]?.columns[0]).toEqual({ name: 'id', type: 'int(11)', nullable: false, primaryKey: true });
    expect(tables[1]?.foreignKeys).toEqual([{ column: 'item', references: 'items.id' }]);
  });
});
