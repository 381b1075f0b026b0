import BetterSqlite3 from 'better-sqlite3';
import pgPackage from 'pg';
import { expect, it } from 'vitest';
import { hasServer } from '../../tools/database_server.mjs';
import { ownDatabase } from '../helpers/shared_servers.js';
import { sqlKernel } from '../helpers/sql_kernel.js';

const OUTER = `export default async () => {
  let failure = '';
  try { await tgp.exec_tool('tools/nested.ts', {}); } catch (error) { failure = error.message; }
  await tgp.go_on();
  const [row] = await tgp.exec_sql('SELECT 2 AS n');
  return { failure, n: row.n };
};`;

it.skipIf(!hasServer('postgres'))(
  'a nested tool that fails during a catalogue query about its statement does not affect the run',
  async () => {
    const server = await ownDatabase('postgres');
    const pool = new pgPackage.Pool(server.settings);
    pool.on('error', () => {});
    /** @type {() => void} */
    let onAsked = () => {};
    /** @type {() => void} */
    let goOn = () => {};
    const asked = new Promise((done) => {
      onAsked = () => done(true);
    });
    const released = new Promise((done) => {
      goOn = () => done(true);
    });
    const transaction = async (/** @type {any} */ work) => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const done = await work(async (/** @type {string} */ sql, /** @type {any[]} */ params) => {
          if (sql.includes('pg_aggregate')) {
            onAsked();
            await released;
          }
          return (await client.query(sql, params)).rows;
        });
        await client.query('COMMIT');
        return done;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    };
    const query = async (/** @type {string} */ sql, /** @type {any[]} */ params) =>
      (await pool.query(sql, params)).rows;
    try {
      const { kernel, forge } = await sqlKernel(
        { query, transaction, dialect: 'postgres' },
        { sandboxAPI: { asked: () => asked, go_on: () => goOn() } },
      );
      const nested = "void tgp.exec_sql('SELECT 1 AS n').catch(() => {}); await tgp.asked(); throw new Error('no');";
      await forge(`export default async () => { ${nested} };`, 'tools/nested.ts');
      await forge(OUTER, 'tools/outer.ts');
      const { result } = await kernel.exec('tools/outer.ts', {}, { timeoutMs: 10_000 });
      expect(result).toEqual({ failure: expect.stringContaining('no'), n: 2 });
    } finally {
      await pool.end();
      await server.stop();
    }
  },
  60_000,
);

it('a nested query sets no savepoint in an unknown database without rules', async () => {
  const db = new BetterSqlite3(':memory:');
  db.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO items (name) VALUES (1)');
  /** @type {string[]} */
  const sent = [];
  const query = async (/** @type {string} */ sql, /** @type {any[]} */ params = []) => {
    sent.push(sql);
    const statement = db.prepare(sql);
    return statement.reader ? statement.all(...params) : [statement.run(...params)];
  };
  const transaction = async (/** @type {any} */ work) => work(query);
  const { kernel, forge } = await sqlKernel({ query, transaction });
  const join = 'SELECT o.id FROM items o JOIN items i ON o.id == i.id WHERE CAST(o.id AS int) = 1';
  await forge(`export default async () => tgp.exec_sql(${JSON.stringify(join)});`, 'tools/nested.ts');
  await forge("export default async () => tgp.exec_tool('tools/nested.ts', {});", 'tools/outer.ts');
  expect((await kernel.exec('tools/outer.ts', {}, { timeoutMs: 10_000 })).result).toEqual([{ id: 1 }]);
  expect(sent).toEqual([join]);
  db.close();
});
