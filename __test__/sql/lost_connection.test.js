import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import mysql from 'mysql2/promise';
import pgPackage from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasServer, startServer } from '../../tools/database_server.mjs';
import { runAttacks } from '../helpers/run_attacks.js';
import { sqlKernel, wait } from '../helpers/sql_kernel.js';

const options = { statementTimeoutMs: 60_000 };
const LOST = { ok: false, code: 'ERR_SQL', reason: 'database' };

/**
 * Runs attacks while `kill` ends the connection of every statement that it finds.
 * @param {string} source
 * @param {{ postgres?: number, mariadb?: number }} ports
 * @param {string} sql
 * @param {() => Promise<unknown>} kill
 */
async function runAttacksWhileKilling(source, ports, sql, kill) {
  let over = false;
  const killing = (async () => {
    while (!over) {
      await kill();
      await wait(50);
    }
  })();
  try {
    const attacks = ['the first time', 'the second time'].map((name) => ({ name, sql, options }));
    return await runAttacks(source, ports, attacks);
  } finally {
    over = true;
    await killing;
  }
}

describe.skipIf(!hasServer('postgres'))('a connection to PostgreSQL that the server ends during a statement', () => {
  /** @type {import('../../tools/database_server.mjs').Server} */
  let server;
  /** @type {pgPackage.Pool} */
  let oracle;
  beforeAll(async () => {
    server = await startServer('postgres');
    oracle = new pgPackage.Pool({ host: '127.0.0.1', port: server.port, user: 'postgres', max: 1 });
    // The server stops before the last of its connections has noticed.
    oracle.on('error', () => {});
  });
  afterAll(async () => {
    await oracle?.end();
    await server?.stop();
  });

  const kill = () =>
    oracle.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%' AND pid <> pg_backend_pid()",
    );

  it.each(['pg pool', 'postgres.js', 'knex over pg', 'drizzle over pg', 'pg client'])(
    '%s: fails the call, and leaks no connection',
    async (source) => {
      const outcomes = await runAttacksWhileKilling(source, { postgres: server.port }, 'SELECT pg_sleep(40)', kill);
      const next = source === 'pg client' ? expect.stringMatching(/^ERR_SQL/) : '[{"word":"fine"}]';
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ ...LOST, next });
        expect(outcome.pool).toBeOneOf(['unknown', expect.objectContaining({ busy: 0, waiting: 0 })]);
      }
      const left = () =>
        oracle.query(
          "SELECT query FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        );
      await expect.poll(async () => (await left()).rows, { timeout: 10_000 }).toEqual([]);
    },
  );
});

/** Longer than any of these runs may take, and shorter than the timeout of a rollback. */
const PROMPT_MS = 5_000;

