/**
 * The overhead of the sandbox for a query, compared with the driver alone on the same file. Peer: better-sqlite3, the fastest
 * driver; it answers on the caller's own thread, so the difference includes two threads and a process.
 */

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { createSqlTools, sqlite, TGP, tgpTools } from '../index.js';
import { ensureBetterSqlite3 } from '../tools/better_sqlite3.mjs';
import { inTurns, percentile, report } from './measure.mjs';

const ROWS = 10_000;
/** Queries per measurement, so that the start of a run is negligible. */
const QUERIES = 500;
const LIMITS = { timeoutMs: 60_000, wallMs: 60_000, memoryMb: 256 };

const TOOLS = {
  one: "let n = 0; for (let i = 1; i <= args.n; i++) n += (await tgp.exec_sql('SELECT name FROM items WHERE id = ?', [i]))[0].name === 'name ' + i ? 1 : 0; return n",
  many: "return (await tgp.exec_sql('SELECT id, name, score FROM items')).length",
};

ensureBetterSqlite3();
const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-sql-'));
const file = join(folder, 'bench.db');
const db = new BetterSqlite3(file);
db.pragma('journal_mode = WAL');
db.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, score REAL)');
const insert = db.prepare('INSERT INTO items (name, score) VALUES (?, ?)');
db.transaction(() => {
  for (let id = 1; id <= ROWS; id += 1) insert.run(`name ${id}`, id / 3);
})();

// A copy: two SQLites of one process must not have the same file open.
const copy = join(folder, 'copy.db');
db.pragma('wal_checkpoint(TRUNCATE)');
copyFileSync(file, copy);
const source = sqlite(copy);
const kernel = new TGP({ config: { rootDir: join(folder, '.tgp') }, sql: { source, maxRows: ROWS } });
for (const [name, content] of Object.entries(TOOLS)) {
  await tgpTools(kernel).write_file.execute({ path: `tools/${name}.ts`, content });
}
const { exec_sql } = createSqlTools(source);
const beside = createSqlTools(db).exec_sql;
const select = db.prepare('SELECT name FROM items WHERE id = ?');
const all = db.prepare('SELECT id, name, score FROM items');

/** A driver that answers wrongly is not fast. @param {any} row @param {number} id */
function same(row, id) {
  if (row?.name !== `name ${id}`) throw new Error(`row ${id} is ${JSON.stringify(row)}`);
}

const single = await inTurns(
  {
    'better-sqlite3 alone': () => {
      for (let id = 1; id <= QUERIES; id += 1) same(select.get(id), id);
    },
    'exec_sql of an agent (a transaction each)': async () => {
      for (let id = 1; id <= QUERIES; id += 1) {
        const [row] = await exec_sql.execute({ sql: 'SELECT name FROM items WHERE id = ?', params: [id] });
        same(row, id);
      }
    },
    'exec_sql on the database of better-sqlite3 (a process of its own)': async () => {
      for (let id = 1; id <= QUERIES; id += 1) {
        const [row] = await beside.execute({ sql: 'SELECT name FROM items WHERE id = ?', params: [id] });
        same(row, id);
      }
    },
    'tgp.exec_sql in a tool (one transaction)': async () => {
      const { result } = await kernel.exec('tools/one.ts', { n: QUERIES }, LIMITS);
      if (result !== QUERIES) throw new Error(`${result} of ${QUERIES} rows`);
    },
  },
  { rounds: 15, warmup: 3 },
);
report(`${QUERIES} queries for one row`, single);
const [alone = [], , , inTool = []] = Object.values(single);
const added = (percentile(inTool, 0.5) - percentile(alone, 0.5)) / QUERIES;
process.stdout.write(`  added to one query by the sandbox: ${added.toFixed(4)} ms (aim: at most 0.1)\n`);

const many = await inTurns(
  {
    'better-sqlite3 alone, through JSON': () => JSON.parse(JSON.stringify(all.all())),
    'tgp.exec_sql in a tool': async () => {
      const { result } = await kernel.exec('tools/many.ts', {}, LIMITS);
      if (result !== ROWS) throw new Error(`${result} of ${ROWS} rows`);
    },
  },
  { rounds: 15, warmup: 3 },
);
report(`${ROWS} rows out`, many);

await kernel.shutdown();
await source.close?.();
db.close();
rmSync(folder, { recursive: true });
