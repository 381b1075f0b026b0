import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqlite } from '../../index.js';
import { allOrNothing } from '../helpers/all_or_nothing.js';
import { sqlKernel } from '../helpers/sql_kernel.js';

const SLOW =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT max(i) FROM n';

describe('SQL is all or nothing on the embedded SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-sql-'));
  const file = join(folder, 'test.db');
  /** @type {import('better-sqlite3').Database} */
  let oracle;
  /** @type {import('../../index.js').SqlAdapter} */
  let source;

  beforeAll(() => {
    oracle = new BetterSqlite3(file, { timeout: 0 });
    oracle.pragma('journal_mode = WAL');
    oracle.exec(
      'CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)',
    );
    source = sqlite(file);
  });
  afterAll(async () => {
    await source.close?.();
    oracle.close();
    rmSync(folder, { recursive: true });
  });

  allOrNothing(() => ({
    sql: source,
    count: async () => /** @type {any} */ (oracle.prepare('SELECT count(*) AS n FROM items').get()).n,
    // Without a busy timeout: any lock that is left makes it fail.
    write: async () => {
      oracle.exec("BEGIN IMMEDIATE; INSERT INTO items (name) VALUES ('other'); ROLLBACK");
    },
    slow: SLOW,
  }));

  it('tools that a tool imports share its transaction', async () => {
    const { forge, tools } = await sqlKernel(source);
    await tools.write_file.execute({
      path: 'tools/lib/insert.ts',
      content: "export const insert = (name: string) => tgp.exec_sql('INSERT INTO items (name) VALUES (?)', [name]);",
    });
    const run = await forge(
      "import { insert } from './lib/insert'; export default async (a: { fail: boolean }) => { await insert('x'); if (a.fail) throw new Error('no'); return (await tgp.exec_sql('SELECT count(*) AS n FROM items'))[0].n; }",
    );
    const count = () => /** @type {any} */ (oracle.prepare('SELECT count(*) AS n FROM items').get()).n;
    const before = count();
    await expect(run({ fail: true })).rejects.toMatchObject({ code: 'ERR_TOOL_THROWN' });
    expect(count()).toBe(before);
    expect((await run({ fail: false })).result).toBe(before + 1);
    expect(count()).toBe(before + 1);
  });

  it('tools that a tool calls share its transaction', async () => {
    const { forge, tools } = await sqlKernel(source);
    await tools.write_file.execute({
      path: 'tools/lib/called.ts',
      content:
        "await tgp.exec_sql('INSERT INTO items (name) VALUES (?)', ['called']); if (args.fail) throw new Error('inner'); return 1;",
    });
    const run = await forge(
      "await tgp.exec_sql('INSERT INTO items (name) VALUES (?)', ['caller']); await tgp.exec_tool('tools/lib/called.ts', { fail: args.inner }); if (args.outer) throw new Error('outer'); return 1;",
    );
    const count = () => /** @type {any} */ (oracle.prepare('SELECT count(*) AS n FROM items').get()).n;
    const before = count();
    await expect(run({ inner: true })).rejects.toThrow('inner');
    await expect(run({ outer: true })).rejects.toThrow('outer');
    expect(count()).toBe(before);
    await run({});
    expect(count()).toBe(before + 2);
  });

  it('a write after an outdated read is a conflict, and a retry works', async () => {
    const { forge } = await sqlKernel(source, { config: { sandbox: { workers: 4 } } });
    const run = await forge(
      "const [{ n }] = await tgp.exec_sql('SELECT n FROM counter'); await tgp.exec_sql('UPDATE counter SET n = ?', [n + 1]); return n;",
    );
    const again = async () => {
      for (;;) {
        try {
          return await run();
        } catch (error) {
          expect(/** @type {Error} */ (error).message).toMatch(/Run the tool again/);
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, again));
    expect(/** @type {any} */ (oracle.prepare('SELECT n FROM counter').get()).n).toBe(20);
  });
});
