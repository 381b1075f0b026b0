/** The boot of a kernel without a local copy, with a long remote history, compared with `git clone`. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitHttpBackend } from '../../tools/git_http_backend.mjs';
import { longHistory } from '../../tools/long_history.mjs';
import { broken, cost, fact } from './figures.mjs';
import { createKernel, rootOf } from './workspace.mjs';

const COMMITS = 50_000;
const FEWEST_COMMITS = 500;

const git = async (/** @type {string[]} */ ...args) => (await promisify(execFile)('git', args)).stdout.trim();

/** @param {import('./workspace.mjs').Job} job */
export default async function coldBoot({ api, folder, scale }) {
  const commits = Math.max(FEWEST_COMMITS, Math.round(COMMITS * scale));
  const remote = join(folder, 'remote.git');
  await longHistory(remote, commits);
  const server = createServer((request, response) => gitHttpBackend(folder, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}/remote.git`;
  try {
    const figures = [fact('commits at the remote', commits)];
    let missing = 0;
    for (const [name, repo] of Object.entries({ path: remote, HTTP: url })) {
      const own = join(folder, name);
      mkdirSync(own);
      const cloned = await timeOf(() => git('clone', '-q', '--no-local', repo, join(own, 'clone')));
      const kernel = createKernel(api, own, { git: { repo } });
      const booted = await timeOf(() => kernel.boot());
      await kernel.shutdown();
      missing += commits - Number(await git('-C', rootOf(own), 'rev-list', '--count', 'HEAD'));
      figures.push(cost(`boot, ${name}`, booted), fact(`git clone, ${name}, ms`, Math.round(cloned)));
    }
    return [...figures, broken('commits that a kernel lacks', missing)];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** @param {() => Promise<unknown>} work */
async function timeOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
