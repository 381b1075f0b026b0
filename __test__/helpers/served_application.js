/** An application with the packed packages that serves requests, and its resource usage. Linux. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { countsOf, processesOf, running } from '../../tools/process_counts.mjs';
import { descendants } from '../../tools/process_tree.mjs';
import { isWorker } from '../../tools/workers.mjs';
import { packedApplication } from './packed_application.js';
import { freePort } from './running_server.js';
import { tempRoot } from './temp_root.js';

/**
 * @typedef {object} Application
 * @property {string} name
 * @property {string} [runtime] the package of its framework or runtime
 * @property {Record<string, string>} dependencies
 * @property {Record<string, string>} files
 * @property {(folder: string, port: number) => string[]} command the program and its arguments, which listens on `port`
 * @property {string} [path] of its endpoint
 * @property {string[][]} [before] commands of its folder's `node_modules/.bin`, to be run first
 * @property {string} [served] the folder that it is served from, if not its own
 * @property {{ file: string, times: number }} [edits] a file that is changed while it is served
 * @property {boolean} [frozen] whether it is stopped between requests
 */
/** @typedef {import('../../tools/process_counts.mjs').Counts} Counts */

const exec = promisify(execFile);
const MINUTES = 60_000;
/** Requests of the warm-up: after them the resource usage must not grow. */
const FIRST_REQUESTS = 40;
/** Allowed growth between two measurements at rest: for open connections, and uncollected garbage. */
const MORE_FILES = 6;
const MORE_THREADS = 4;
const MORE_MB = 150;
/** Requests at the same time have a worker each, up to one for each core; it stays ready for a while. */
const MAX_WORKERS = availableParallelism();
/** The cost of one more worker. */
const WORKER = { files: 12, threads: 6, memoryMb: 60 };
export const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', VITEST: undefined, NODE_ENV: undefined };

/** The module that all of them call. */
const RUN = `
import { TGP, tgpTools } from '@tgp/core';

const kernel = new TGP({ config: { rootDir: process.env.TGP_TOOLS ?? './.tgp', sandbox: { timeoutMs: 1000 } } });
let forged;

export async function run(n) {
  forged ??= tgpTools(kernel).write_file.execute({ path: 'tools/add.ts', content: 'export default (args: { n: number }): number => args.n + 1;' });
  await forged;
  const { result } = await kernel.exec('tools/add.ts', { n });
  return { result, edition: EDITION };
}
`;
export const run = (/** @type {number | string} */ edition = 0) => RUN.replace('EDITION', String(edition));
const HTTP = `
import { createServer } from 'node:http';
import { run } from './run.mjs';

createServer(async (request, response) => {
  const n = Number(new URL(request.url, 'http://localhost').searchParams.get('n'));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(await run(n)));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
/** A server of Node's own. */
export const PLAIN = { 'run.mjs': run(), 'server.mjs': HTTP };

/**
 * Serves many requests, four at a time.
 * @param {Application} application
 * @param {string} served its folder
 * @param {number} requests
 * @param {Partial<Counts>} [more] the allowed growth between the first requests and the end
 */
export async function serveMany(application, served, requests, more) {
  const { pid, get, stop } = await start(application, served);
  await get(1);
  const first = countsOf(pid);
  const request = async (/** @type {number} */ from, /** @type {number} */ to) => {
    for (let n = from; n < to; n += 4) {
      expect(await Promise.all([0, 1, 2, 3].map((offset) => get(n + offset)))).toEqual(
        [1, 2, 3, 4].map((offset) => n + offset),
      );
      if (application.frozen && n % 40 === 0) await freeze(pid);
    }
  };
  await request(0, FIRST_REQUESTS);
  const before = await atRest(pid);
  await request(FIRST_REQUESTS, requests);
  const after = await atRest(pid, before);
  expectNoMore(before, after, more);
  return { pid, get, stop, counts: { first, before, after } };
}

/**
 * The processes of the package that outlive an application that is killed while it has a worker.
 * @param {Application} application
 * @param {string} served its folder
 */
export async function orphansOf(application, served) {
  const killed = await start(application, served);
  await killed.get(1);
  expect(countsOf(killed.pid).workers).toBeGreaterThan(0);
  return killed.kill();
}

/**
 * The resource usage of an application at rest; it has some seconds to return to `before`.
 * @param {number} pid
 * @param {Counts} [before]
 */
export async function atRest(pid, before) {
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
    counts.processes - counts.workers <= before.processes - before.workers &&
    counts.workers <= Math.max(before.workers, MAX_WORKERS) &&
    counts.files <= before.files + workers * WORKER.files &&
    counts.threads <= before.threads + workers * WORKER.threads
  );
}

/**
 * @param {Counts} before
 * @param {Counts} after
 * @param {Partial<Counts>} [more] the allowed growth
 */
export function expectNoMore(before, after, { files = MORE_FILES, threads = MORE_THREADS, memoryMb = MORE_MB } = {}) {
  expect(after.processes - after.workers).toBeLessThanOrEqual(before.processes - before.workers);
  expect(after.workers).toBeLessThanOrEqual(Math.max(before.workers, MAX_WORKERS));
  const workers = Math.max(0, after.workers - before.workers);
  const more = (/** @type {'files' | 'threads' | 'memoryMb'} */ what) =>
    after[what] - before[what] - workers * WORKER[what];
  expect(more('files'), 'more descriptors').toBeLessThanOrEqual(files);
  expect(more('threads'), 'more threads').toBeLessThanOrEqual(threads);
  expect(more('memoryMb'), 'more memory').toBeLessThan(memoryMb);
}

/**
 * The processes of an application that has ended, after a moment to end themselves.
 * @param {string} folder
 * @param {number[]} [known] more of them
 */
export async function outlived(folder, known = []) {
  const left = () => [...new Set([...processesOf(folder), ...running(known)])];
  for (let look = 0; look < 250 && left().length > 0; look++) await pause(20);
  return left();
}

/** @param {Record<string, string>} dependencies */
export function manifest(dependencies) {
  return JSON.stringify({ private: true, dependencies });
}

/** @param {Application} application */
export async function installed({ files, dependencies, before = [], served }) {
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
 * @param {Application} application
 * @param {string} app
 */
export async function start({ command, path = '/' }, app) {
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
  /** Ends the application, and returns the processes that have not ended with it. */
  const stop = async () => {
    const below = descendants(pid);
    child.kill('SIGTERM');
    await ended;
    return outlived(app, below);
  };
  /** Kills the application without its workers, and returns the processes that have not ended with it. */
  const kill = async () => {
    const tree = [pid, ...descendants(pid)];
    for (const one of tree.filter((member) => !isWorker(member))) process.kill(one, 'SIGKILL');
    await ended;
    return outlived(app, tree);
  };
  return { pid, get, stop, kill };
}

/** Stops and continues a process, as a platform does with an idle instance. @param {number} pid */
export async function freeze(pid) {
  process.kill(pid, 'SIGSTOP');
  await pause(50);
  process.kill(pid, 'SIGCONT');
}
