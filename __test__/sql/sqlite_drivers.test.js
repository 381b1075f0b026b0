import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import BetterSqlite3 from 'better-sqlite3';
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3';
import makeKnex from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools, knex } from '../../index.js';
import { otherNodes } from '../../tools/other_nodes.mjs';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const TABLE = 'CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)';

/** Each driver on a file of its own, and the file. */
const DRIVERS = {
  'better-sqlite3': (/** @type {string} */ file) => {
    const db = new BetterSqlite3(file);
    return { source: db, close: () => db.close() };
  },
  'drizzle over better-sqlite3': (/** @type {string} */ file) => {
    const db = new BetterSqlite3(file);
    return { source: drizzleSqlite(db), close: () => db.close() };
  },
  'knex over better-sqlite3': (/** @type {string} */ file) => {
    const instance = makeKnex({ client: 'better-sqlite3', connection: { filename: file }, useNullAsDefault: true });
    return { source: instance, close: () => instance.destroy() };
  },
};

describe.each(Object.entries(DRIVERS))('%s', (_name, make) => {
  async function open() {
    const file = join(await tempRoot(), 'test.db');
    const { source, close } = make(file);
    onTestFinished(() => {
      close();
    });
    await createSqlTools(source, { ddl: true }).exec_sql.execute({ sql: TABLE });
    const oracle = new BetterSqlite3(file, { timeout: 0 });
    onTestFinished(() => {
      oracle.close();
    });
    return { source, count: () => /** @type {any} */ (oracle.prepare('SELECT count(*) AS n FROM items').get()).n };
  }

  it('is detected by its shape, commits and rolls back, 20 runs at once', async () => {
    const { source, count } = await open();
    const { forge } = await sqlKernel(source, { config: { sandbox: { workers: 4 } } });
    const run = await forge(
      "const [{ n }] = await tgp.exec_sql('SELECT count(*) AS n FROM items'); await tgp.exec_sql('INSERT INTO items (name) VALUES (:name)', { name: String(n) }); if (args.fail) throw new Error('no'); return n;",
    );
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        run({ fail: index % 2 === 1 }).then(
          ({ result }) => result,
          () => undefined,
        ),
      ),
    );
    expect(results.filter((result) => result !== undefined)).toHaveLength(10);
    expect(count()).toBe(10);
  });

  it('preserves values, and applies limits and rules', async () => {
    const { source, count } = await open();
    const { exec_sql } = createSqlTools(source);
    const [row] = await exec_sql.execute({
      sql: 'SELECT ? AS big, ? AS bytes, ? AS yes, ? AS real, ? AS json, typeof(?) AS type, 9223372036854775807 AS max',
      params: [2n ** 62n, new Uint8Array([0, 255, 7]), true, 0.5, { a: 1 }, 7],
    });
    expect(row).toEqual({
      big: (2n ** 62n).toString(),
      bytes: { $base64: 'AP8H' },
      yes: 1,
      real: 0.5,
      json: '{"a":1}',
      type: 'integer',
      max: '9223372036854775807',
    });
    expect(await exec_sql.execute({ sql: "INSERT INTO items (name) VALUES ('a'), ('b')" })).toEqual([{ affected: 2 }]);
    const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT i FROM n';
    const run = (/** @type {any} */ options, /** @type {string} */ sql) =>
      createSqlTools(source, options).exec_sql.execute({ sql });
    await expect(run({ maxRows: 5 }, many)).rejects.toThrow(/maxRows/);
    await expect(run({ maxRows: 1_000_000, maxBytes: 1 << 26, statementTimeoutMs: 50 }, many)).rejects.toThrow(
      /timed out/,
    );
    await expect(run({ readOnly: true }, 'DELETE FROM items')).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
    });
    expect(await run({ readOnly: true }, 'SELECT count(*) AS n FROM items')).toEqual([{ n: 2 }]);
    expect(await run({ dryRun: true }, 'DELETE FROM items')).toMatchObject({ affected: 2 });
    expect(await run({}, "UPDATE items SET name = 'z'")).toEqual([{ affected: 2 }]);
    expect(count()).toBe(2);
  });
});

describe('node:sqlite', () => {
  it('is detected by its shape, commits and rolls back, in the versions of Node that have it', async () => {
    const index = new URL('../../index.js', import.meta.url).href;
    const program = `
      const { DatabaseSync } = await import('node:sqlite');
      const { TGP, tgpTools, createSqlTools } = await import(${JSON.stringify(index)});
      const db = new DatabaseSync(process.argv[1] + '.db');
      const kernel = new TGP({ config: { rootDir: process.argv[1] }, sql: db });
      await createSqlTools(db, { ddl: true }).exec_sql.execute({ sql: ${JSON.stringify(TABLE)} });
      const content = "await tgp.exec_sql('INSERT INTO items (name) VALUES (:n)', { n: 'a' }); if (args.fail) throw new Error('no'); return tgp.exec_sql('SELECT id, 9223372036854775807 AS big FROM items')";
      await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content });
      const good = await kernel.exec('tools/t.ts', {});
      const bad = await kernel.exec('tools/t.ts', { fail: true }).catch((error) => error.code);
      await kernel.shutdown();
      console.log(JSON.stringify([good.result, bad, db.prepare('SELECT count(*) AS n FROM items').get().n]));
    `;
    for (const node of otherNodes()) {
      const args = ['--experimental-sqlite', '--input-type=module', '-e', program, join(await tempRoot(), '.tgp')];
      const { stdout } = await promisify(execFile)(node, args);
      expect(JSON.parse(stdout), node).toEqual([[{ id: 1, big: '9223372036854775807' }], 'ERR_TOOL_THROWN', 1]);
    }
  });
});

describe('knex over an unknown driver', () => {
  it('is refused by name', () => {
    const instance = { client: { driverName: 'oracledb', acquireConnection: () => {} }, raw: () => {} };
    expect(() => knex(instance)).toThrow(/oracledb/);
  });
});
