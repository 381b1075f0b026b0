import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { isWorker, workers as workersOf } from '../../tools/workers.mjs';
import { gitHttpServer } from '../helpers/git_http_server.js';
import { bareRemote, git } from '../helpers/git_remote.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Half of the shortest grace period of any platform; waiting for a run, a query or the remote would take over a minute. */
const SOON_MS = 5_000;

/** The number of pushes that the remote answers: those of the two tools. */
const PUSHES = 2;

/**
 * A host with everything pending at once: a tool in a loop, a query in an open transaction, and a push that the remote
 * does not answer.
 */
const BUSY = `
  const kernel = new TGP({ sql: sqlite('./app.db') });
  const { write_file } = tgpTools(kernel);
  await write_file.execute({ path: 'tools/loop.ts', content: 'while (true) {}' });
  await write_file.execute({ path: 'tools/fill.ts', content: \`
    await tgp.exec_sql('INSERT INTO items (name) VALUES (?)', ['x']);
    await tgp.exec_sql('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n');
  \` });
  const limits = { timeoutMs: 60_000, wallMs: 60_000 };
  const runs = [kernel.exec('tools/loop.ts', {}, limits), kernel.exec('tools/fill.ts', {}, limits)];
  const pushing = write_file.execute({ path: 'tools/n.ts', content: 'export default () => 1' });
  const pending = new Set(['loop', 'query', 'push']);
  for (const [name, promise] of [['loop', runs[0]], ['query', runs[1]], ['push', pushing]]) {
    promise.catch(() => {}).finally(() => pending.delete(name));
  }
`;

const READY = `setTimeout(() => console.log(JSON.stringify([...pending])), 500); setInterval(() => {}, 1000);`;

/** A folder with a database of one table, and a remote that stops answering pushes. */
async function application() {
  const { folder, remote } = await bareRemote();
  git(remote, 'config', 'http.receivepack', 'true');
  let pushes = 0;
  const state = { answers: false, unanswered: 0 };
  const { url } = await gitHttpServer(folder, {
    before: ({ method, url: path }) => {
      if (method !== 'POST' || !path?.endsWith('/git-receive-pack')) return false;
      if (++pushes <= PUSHES || state.answers) return false;
      state.unanswered++;
      return true;
    },
  });
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  await writeFile(join(folder, 'tgp.config.json'), JSON.stringify({ git: { repo: `${url}/remote.git` } }));
  const database = new BetterSqlite3(join(folder, 'app.db'));
  database.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)');
  database.close();
  return { folder, temporary, remote: state };
}

/**
 * Sends SIGTERM to a host once it is busy.
 * @param {Awaited<ReturnType<typeof application>>} application
 * @param {string} code
 */
async function terminate({ folder, temporary, remote }, code) {
  const { child, ended } = startProgram(folder, code, { TMPDIR: temporary });
  const [printed] = await once(child.stdout, 'data');
  expect(JSON.parse(String(printed)), 'what is pending').toEqual(['loop', 'query', 'push']);
  await expect
    .poll(() => remote.unanswered, { timeout: 30_000, message: 'the push has reached the remote' })
    .toBeGreaterThan(0);
  const workers = workersOf(Number(child.pid));
  const exited = once(child, 'exit');
  const started = performance.now();
  child.kill('SIGTERM');
  await exited;
  const ms = performance.now() - started;
  remote.answers = true;
  return { ...(await ended), workers, ms };
}

/**
 * @param {{ folder: string, temporary: string }} application
 * @param {number[]} workers
 */
async function expectClean({ folder, temporary }, workers) {
  expect(workers.length, 'it was busy').toBeGreaterThan(0);
  await expect.poll(() => workers.filter(isWorker), { timeout: SOON_MS }).toEqual([]);
  const database = new BetterSqlite3(join(folder, 'app.db'), { timeout: 0 });
  expect(database.prepare('SELECT count(*) AS n FROM items').get(), 'rolled back').toEqual({ n: 0 });
  database.exec('BEGIN EXCLUSIVE; ROLLBACK');
  database.close();
  expect(await readdir(temporary), 'no temporary file').toEqual([]);
  const root = join(folder, '.tgp');
  git(root, 'fsck', '--full', '--strict');
  // A new kernel repairs what a kill during a write may leave, without manual work.
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
  expect(git(root, 'status', '--porcelain')).toBe('');
  expect(git(root, 'rev-parse', 'HEAD'), 'the pending commits were pushed').toBe(
    git(join(folder, 'remote.git'), 'rev-parse', 'main'),
  );
  const locks = await readdir(join(root, '.git'), { recursive: true });
  expect(locks.filter((name) => /(?:index|HEAD|main)\.lock$/.test(name))).toEqual([]);
}

describe('a busy host that gets SIGTERM', () => {
  test('ends at once by the signal when the application has no handler', async () => {
    const home = await application();
    const { exitCode, signal, ms, workers } = await terminate(home, `${BUSY}${READY}`);
    expect({ exitCode, signal }).toEqual({ exitCode: null, signal: 'SIGTERM' });
    expect(ms).toBeLessThan(SOON_MS);
    await expectClean(home, workers);
  });

  test("leaves the decision to the application's own handler, whose shutdown() ends everything", async () => {
    const home = await application();
    const handler = `
      process.on('SIGTERM', async () => {
        const started = performance.now();
        await kernel.shutdown({ pushTimeoutMs: 200 });
        const outcomes = await Promise.all(runs.map((run) => run.then(() => 'done', (error) => error.code)));
        const ms = performance.now() - started;
        const report = { outcomes, ms, listeners: process.listenerCount('SIGTERM') };
        process.stderr.write(JSON.stringify(report), () => process.exit(7));
      });`;
    const { exitCode, stderr, workers } = await terminate(home, `${BUSY}${handler}${READY}`);
    expect(exitCode, 'the code that the application chose').toBe(7);
    const { outcomes, ms, listeners } = JSON.parse(stderr);
    expect(ms).toBeLessThan(SOON_MS);
    expect(outcomes).toEqual(['ERR_SHUTDOWN', 'ERR_SHUTDOWN']);
    expect(listeners, 'the kernel adds no handler of its own').toBe(1);
    await expectClean(home, workers);
  });
});

test('kernels add one listener to the process, which stores counts when it exits, and keep nothing alive', async () => {
  const folder = await tempRoot();
  const { child, ended } = startProgram(
    folder,
    `const names = ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit', 'beforeExit', 'uncaughtException', 'unhandledRejection'];
    const count = () => names.map((name) => process.listenerCount(name));
    const before = count();
    const kernel = new TGP();
    await tgpTools(kernel).write_file.execute({ path: 'tools/a.ts', content: 'export default () => 1' });
    await kernel.exec('tools/a.ts');
    await new TGP({ config: { rootDir: './other' } }).boot();
    console.log(JSON.stringify({ before, after: count() }));`,
  );
  const [printed] = await once(child.stdout, 'data');
  const { before, after } = JSON.parse(String(printed));
  const [exit, ...others] = [3, 0, 1, 2, 4, 5, 6];
  expect(after[exit]).toBe(before[exit] + 1);
  for (const place of others) expect(after[place]).toBe(before[place]);
  expect(await ended).toMatchObject({ exitCode: 0, signal: null });
});
