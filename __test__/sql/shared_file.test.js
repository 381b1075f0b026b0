import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools } from '../../index.js';
import { otherNodes } from '../../tools/other_nodes.mjs';
import { sqlKernel, wait } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const INDEX = JSON.stringify(new URL('../../index.js', import.meta.url).href);
const MANY =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO items (name) SELECT i FROM n';

/** @param {string} mode */
async function opened(mode) {
  const file = join(await tempRoot(), 'app.db');
  const db = new BetterSqlite3(file);
  onTestFinished(() => {
    db.close();
  });
  db.pragma(`journal_mode = ${mode}`);
  db.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)');
  return { db, file, tools: createSqlTools(db) };
}

/** Processes that have the file open for tools of this process. */
function programs() {
  return readdirSync('/proc').filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const parent = /PPid:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return command.includes('sqlite_program.js') && parent === String(process.pid);
    } catch {
      return false;
    }
  });
}

/** @param {import('better-sqlite3').Database} db */
const count = (db) => /** @type {any} */ (db.prepare('SELECT count(*) AS n FROM items').get()).n;

describe("a file that the application's own driver has open", () => {
  it.each(['DELETE', 'WAL'])('both sides write at once: nothing is damaged and nothing lost (%s)', async (mode) => {
    const { db, tools } = await opened(mode);
    const insert = db.prepare("INSERT INTO items (name) VALUES ('mine')");
    const own = { rows: 0, failed: 0 };
    const timer = setInterval(() => {
      try {
        insert.run();
        own.rows += 1;
      } catch {
        own.failed += 1;
      }
    }, 15);
    let theirs = 0;
    const end = Date.now() + 3_000;
    while (Date.now() < end || theirs === 0 || own.rows === 0) {
      const [answer] = await tools.exec_sql.execute({ sql: MANY }).catch(() => [{ affected: 0 }]);
      theirs += answer.affected;
    }
    clearInterval(timer);
    expect(theirs).toBeGreaterThan(0);
    expect(own.rows).toBeGreaterThan(0);
    expect(own.failed).toBe(0);
    expect(count(db)).toBe(own.rows + theirs);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('node:sqlite: both sides write at once without damage or loss', async () => {
    const program = `
      const { DatabaseSync } = await import('node:sqlite');
      const { createSqlTools } = await import(${INDEX});
      const db = new DatabaseSync(process.argv[1], { timeout: 5000 });
      db.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)');
      const { exec_sql } = createSqlTools(db);
      const insert = db.prepare("INSERT INTO items (name) VALUES ('mine')");
      let rows = 0;
      const timer = setInterval(() => { insert.run(); rows += 1; }, 15);
      const end = Date.now() + 1500;
      while (Date.now() < end) {
        const [{ affected }] = await exec_sql.execute({ sql: ${JSON.stringify(MANY)} }).catch(() => [{ affected: 0 }]);
        rows += affected;
      }
      clearInterval(timer);
      const n = db.prepare('SELECT count(*) AS n FROM items').get().n;
      console.log(JSON.stringify([n === rows, Object.values(db.prepare('PRAGMA integrity_check').get())[0]]));`;
    for (const node of otherNodes()) {
      const args = ['--experimental-sqlite', '--input-type=module', '-e', program, join(await tempRoot(), 'app.db')];
      const { stdout } = await promisify(execFile)(node, args);
      expect(JSON.parse(stdout), node).toEqual([true, 'ok']);
    }
  });

  it.each(['DELETE', 'WAL'])(
    'a write of the application during a run succeeds, and the run is rolled back (%s)',
    async (mode) => {
      const { db } = await opened(mode);
      const { forge } = await sqlKernel(db, {
        sandboxAPI: { application: () => db.exec("INSERT INTO items (name) VALUES ('mine')") },
      });
      const run = await forge(`export default async () => {
      await tgp.exec_sql("INSERT INTO items (name) VALUES ('theirs')");
      await tgp.application();
    }`);
      await expect(run()).rejects.toMatchObject({ code: 'ERR_SQL', message: expect.stringMatching(/Run it again/) });
      expect(db.prepare('SELECT name FROM items').all()).toEqual([{ name: 'mine' }]);
      const again = await forge(
        `export default async () => { await tgp.exec_sql("INSERT INTO items (name) VALUES ('theirs')"); }`,
      );
      await again();
      expect(count(db)).toBe(2);
    },
  );

  it('the process ends after the last connection, and is replaced after a kill', async () => {
    const { tools } = await opened('WAL');
    const before = programs();
    const mine = () => programs().filter((pid) => !before.includes(pid));
    await tools.exec_sql.execute({ sql: 'SELECT 1 AS one' });
    const [pid, ...more] = mine();
    expect(more).toEqual([]);
    const slow = tools.exec_sql.execute({
      sql: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n',
    });
    const ended = expect(slow).rejects.toMatchObject({ code: 'ERR_SQL', message: expect.stringMatching(/has ended/) });
    await wait(200);
    process.kill(Number(pid), 'SIGKILL');
    await ended;
    expect(await tools.exec_sql.execute({ sql: 'SELECT 2 AS two' })).toEqual([{ two: 2 }]);
    await expect.poll(mine, { timeout: 20_000, interval: 500 }).toEqual([]);
  });

  it('the application exits without waiting for the process', async () => {
    const file = join(await tempRoot(), 'app.db');
    const program = `
      const { default: BetterSqlite3 } = await import(${JSON.stringify(import.meta.resolve('better-sqlite3'))});
      const { createSqlTools } = await import(${INDEX});
      const db = new BetterSqlite3(${JSON.stringify(file)});
      const rows = await createSqlTools(db).exec_sql.execute({ sql: 'SELECT 1 AS one' });
      console.log(JSON.stringify({ rows, at: Date.now() }));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    const { rows, at } = JSON.parse(printed);
    expect(rows).toEqual([{ one: 1 }]);
    // It does not wait for the idle process.
    expect(Date.now() - at).toBeLessThan(9_000);
  });
});
