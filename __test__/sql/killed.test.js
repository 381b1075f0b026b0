import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqlite } from '../../index.js';
import { signalWorkers } from '../../tools/workers.mjs';
import { howOften } from '../helpers/how_often.js';
import { sqlKernel, wait } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const INDEX = new URL('../../index.js', import.meta.url).href;
const ROWS = 1_000;
/** A thousand rows in a hundred statements. */
const TOOL = `
  for (let i = 0; i < 100; i++) await tgp.exec_sql('INSERT INTO items (name) VALUES ' + Array(10).fill('(?)').join(','), Array(10).fill(String(i)));
  return 'done';
`;
const LIMITS = { timeoutMs: 20_000 };
const ROUNDS = howOften({ usual: 24, long: 200 });
const HOST_ROUNDS = howOften({ usual: 2, long: 10 });

async function database() {
  const folder = await tempRoot();
  const file = join(folder, 'test.db');
  const oracle = new BetterSqlite3(file, { timeout: 0 });
  onTestFinished(() => {
    oracle.close();
  });
  oracle.pragma('journal_mode = WAL');
  oracle.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)');
  return {
    folder,
    file,
    count: () => /** @type {any} */ (oracle.prepare('SELECT count(*) AS n FROM items').get()).n,
    /** Empties the table; fails at once if a lock is left. */
    empty: () => oracle.exec('BEGIN IMMEDIATE; DELETE FROM items; COMMIT'),
  };
}

describe('a tool that inserts 1 000 rows and is killed at a random moment', () => {
  it(`worker killed or run aborted, ${ROUNDS} times: 0 or 1 000 rows, never between`, async () => {
    const { file, count, empty } = await database();
    const source = sqlite(file);
    onTestFinished(() => source.close?.());
    const { forge } = await sqlKernel(source, { config: { sandbox: { workers: 2, warm: 2 } } });
    const run = await forge(TOOL);
    await run({}, LIMITS);
    empty();
    const started = performance.now();
    await run({}, LIMITS);
    let usual = performance.now() - started;
    expect(count()).toBe(ROWS);
    const seen = new Map();
    // Continues until both outcomes were seen, within the timeout of the test.
    const isEnough = () => seen.has('ERR_ISOLATE_CRASHED') && seen.has('ERR_ABORTED');
    for (let round = 0; round < ROUNDS || !isEnough(); round += 1) {
      empty();
      const begun = performance.now();
      const abort = new AbortController();
      const running = run({}, { ...LIMITS, signal: abort.signal }).then(
        () => 'done',
        (/** @type {any} */ error) => error.code,
      );
      await wait(Math.random() * usual * 1.2);
      if (round % 2 === 0) signalWorkers();
      else abort.abort();
      const outcome = await running;
      if (outcome === 'done') usual = Math.min(usual, performance.now() - begun);
      expect(count(), outcome).toBe(outcome === 'done' ? ROWS : 0);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    }
  }, 240_000);

  it.each(['SIGTERM', 'SIGKILL'])('host process ended by %s: 0 or 1 000 rows, and no lock is left', async (signal) => {
    const { folder, file, count, empty } = await database();
    const program = `
      const { TGP, tgpTools, sqlite } = await import(${JSON.stringify(INDEX)});
      const kernel = new TGP({ config: { rootDir: ${JSON.stringify(join(folder, '.tgp'))} }, sql: sqlite(${JSON.stringify(file)}) });
      await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content: ${JSON.stringify(TOOL)} });
      console.log('ready');
      for (;;) await kernel.exec('tools/t.ts', {}, ${JSON.stringify(LIMITS)});
    `;
    for (let round = 0; round < HOST_ROUNDS; round += 1) {
      empty();
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data');
      await wait(Math.random() * 300);
      child.kill(/** @type {NodeJS.Signals} */ (signal));
      const [code, by] = await once(child, 'exit');
      expect([code, by]).toEqual([null, signal]);
      expect(count() % ROWS).toBe(0);
      empty();
    }
    expect(existsSync(join(folder, '.tgp', '.git', 'index.lock'))).toBe(false);
  });
});
