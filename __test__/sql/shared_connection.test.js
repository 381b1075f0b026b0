import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import mysql from 'mysql2/promise';
import pgPackage from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSqlTools, postgresJs } from '../../index.js';
import { hasServer, startServer } from '../../tools/database_server.mjs';
import { ownDatabase } from '../helpers/shared_servers.js';

const WIDE = 12_000_000;

describe.skipIf(!hasServer('postgres'))('PostgreSQL: limits apply only to statements of tools', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {any} */
  let where;
  beforeAll(async () => {
    server = await ownDatabase('postgres');
    where = server.settings;
  });
  afterAll(() => server?.stop(), 60_000);

  it("one client of pg: the application's own rows are complete before, between and after those of tools", async () => {
    const client = new pgPackage.Client(where);
    await client.connect();
    onTestFinished(() => client.end());
    const { exec_sql } = createSqlTools(client, { maxBytes: 1_000 });
    const own = () => client.query(`SELECT repeat('x', ${WIDE}) AS x`).then(({ rows }) => rows[0].x.length);
    const tools = () =>
      exec_sql
        .execute({ sql: `SELECT repeat('x', ${WIDE}) AS x` })
        .catch((/** @type {any} */ error) => error.details.reason);
    expect(await Promise.all([own(), tools(), own(), tools(), own()])).toEqual([
      WIDE,
      'maxBytes',
      WIDE,
      'maxBytes',
      WIDE,
    ]);
    // A statement of a tool while a message is half read.
    const { stream } = /** @type {any} */ (client).connection;
    const half = new Promise((done) => stream.once('data', done));
    const reading = own();
    await half;
    expect(await Promise.all([reading, tools(), own()])).toEqual([WIDE, 'maxBytes', WIDE]);
    // The adapter leaves nothing on the socket.
    expect(Object.hasOwn(stream, 'emit')).toBe(false);
    expect(client.listenerCount('error')).toBe(0);
  });

  it('a pool of pg with a query_timeout: an error of the database is reported', async () => {
    const pool = new pgPackage.Pool({ ...where, query_timeout: 20_000 });
    onTestFinished(() => pool.end());
    const { exec_sql } = createSqlTools(pool);
    await expect(exec_sql.execute({ sql: 'SELECT nothing' })).rejects.toThrow(/"nothing" does not exist/);
    expect(await exec_sql.execute({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
  });

  it('a pool of pg with a query_timeout: rows that arrive after it are still limited, and no timer is left', async () => {
    /** The timers of the driver. @type {any[]} */
    const timers = [];
    const { setTimeout: set } = globalThis;
    const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(
      /** @type {any} */ (
        (/** @type {any} */ work, /** @type {any} */ ms, /** @type {any[]} */ ...rest) => {
          const timer = set(work, ms, ...rest);
          if (ms === 300) timers.push(timer);
          return timer;
        }
      ),
    );
    onTestFinished(() => spy.mockRestore());
    const pool = new pgPackage.Pool({ ...where, query_timeout: 300 });
    onTestFinished(() => pool.end());
    const { exec_sql } = createSqlTools(pool);
    const late = "SELECT pg_sleep(0.8), repeat('x', 30000000) AS x";
    await expect(exec_sql.execute({ sql: late })).rejects.toMatchObject({ details: { reason: 'maxBytes' } });
    expect(await exec_sql.execute({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
    expect(timers.length).toBeGreaterThan(0);
    expect(timers.filter((timer) => !timer._destroyed)).toEqual([]);
  });

  it('a statement that reserves a connection of postgres.js and fails releases it', async () => {
    const sql = postgres({ ...where, max: 1, onnotice: () => {} });
    onTestFinished(() => sql.end({ timeout: 1 }));
    const { exec_sql } = createSqlTools(sql);
    await sql.unsafe('SET statement_timeout = 300');
    const { pid } = /** @type {any} */ ((await sql.unsafe('SELECT pg_backend_pid() AS pid'))[0]);
    // As a late cancel request of another client would.
    const other = new pgPackage.Client(where);
    await other.connect();
    onTestFinished(() => other.end());
    const stopping = setInterval(() => other.query('SELECT pg_cancel_backend($1)', [pid]).catch(() => {}), 1);
    for (let round = 0; round < 300; round += 1) await exec_sql.execute({ sql: 'SELECT 1 AS one' }).catch(() => {});
    clearInterval(stopping);
    await other.query('SELECT 1');
    expect([...(await sql.unsafe('SELECT 1 AS one').catch(() => sql.unsafe('SELECT 1 AS one')))]).toEqual([{ one: 1 }]);
  });

  it('a commit that the database refuses leaks no connection of postgres.js', async () => {
    const sql = postgres({ ...where, max: 1, onnotice: () => {} });
    onTestFinished(() => sql.end({ timeout: 1 }));
    await sql.unsafe('CREATE TABLE owners (id int PRIMARY KEY)');
    await sql.unsafe('CREATE TABLE things (owner int REFERENCES owners (id) DEFERRABLE INITIALLY DEFERRED)');
    const { exec_sql } = createSqlTools(sql);
    for (let round = 0; round < 3; round += 1) {
      await expect(exec_sql.execute({ sql: 'INSERT INTO things VALUES (1)' })).rejects.toThrow(/foreign key/);
      expect(await exec_sql.execute({ sql: 'SELECT count(*) AS n FROM things' })).toEqual([{ n: 0 }]);
      expect([...(await sql.unsafe('SELECT 1 AS one'))]).toEqual([{ one: 1 }]);
    }
  });

  it('postgres.js without fetch_types: many statements at once over two connections', async () => {
    const sql = postgres({ ...where, max: 2, fetch_types: false, onnotice: () => {} });
    onTestFinished(() => sql.end({ timeout: 1 }));
    const { exec_sql } = createSqlTools(sql);
    const calls = Array.from({ length: 30 }, (_, index) =>
      index % 3 === 2
        ? sql.unsafe(`SELECT ${index} AS n`).then(([row]) => row?.n)
        : exec_sql.execute({ sql: `SELECT ${index} AS n` }).then((/** @type {any[]} */ [row]) => row.n),
    );
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 30 }, (_, index) => index));
  });

  it('postgres.js over a custom socket is refused without unmetered: true', async () => {
    const socket = async () => {
      const inner = connect(server.port, '127.0.0.1');
      await new Promise((done) => inner.once('connect', done));
      const outer = new Duplex({
        read: () => inner.resume(),
        write: (chunk, _encoding, done) => inner.write(chunk, done),
        final: (done) => inner.end(done),
      });
      // Later and in pieces, as a tunnel would.
      inner.on('data', (chunk) => setImmediate(() => outer.push(chunk)));
      inner.on('close', () => outer.destroy());
      return outer;
    };
    const sql = postgres(/** @type {any} */ ({ ...where, max: 1, socket }));
    onTestFinished(() => sql.end({ timeout: 1 }));
    const statement = { sql: 'SELECT 1 AS one' };
    await expect(createSqlTools(sql).exec_sql.execute(statement)).rejects.toMatchObject({
      code: 'ERR_SQL',
      details: { reason: 'unmetered' },
    });
    const trusting = createSqlTools(postgresJs(sql, { unmetered: true }));
    expect(await trusting.exec_sql.execute(statement)).toEqual([{ one: 1 }]);
  });

  it('parameters nested too deep are refused by name', async () => {
    const pool = new pgPackage.Pool(where);
    onTestFinished(() => pool.end());
    /** @type {unknown} */
    let deep = 1;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    const call = createSqlTools(pool).exec_sql.execute({ sql: 'SELECT $1::json AS j', params: [deep] });
    await expect(call).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
  });
});

describe.skipIf(!hasServer('mariadb'))('MariaDB: limits apply only to statements of tools', () => {
  /** @type {import('../../tools/database_server.mjs').Server} */
  let server;
  /** @type {mysql.Connection} */
  let connection;
  beforeAll(async () => {
    // A server of its own: a test counts the prepared statements of the whole server.
    server = await startServer('mariadb');
    connection = await mysql.createConnection({ host: '127.0.0.1', port: server.port, user: 'root' });
  });
  afterAll(async () => {
    await connection?.end();
    await server?.stop();
  });

  it("one connection: the application's own rows are complete before, between and after those of tools", async () => {
    const { exec_sql } = createSqlTools(connection, { maxBytes: 1_000 });
    const own = () =>
      connection.query(`SELECT repeat('x', ${WIDE}) AS x`).then(([rows]) => /** @type {any} */ (rows)[0].x.length);
    const tools = () =>
      exec_sql
        .execute({ sql: `SELECT repeat('x', ${WIDE}) AS x` })
        .catch((/** @type {any} */ error) => error.details.reason);
    expect(await Promise.all([own(), tools(), own(), tools(), own()])).toEqual([
      WIDE,
      'maxBytes',
      WIDE,
      'maxBytes',
      WIDE,
    ]);
    // A statement of a tool while a packet is half read.
    const { stream } = /** @type {any} */ (connection).connection;
    const half = new Promise((done) => stream.once('data', done));
    const reading = own();
    await half;
    expect(await Promise.all([reading, tools(), own()])).toEqual([WIDE, 'maxBytes', WIDE]);
  });

  it('the number of prepared statements is bounded', async () => {
    const { exec_sql } = createSqlTools(connection);
    for (let index = 0; index < 100; index += 1) {
      const sql = index % 2 === 0 ? `SELECT ${index} AS n` : `SELECT ${index} AS n /* ${'x'.repeat(5_000)} */`;
      expect(await exec_sql.execute({ sql })).toEqual([{ n: index }]);
    }
    const [rows] = await connection.query("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'");
    expect(Number(/** @type {any} */ (rows)[0].Value)).toBeLessThanOrEqual(40);
  });
});
