/**
 * The packed packages in frameworks and runtimes, with what each application costs before and after use. A few of them
 * usually; all of them with `npm run test:frameworks`, which writes `docs/frameworks.md`.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { descendants } from '../../benches/process_tree.mjs';
import { packedApplication } from '../helpers/packed_application.js';
import { countsOf, running } from '../helpers/process_counts.js';
import { freePort } from '../helpers/running_server.js';
import { tempRoot } from '../helpers/temp_root.js';
import { CONTAINER, canMountReadOnly, LONG, RUNNERS, SHORT } from './applications.js';
import { frameworksPage } from './frameworks_page.js';

const exec = promisify(execFile);
const ALL = process.env.TGP_FRAMEWORKS === 'all';
const MINUTES = 60_000;
const REQUESTS = 40;
/** What an application may hold more of after use: what a server and Node itself keep for the next request. */
const MORE_FILES = 12;
const MORE_MB = 150;
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', VITEST: undefined, NODE_ENV: undefined };

/** @typedef {import('../helpers/process_counts.js').Counts} Counts */
/** @type {import('./frameworks_page.js').Row[]} */
const rows = [];

describe.runIf(process.platform === 'linux')('the packed packages serve in', () => {
  const applications = ALL ? [...SHORT, ...LONG, ...(canMountReadOnly() ? [CONTAINER] : [])] : SHORT;
  it.for(applications)(
    '$name',
    async (application) => {
      const app = await installed(application);
      const { pid, get, stop } = await start(application, app);
      await get(1);
      const before = countsOf(pid);
      for (let n = 0; n < REQUESTS; n += 4) {
        expect(await Promise.all([0, 1, 2, 3].map((more) => get(n + more)))).toEqual(
          [1, 2, 3, 4].map((more) => n + more),
        );
        if (application.frozen) await freeze(pid);
      }
      for (let edition = 1; edition <= (application.edits?.times ?? 0); edition++) {
        await edit(join(app, application.edits?.file ?? ''), edition);
        await vi.waitFor(async () => expect(await get(edition, 'edition')).toBe(edition), {
          timeout: 30_000,
          interval: 100,
        });
      }
      await vi.waitFor(() => expect(countsOf(pid).workers).toBeLessThanOrEqual(4), { timeout: 30_000, interval: 100 });
      const after = countsOf(pid);
      const left = await stop();
      rows.push({ name: application.name, before, after, left: left.length });
      expect(left, 'what outlives the application').toEqual([]);
      if (!application.edits) {
        expect(after.files - before.files).toBeLessThanOrEqual(MORE_FILES + 4 * 6);
        expect(after.memoryMb - before.memoryMb).toBeLessThan(MORE_MB + 4 * 60);
      } else {
        expect(after.workers, 'one kernel of the root keeps workers ready').toBeLessThanOrEqual(before.workers + 1);
      }
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
      const { before, during, after } = JSON.parse(await readFile(join(app, 'counts.json'), 'utf8'));
      rows.push({ name: runner.name, before: { ...before, workers: 0 }, after: { ...after, workers: 0 }, left: 0 });
      expect(during.processes).toBeGreaterThan(before.processes);
      expect(after.processes).toBe(before.processes);
      expect(after.files - before.files).toBeLessThanOrEqual(MORE_FILES);
      expect(after.memoryMb - before.memoryMb).toBeLessThan(MORE_MB);
    },
    8 * MINUTES,
  );

  afterAll(async () => {
    if (ALL) await writeFile(new URL('../../docs/frameworks.md', import.meta.url), await frameworksPage(rows));
  });
});

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
  if (served === undefined) return app;
  const alone = join(await tempRoot(), 'served');
  await cp(join(app, served), alone, { recursive: true });
  return alone;
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
    for (let look = 0; look < 250 && running(below).length > 0; look++) await pause(20);
    return running(below);
  };
  return { pid, get, stop };
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
