import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import mysql from 'mysql2/promise';
import pgPackage from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { betterSqlite3, executor, sqlite } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { ownDatabase } from '../helpers/shared_servers.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const MAKE = 'CREATE TABLE items (id INTEGER PRIMARY KEY, name VARCHAR(100))';
const WRITE = 'await tgp.exec_sql("UPDATE items SET name = \'nested\' WHERE id = 1");';

/** Tools that write and then fail. */
const ENDS = {
  throws: `${WRITE} throw new Error('no');`,
  'is killed': `${WRITE} for (;;) {}`,
  'runs out of memory': `${WRITE} const all: unknown[] = []; for (;;) all.push(new Array(1e6).fill(all.length));`,
  'calls a tool that writes, and throws':
    "await tgp.exec_tool('tools/good.ts', { id: 1, name: 'nested' }); throw new Error('no');",
  'returns a value that is not JSON': `${WRITE} return () => 1;`,
};

const GOOD = `export default async ({ id, name }: { id: number; name: string }) => {
  await tgp.exec_sql('UPDATE items SET name = ? WHERE id = ?', [name, id]);
  return 'good';
};`;

/** Writes before, calls a tool that fails, goes on, and writes after. */
const OUTER = `export default async ({ path }: { path: string }) => {
  await tgp.exec_sql("UPDATE items SET name = 'before' WHERE id = 2");
  let failure = 'nothing';
  try { await tgp.exec_tool(path, {}); } catch (error) { failure = error.message; }
  const [seen] = await tgp.exec_sql('SELECT name FROM items WHERE id = 1');
  await tgp.exec_sql("UPDATE items SET name = 'after' WHERE id = 3");
  return { failure: failure !== 'nothing', seen: seen.name };
};`;

/** Two nested runs at once, after a write of the caller; `fails` is the id of the one that fails. */
const CROWD = `export default async ({ fails }: { fails: number }) => {
  await tgp.exec_sql("UPDATE items SET name = 'own' WHERE id = 8");
  return Promise.all([4, 5].map((id) => tgp.exec_tool('tools/one.ts', { id, fails }).then(() => 'ok', () => 'failed')));
};`;
/** The run for 5 writes after the run for 4; the run for 4 fails, if it does, after the run for 5 has written. */
const ONE = `const written = async (id: number) => {
  for (;;) {
    const [row] = await tgp.exec_sql('SELECT name FROM items WHERE id = ?', [id]);
    if (row.name === 'one') return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
export default async ({ id, fails }: { id: number; fails: number }) => {
  if (id === 5) await written(4);
  await tgp.exec_sql("UPDATE items SET name = 'one' WHERE id = ?", [id]);
  if (id === 4 && fails === 4) await written(5);
  if (id === fails) throw new Error('one has failed');
};`;

/** The cases for every driver; the embedded SQLite gets all. */
const USUAL = ['throws', 'calls a tool that writes, and throws'];

/**
 * @param {any} source
 * @param {(sql: string) => Promise<any[]>} query without the kernel
 * @param {string[]} [ends]
 */
async function check(source, query, ends = USUAL) {
  const { kernel, forge } = await sqlKernel(source, { config: { sandbox: { workers: 4, nestedTimeoutMs: 60_000 } } });
  await forge(GOOD, 'tools/good.ts');
  await forge(ONE, 'tools/one.ts');
  await forge(OUTER, 'tools/outer.ts');
  await forge(CROWD, 'tools/crowd.ts');
  const names = async () => (await query('SELECT name FROM items ORDER BY id')).map(({ name }) => name);
  const reset = async () => {
    await query('DELETE FROM items');
    await query(`INSERT INTO items VALUES ${[1, 2, 3, 4, 5, 6, 7, 8].map((id) => `(${id}, 'x')`).join(', ')}`);
  };
  for (const [end, code] of Object.entries(ENDS)) {
    if (!ends.includes(end)) continue;
    await reset();
    const path = `tools/bad_${end.replace(/\W/g, '_')}.ts`;
    await forge(`export default async () => { ${code} };`, path);
    const { result } = await kernel.exec('tools/outer.ts', { path }, { timeoutMs: 1_000, wallMs: 60_000 });
    expect(result, end).toEqual({ failure: true, seen: 'x' });
    expect(await names(), end).toEqual(['x', 'before', 'after', 'x', 'x', 'x', 'x', 'x']);
  }
  const limits = { timeoutMs: 20_000, wallMs: 60_000 };
  for (const [fails, outcomes, after] of [
    [0, ['ok', 'ok'], ['one', 'one']],
    // The last one to write is rolled back separately.
    [5, ['ok', 'failed'], ['one', 'x']],
  ]) {
    await reset();
    expect((await kernel.exec('tools/crowd.ts', { fails }, limits)).result).toEqual(outcomes);
    expect(await names()).toEqual(['x', 'x', 'x', .../** @type {string[]} */ (after), 'x', 'x', 'own']);
  }
  // Another run wrote after it: the whole run fails, even if the failure is caught.
  await reset();
  await expect(kernel.exec('tools/crowd.ts', { fails: 4 }, limits)).rejects.toMatchObject({
    code: 'ERR_SQL',
    details: { reason: 'nested' },
  });
  expect(await names()).toEqual(new Array(8).fill('x'));
}