describe.skipIf(!hasServer('postgres'))('a connection to PostgreSQL that stops responding', () => {
  /** @type {import('../../tools/database_server.mjs').Server} */
  let server;
  /** @type {pgPackage.Pool} */
  let oracle;
  /** @type {number[]} */
  let stopped = [];
  beforeAll(async () => {
    server = await startServer('postgres');
    oracle = new pgPackage.Pool({ host: '127.0.0.1', port: server.port, user: 'postgres', max: 1 });
    // The server stops before the last of its connections has noticed.
    oracle.on('error', () => {});
    await oracle.query('CREATE TABLE items (name TEXT)');
  });
  afterEach(() => {
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
    stopped = [];
  });
  afterAll(async () => {
    await oracle?.end();
    await server?.stop();
  });

  /** Stops the processes of all connections but the oracle's. */
  const freeze = async () => {
    const { rows } = await oracle.query(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    stopped = rows.map(({ pid }) => pid);
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    return stopped.length;
  };

  it.each([
    ['a statement', "await tgp.exec_sql(INSERT); await tgp.freeze(); await tgp.exec_sql('SELECT 1 AS one')"],
    ['the first statement', "await tgp.exec_sql('SELECT 1 AS one'); await tgp.freeze(); await tgp.exec_sql(INSERT)"],
  ])('%s: the run ends by wallMs, whether or not the database answers the rollback', async (_, body) => {
    const pool = new pgPackage.Pool({ host: '127.0.0.1', port: server.port, user: 'postgres' });
    pool.on('error', () => {});
    onTestFinished(() => pool.end());
    const { forge } = await sqlKernel(pool, { sandboxAPI: { freeze }, config: { sandbox: { wallMs: 500 } } });
    const run = await forge(`const INSERT = "INSERT INTO items VALUES ('doomed')"; ${body}`);
    const outcome = await Promise.race([run().catch((/** @type {any} */ error) => error.code), wait(PROMPT_MS)]);
    expect(stopped.length).toBeGreaterThan(0);
    expect(outcome).toBe('ERR_ISOLATE_TIMEOUT');
    for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
    const left = () => oracle.query("SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'");
    await expect.poll(async () => (await left()).rows, { timeout: 15_000 }).toEqual([]);
    expect((await oracle.query('SELECT * FROM items')).rows).toEqual([]);
  });
});

describe.skipIf(!hasServer('postgres'))('a commit that PostgreSQL refuses', () => {
  it('is reported promptly, and a later rollback failure is logged', async () => {
    const server = await startServer('postgres');
    onTestFinished(() => server.stop());
    // Stops responding at the rollback, and closes shortly afterwards.
    const link = createServer((client) => {
      const database = connect(server.port, '127.0.0.1');
      for (const end of [client, database]) end.on('error', () => {});
      client.on('close', () => database.destroy());
      database.pipe(client);
      client.on('data', async (bytes) => {
        if (!bytes.includes('ROLLBACK')) return database.write(bytes);
        await wait(1_500);
        client.destroy();
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void link.close());
    await once(link, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (link.address());
    const pool = new pgPackage.Pool({ host: '127.0.0.1', port, user: 'postgres' });
    pool.on('error', () => {});
    onTestFinished(() => pool.end());
    await pool.query('CREATE TABLE singles (name TEXT UNIQUE DEFERRABLE INITIALLY DEFERRED)');
    /** @type {unknown[]} */
    const warned = [];
    const logger = { ...console, warn: (/** @type {unknown} */ text) => warned.push(text) };
    const { forge, kernel } = await sqlKernel(pool, { logger });
    const run = await forge('for (let i = 0; i < 2; i++) await tgp.exec_sql("INSERT INTO singles VALUES (\'x\')")');
    await expect(run()).rejects.toMatchObject({ code: 'ERR_SQL' });
    await kernel.shutdown();
    expect(warned.join('\n')).toContain('did not confirm that the statements of a run were rolled back');
  });
});

describe.skipIf(!hasServer('mariadb'))('a connection to MariaDB that the server ends during a statement', () => {
  /** @type {import('../../tools/database_server.mjs').Server} */
  let server;
  /** @type {mysql.Connection} */
  let oracle;
  beforeAll(async () => {
    server = await startServer('mariadb');
    oracle = await mysql.createConnection({ host: '127.0.0.1', port: server.port, user: 'root' });
  });
  afterAll(async () => {
    await oracle?.end();
    await server?.stop();
  });

  const kill = async () => {
    const [rows] = await oracle.query(
      "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT sleep%' AND id <> connection_id()",
    );
    for (const { id } of /** @type {any[]} */ (rows)) await oracle.query(`KILL ${Number(id)}`).catch(() => {});
  };

  it.each(['mysql2 pool', 'mysql2 with callbacks', 'knex over mysql2', 'mysql2 connection'])(
    '%s: fails the call, and leaks no connection',
    async (source) => {
      const outcomes = await runAttacksWhileKilling(source, { mariadb: server.port }, 'SELECT sleep(40)', kill);
      const next = source === 'mysql2 connection' ? expect.stringMatching(/^ERR_SQL/) : '[{"word":"fine"}]';
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ ...LOST, next });
        expect(outcome.pool).toBeOneOf(['unknown', expect.objectContaining({ busy: 0, waiting: 0 })]);
      }
    },
  );
});
