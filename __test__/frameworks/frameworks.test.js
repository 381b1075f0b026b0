/**
 * The packed packages in frameworks and runtimes, with what each application costs before and after use. A few of them
 * usually; all of them with `npm run test:frameworks`, which writes `docs/frameworks.md`.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { descendants } from '../../benches/process_tree.mjs';
import { packedApplication } from '../helpers/packed_application.js';
import { countsOf, processesOf, running } from '../helpers/process_counts.js';
import { freePort } from '../helpers/running_server.js';
import { tempRoot } from '../helpers/temp_root.js';
import { isWorker } from '../helpers/workers.js';
import { CONTAINER, canMountReadOnly, LONG, RUNNERS, SHORT } from './applications.js';
import { frameworksPage } from './frameworks_page.js';

const exec = promisify(execFile);
const ALL = process.env.TGP_FRAMEWORKS === 'all';
const MINUTES = 60_000;
/** After these an application has all that it needs: from then on nothing may grow. */
const FIRST_REQUESTS = 40;
const REQUESTS = ALL ? 400 : 80;
/** What may differ between two looks at an application that is at rest: connections that it keeps, and its collector. */
const MORE_FILES = 6;
const MORE_THREADS = 4;
const MORE_MB = 150;
/** Requests at the same time have a worker each, up to one for each core; it stays ready for a while. */
const MOST_WORKERS = availableParallelism();
/** What one more of them costs. */
const WORKER = { files: 12, threads: 6, memoryMb: 60 };
/** A development server remembers its requests and compilations. */
const MORE_MB_IN_DEVELOPMENT = 300;
const EDITED = 'the same, after 24 edits of the route';
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', VITEST: undefined, NODE_ENV: undefined };

/** @typedef {import('../helpers/process_counts.js').Counts} Counts */
/** @type {import('./frameworks_page.js').Row[]} */
const rows = [];
const applications = ALL ? [...SHORT, ...LONG, ...(canMountReadOnly() ? [CONTAINER] : [])] : SHORT;

describe.runIf(process.platform === 'linux')('the packed packages serve in', () => {
  it.for(applications)(
    '$name',
    async (application) => {
      const { name, runtime, edits, frozen } = application;
      const { app, served } = await installed(application);
      const { pid, get, stop } = await start(application, served);
      const version = await versionOf(app, runtime);
      await get(1);
      const first = countsOf(pid);
      const request = async (/** @type {number} */ from, /** @type {number} */ to) => {
        for (let n = from; n < to; n += 4) {
          expect(await Promise.all([0, 1, 2, 3].map((more) => get(n + more)))).toEqual(
            [1, 2, 3, 4].map((more) => n + more),
          );
          if (frozen && n % 40 === 0) await freeze(pid);
        }
      };
      await request(0, FIRST_REQUESTS);
      const before = await atRest(pid);
      await request(FIRST_REQUESTS, REQUESTS);
      const after = await atRest(pid, before);
      const row = { name, version, counts: [first, before, after] };
      const more = edits ? { memoryMb: MORE_MB_IN_DEVELOPMENT } : {};
      expectNoMore(before, after, more);

      /** @type {Counts | undefined} */
      let edited;
      for (let edition = 1; edition <= (edits?.times ?? 0); edition++) {
        await edit(join(app, edits?.file ?? ''), edition);
        await vi.waitFor(async () => expect(await get(edition, 'edition')).toBe(edition), {
          timeout: 30_000,
          interval: 100,
        });
      }
      if (edits) {
        edited = await atRest(pid, after);
        expectNoMore(after, edited, more);
      }
      const left = await stop();
      expect(left, 'what outlives the application').toEqual([]);
      const killed = await start(application, served);
      await killed.get(1);
      expect(countsOf(killed.pid).workers).toBeGreaterThan(0);
      const orphans = await killed.kill();
      expect(orphans, 'what outlives an application that was killed').toEqual([]);
      rows.push({ ...row, left: left.length + orphans.length });
      if (edited) rows.push({ name: EDITED, version, counts: [after, edited], left: left.length });
    },
    8 * MINUTES,
  );

  it.for(RUNNERS)(
    '$name, whose process ends by itself',
    async (runner) => {
      const app = await packedApplication({
        files: { ...runner.files, 'package.json': manifest(runner.dependencies) },
      });
      await exec(join(app, 'node_modules', '.bin', runner.command[0] ?? ''), runner.command.slice(1), {
        cwd: app,
        env: { ...env, ...runner.env },
        timeout: MINUTES,
      });
      const left = await outlived(app);
      const { before, during, after } = JSON.parse(await readFile(join(app, 'counts.json'), 'utf8'));
      expect(left, 'what outlives the test runner').toEqual([]);
      expect(during.workers).toBeGreaterThan(0);
      expect(after.processes).toBe(before.processes);
      expect(after.workers).toBe(0);
      expectNoMore(before, after, { files: 12, threads: 12 });
      const version = await versionOf(app, runner.name);
      rows.push({ name: runner.name, version, counts: [before, during, after], left: left.length });
    },
    8 * MINUTES,
  );

  afterAll(async () => {
    // A run of some of them must not take the place of a whole one.
    const wanted = [...applications, ...RUNNERS].length + applications.filter(({ edits }) => edits).length;
    if (!ALL || rows.length < wanted) return;
    await writeFile(new URL('../../docs/frameworks.md', import.meta.url), await frameworksPage(rows));
  });
});