describe('the writes of a failed nested tool are rolled back, even if its caller continues', () => {
  /** @type {[string, (file: string, oracle: any) => any, string[]][]} */
  const FILES = [
    ['on the embedded SQLite', (file) => sqlite(file), Object.keys(ENDS)],
    ['beside a driver of the application', (_, oracle) => betterSqlite3(oracle), USUAL],
    ['on a driver of the application', (_, oracle) => betterSqlite3(oracle, { onMainThread: true }), USUAL],
  ];
  it.each(FILES)(
    '%s',
    async (_, sourceOf, ends) => {
      const file = join(await tempRoot(), 'test.db');
      const oracle = new BetterSqlite3(file);
      oracle.pragma('journal_mode = WAL');
      oracle.exec(MAKE);
      const source = sourceOf(file, oracle);
      onTestFinished(async () => {
        await source.close?.();
        oracle.close();
      });
      const query = async (/** @type {string} */ sql) => {
        const statement = oracle.prepare(sql);
        return statement.reader ? statement.all() : [statement.run()];
      };
      await check(source, query, ends);
    },
    120_000,
  );

  it('on functions `query` and `transaction` of the application, and on one function over a single connection', async () => {
    const db = new BetterSqlite3(':memory:');
    db.exec(MAKE);
    const query = async (/** @type {string} */ sql, /** @type {any[]} */ params = []) => {
      const statement = db.prepare(sql);
      return statement.reader ? statement.all(...params) : [statement.run(...params)];
    };
    const transaction = async (/** @type {any} */ work) => {
      db.exec('BEGIN');
      try {
        const done = await work(query);
        db.exec('COMMIT');
        return done;
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    };
    await check({ query, transaction, dialect: 'sqlite' }, query);
    await check(executor(query, { dialect: 'sqlite', oneConnection: true }), query);
    db.close();
  }, 240_000);
});

describe.skipIf(!hasServer('postgres'))('the same on PostgreSQL', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {pgPackage.Pool} */
  let pool;
  beforeAll(async () => {
    server = await ownDatabase('postgres');
    pool = new pgPackage.Pool(server.settings);
    await pool.query(MAKE);
  }, 120_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 60_000);
  const query = async (/** @type {string} */ sql) => (await pool.query(sql)).rows;

  it('with pg', () => check(pool, query, [...USUAL, 'is killed']), 240_000);
  it('including writes of a function called by a SELECT', async () => {
    await pool.query(`CREATE FUNCTION rename(text) RETURNS int LANGUAGE sql
      AS $$ UPDATE items SET name = $1 WHERE id = 1 RETURNING 1 $$; DELETE FROM items; INSERT INTO items VALUES (1, 'x')`);
    const { kernel, forge } = await sqlKernel(pool);
    const call = 'await tgp.exec_sql("SELECT rename(\'nested\')");';
    await forge(`export default async () => { ${call} throw new Error('no'); };`, 'tools/bad.ts');
    await forge(
      `export default async () => {
        try { await tgp.exec_tool('tools/bad.ts', {}); } catch {}
        return tgp.exec_sql('SELECT name FROM items');
      };`,
      'tools/outer.ts',
    );
    expect((await kernel.exec('tools/outer.ts', {}, { timeoutMs: 1_000 })).result).toEqual([{ name: 'x' }]);
    expect(await query('SELECT name FROM items')).toEqual([{ name: 'x' }]);
  }, 60_000);
  it('with postgres.js', async () => {
    const sql = postgres({ ...server.settings, max: 2, onnotice: () => {} });
    await check(sql, query);
    await sql.end({ timeout: 1 });
  }, 240_000);
});

describe.skipIf(!hasServer('mariadb'))('the same on MariaDB', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  /** @type {mysql.Pool} */
  let pool;
  beforeAll(async () => {
    server = await ownDatabase('mariadb');
    pool = mysql.createPool(server.settings);
    await pool.query(MAKE);
  }, 120_000);
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  }, 60_000);

  it('with mysql2', () => check(pool, async (sql) => /** @type {any[]} */ ((await pool.query(sql))[0])), 240_000);
});
