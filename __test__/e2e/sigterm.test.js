import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Generous for a loaded machine; on an idle one it is some ten milliseconds. */
const SOON_MS = 5_000;

/** A host with everything going on at once: a tool in a loop, a transaction that is open, writes that are committed. */
const BUSY = `
  const kernel = new TGP({ sql: sqlite('./app.db') });
  const { write_file } = tgpTools(kernel);
  await write_file.execute({ path: 'tools/loop.ts', content: 'while (true) {}' });
  await write_file.execute({ path: 'tools/fill.ts', content: \`
    for (;;) await tgp.exec_sql('INSERT INTO items (name) VALUES (?)', ['x']);
  \` });
  const limits = { timeoutMs: 60_000, wallMs: 60_000 };
  const runs = [kernel.exec('tools/loop.ts', {}, limits), kernel.exec('tools/fill.ts', {}, limits)];
  for (const run of runs) run.catch(() => {});
  const writing = (async () => {
    for (let n = 0; ; n++) await write_file.execute({ path: 'tools/n.ts', content: 'export default () => ' + n });
  })();
  writing.catch(() => {});
`;

const READY = `setTimeout(() => console.log('ready'), 300); setInterval(() => {}, 1000);`;

/** A folder with a database of one table. */
async function application() {
  const folder = await tempRoot();
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  const database = new BetterSqlite3(join(folder, 'app.db'));
  database.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)');
  database.close();
  return { folder, temporary };
}

/**
 * Sends SIGTERM to a host once it is busy.
 * @param {string} folder
 * @param {string} temporary
 * @param {string} code
 */
async function terminate(folder, temporary, code) {
  const { child, ended } = startProgram(folder, code, { TMPDIR: temporary });
  await once(child.stdout, 'data');
  const workers = workersOf(Number(child.pid));
  const started = performance.now();
  child.kill('SIGTERM');
  const outcome = await ended;
  return { ...outcome, workers, ms: performance.now() - started };
}

/**
 * @param {string} folder
 * @param {string} temporary
 * @param {number[]} workers
 */
async function expectClean(folder, temporary, workers) {
  expect(workers.length, 'it was busy').toBeGreaterThan(0);
  await expect.poll(() => workers.filter(isWorker), { timeout: SOON_MS }).toEqual([]);
  const database = new BetterSqlite3(join(folder, 'app.db'), { timeout: 0 });
  expect(database.prepare('SELECT count(*) AS n FROM items').get(), 'rolled back').toEqual({ n: 0 });
  database.exec('BEGIN EXCLUSIVE; ROLLBACK');
  database.close();
  expect(await readdir(temporary), 'no temporary file').toEqual([]);
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-C', join(folder, '.tgp'), ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  git('fsck', '--full', '--strict');
  // A new kernel heals what a kill in the middle of a write may leave; no person has to.
  const { child, ended } = startProgram(
    folder,
    `const kernel = new TGP();
    const written = await tgpTools(kernel).write_file.execute({ path: 'tools/n.ts', content: 'export default () => 0' });
    await kernel.shutdown();
    console.log(JSON.stringify(written));`,
  );
  const [printed] = await once(child.stdout, 'data');
  expect(JSON.parse(String(printed))).toMatchObject({ success: true, persisted: true });
  expect(await ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect(git('status', '--porcelain')).toBe('');
  const locks = await readdir(join(folder, '.tgp', '.git'), { recursive: true });
  expect(locks.filter((name) => /(?:index|HEAD|main)\.lock$/.test(name))).toEqual([]);
}

describe('a busy host that gets SIGTERM', () => {
  test('ends at once by the signal when the application has no handler', async () => {
    const { folder, temporary } = await application();
    const { exitCode, signal, ms, workers } = await terminate(folder, temporary, `${BUSY}${READY}`);
    expect({ exitCode, signal }).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(ms).toBeLessThan(SOON_MS);
    await expectClean(folder, temporary, workers);
  });

  test("leaves the decision to the application's own handler, whose shutdown() ends everything", async () => {
    const { folder, temporary } = await application();
    const handler = `
      process.on('SIGTERM', async () => {
        await kernel.shutdown();
        const outcomes = await Promise.all([...runs, writing].map((run) => run.then(() => 'done', (error) => error.code)));
        process.stderr.write(JSON.stringify({ outcomes, listeners: process.listenerCount('SIGTERM') }), () => process.exit(7));
      });`;
    const { exitCode, ms, stderr, workers } = await terminate(folder, temporary, `${BUSY}${handler}${READY}`);
    expect(exitCode, 'the code that the application chose').toBe(7);
    expect(ms).toBeLessThan(SOON_MS);
    const { outcomes, listeners } = JSON.parse(stderr);
    expect(outcomes).toEqual(['ERR_SHUTDOWN', 'ERR_SHUTDOWN', 'ERR_SHUTDOWN']);
    expect(listeners, 'the kernel adds no handler of its own').toBe(1);
    await expectClean(folder, temporary, workers);
  });
});

test('a kernel adds no listener to the process and keeps nothing alive', async () => {
  const folder = await tempRoot();
  const { child, ended } = startProgram(
    folder,
    `const names = ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit', 'beforeExit', 'uncaughtException', 'unhandledRejection'];
    const count = () => names.map((name) => process.listenerCount(name));
    const before = count();
    const kernel = new TGP();
    await tgpTools(kernel).write_file.execute({ path: 'tools/a.ts', content: 'export default () => 1' });
    await kernel.exec('tools/a.ts');
    console.log(JSON.stringify({ before, after: count() }));`,
  );
  const [printed] = await once(child.stdout, 'data');
  const { before, after } = JSON.parse(String(printed));
  expect(after).toEqual(before);
  expect(await ended).toMatchObject({ exitCode: 0, signal: null });
});

/**
 * @param {number} parent
 * @returns {number[]}
 */
function workersOf(parent) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isWorker(pid) && statOf(pid)?.parent === parent);
}

/** @param {number} pid */
function isWorker(pid) {
  const stat = statOf(pid);
  return stat !== undefined && stat.name === 'tgp-sandbox' && stat.state !== 'Z';
}

/** @param {number} pid */
function statOf(pid) {
  try {
    const [, name, state, parent] = /\((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