/**
 * What an application holds once it is at rest; it has some seconds to come back to what it held `before`.
 * @param {number} pid
 * @param {Counts} [before]
 */
async function atRest(pid, before) {
  let counts = countsOf(pid);
  for (let look = 0; look < 100 && !isAtRest(counts, before); look++) {
    await pause(100);
    counts = countsOf(pid);
  }
  return counts;
}

/**
 * @param {Counts} counts
 * @param {Counts} [before]
 */
function isAtRest(counts, before) {
  if (before === undefined) return counts.workers <= 4;
  const workers = Math.max(0, counts.workers - before.workers);
  return (
    counts.workers <= Math.max(before.workers, MOST_WORKERS) &&
    counts.files <= before.files + workers * WORKER.files &&
    counts.threads <= before.threads + workers * WORKER.threads
  );
}

/**
 * @param {Counts} before
 * @param {Counts} after
 * @param {Partial<Counts>} [more] how much more there may be
 */
function expectNoMore(before, after, { files = MORE_FILES, threads = MORE_THREADS, memoryMb = MORE_MB } = {}) {
  expect(after.processes - after.workers).toBeLessThanOrEqual(before.processes - before.workers);
  expect(after.workers).toBeLessThanOrEqual(Math.max(before.workers, MOST_WORKERS));
  const workers = Math.max(0, after.workers - before.workers);
  const more = (/** @type {'files' | 'threads' | 'memoryMb'} */ what) =>
    after[what] - before[what] - workers * WORKER[what];
  expect(more('files'), 'more descriptors').toBeLessThanOrEqual(files);
  expect(more('threads'), 'more threads').toBeLessThanOrEqual(threads);
  expect(more('memoryMb'), 'more memory').toBeLessThan(memoryMb);
}

/**
 * The version of what an application is made with.
 * @param {string} app
 * @param {string} [name] a package; else it is Node alone
 */
async function versionOf(app, name) {
  if (name === undefined) return process.versions.node;
  return JSON.parse(await readFile(join(app, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/**
 * The processes of an application that has ended, after a moment to end themselves.
 * @param {string} folder
 * @param {number[]} [known] more of them
 */
async function outlived(folder, known = []) {
  const left = () => [...new Set([...processesOf(folder), ...running(known)])];
  for (let look = 0; look < 250 && left().length > 0; look++) await pause(20);
  return left();
}

/** @param {Record<string, string>} dependencies */
function manifest(dependencies) {
  return JSON.stringify({ private: true, dependencies });
}

/** @param {import('./applications.js').Application} application */
async function installed({ files, dependencies, before = [], served }) {
  const app = await packedApplication({ files: { ...files, 'package.json': manifest(dependencies) } });
  for (const [program = '', ...args] of before) {
    await exec(join(app, 'node_modules', '.bin', program), args, { cwd: app, env, timeout: 5 * MINUTES });
  }
  if (served === undefined) return { app, served: app };
  const alone = join(await tempRoot(), 'served');
  await cp(join(app, served), alone, { recursive: true });
  return { app, served: alone };
}

/**
 * @param {import('./applications.js').Application} application
 * @param {string} app
 */
async function start({ command, path = '/' }, app) {
  const port = await freePort();
  const [program = '', ...args] = command(app, port);
  const child = spawn(program, args, {
    cwd: app,
    env: { ...env, PORT: String(port), HOSTNAME: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const ended = once(child, 'exit');
  const pid = child.pid ?? 0;
  onTestFinished(async () => {
    for (const one of [pid, ...descendants(pid)]) if (running([one]).length > 0) process.kill(one, 'SIGKILL');
    await ended;
  });
  const get = async (/** @type {number} */ n, /** @type {'result' | 'edition'} */ what = 'result') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}?n=${n}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 2000)}\n${printed}`);
    return JSON.parse(text)[what];
  };
  const isUp = () => fetch(`http://127.0.0.1:${port}${path}?n=0`).catch(() => undefined);
  const deadline = Date.now() + 2 * MINUTES;
  while (!(await isUp())) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The server does not answer: ${printed}`);
    await pause(50);
  }
  /** Ends the application and gives the processes that have not ended with it. */
  const stop = async () => {
    const below = descendants(pid);
    child.kill('SIGTERM');
    await ended;
    return outlived(app, below);
  };
  /** Kills all of the application that is not ours, and gives the processes of ours that have not ended with it. */
  const kill = async () => {
    const tree = [pid, ...descendants(pid)];
    for (const one of tree.filter((member) => !isWorker(member))) process.kill(one, 'SIGKILL');
    await ended;
    return outlived(app, tree);
  };
  return { pid, get, stop, kill };
}

/** As a platform does with an instance that has nothing to do. @param {number} pid */
async function freeze(pid) {
  process.kill(pid, 'SIGSTOP');
  await pause(50);
  process.kill(pid, 'SIGCONT');
}

/**
 * @param {string} file
 * @param {number} edition
 */
async function edit(file, edition) {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/edition: \d+/, `edition: ${edition}`));
}
