/**
 * What the sandbox adds to a query, against the driver alone on the same file. Peer: better-sqlite3, the fastest there is;
 * it answers on the caller's thread, so the distance to it holds two threads and a process.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { createSqlTools, sqlite, TGP, tgpTools } from '../index.js';

const ROWS = 10_000;
const QUERIES = 2_000;
const REPEAT = 7;
const LIMITS = { timeoutMs: 60_000, wallMs: 60_000, memoryMb: 256 };

const TOOLS = {
  nothing: 'return 1',
  one: "for (let i = 0; i < args.n; i++) await tgp.exec_sql('SELECT name FROM items WHERE id = ?', [1 + (i % 10000)]); return args.n",
  many: "return (await tgp.exec_sql('SELECT id, name, score FROM items')).length",
};

const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-sql-'));
const file = join(folder, 'bench.db');
const db = new BetterSqlite3(file);
db.pragma('journal_mode = WAL');
db.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, score REAL)');
const insert = db.prepare('INSERT INTO items (name, score) VALUES (?, ?)');
db.transaction(() => {
  for (let id = 1; id <= ROWS; id += 1) insert.run(`name ${id}`, id / 3);
})();

const source = sqlite(file);
const kernel = new TGP({ config: { rootDir: join(folder, '.tgp') }, sql: { source, maxRows: ROWS } });
for (const [name, content] of Object.entries(TOOLS)) {
  await tgpTools(kernel).write_file.execute({ path: `tools/${name}.ts`, content });
}
const { exec_sql } = createSqlTools(source);

/**
 * The median time of one call, in milliseconds.
 * @param {() => unknown} work
 * @param {number} [calls] how many calls one piece of work is
 */
async function median(work, calls = 1) {
  const times = [];
  await work();
  for (let round = 0; round < REPEAT; round += 1) {
    const started = performance.now();
    await work();
    times.push((performance.now() - started) / calls);
  }
  return times.sort((a, b) => a - b)[REPEAT >> 1] ?? 0;
}

const select = db.prepare('SELECT name FROM items WHERE id = ?');
const all = db.prepare('SELECT id, name, score FROM items');
const figures = {
  'one row, better-sqlite3 alone': await median(() => {
    for (let i = 0; i < QUERIES; i += 1) select.get(1 + (i % ROWS));
  }, QUERIES),
  'one row, exec_sql of the agent (own transaction)': await median(async () => {
    for (let i = 0; i < 200; i += 1)
      await exec_sql.execute({ sql: 'SELECT name FROM items WHERE id = ?', params: [1 + i] });
  }, 200),
  'one row, tgp.exec_sql in a tool': await median(() => kernel.exec('tools/one.ts', { n: QUERIES }, LIMITS), QUERIES),
  'a run that asks nothing': await median(() => kernel.exec('tools/nothing.ts', {}, LIMITS)),
  '10 000 rows, better-sqlite3 alone': await median(() => JSON.parse(JSON.stringify(all.all()))),
  '10 000 rows, tgp.exec_sql in a tool': await median(() => kernel.exec('tools/many.ts', {}, LIMITS)),
};
for (const [name, ms] of Object.entries(figures)) console.log(`${name.padEnd(52)} ${ms.toFixed(4)} ms`);
const added = figures['one row, tgp.exec_sql in a tool'] - figures['one row, better-sqlite3 alone'];
console.log(`${'added to one query by the sandbox'.padEnd(52)} ${added.toFixed(4)} ms (aim: at most 0.1)`);
const ratio = figures['10 000 rows, tgp.exec_sql in a tool'] / figures['10 000 rows, better-sqlite3 alone'];
console.log(`${'10 000 rows, ratio to the driver alone'.padEnd(52)} ${ratio.toFixed(2)}`);

await kernel.shutdown();
await source.close?.();
db.close();
rmSync(folder, { recursive: true });
