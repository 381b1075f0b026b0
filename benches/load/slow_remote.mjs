/** An HTTP remote that answers late, and one that accepts connections but never answers. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gitHttpBackend } from '../../tools/git_http_backend.mjs';
import { percentile } from '../../tools/statistics.mjs';
import { broken, cost, countsOf, fact } from './figures.mjs';
import { runJob } from './job_process.mjs';
import { missingFiles } from './promises.mjs';

const DELAY_MS = 500;
const MAX_WRITES = 20;
/** The timeout: a boot, a write and a shutdown that each use their whole time limit. */
const LATE_MS = 240_000;

/** @typedef {'prompt' | 'slow' | 'silent'} Manner */

/** @param {import('./workspace.mjs').Job & { manner: Exclude<Manner, 'prompt'> }} job */
export default async function slowRemote({ tree, folder, seconds, scale, manner }) {
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(folder, 'remote.git')]);
  const remote = await serve(folder);
  const repo = `${remote.url}/remote.git`;
  /** @param {Manner} how @param {string} name @param {number} writes @returns {Promise<import('./remote_user.mjs').Used>} */
  const use = (how, name, writes) => {
    remote.manner = how;
    const settings = { folder, seconds, scale, repo, name, writes };
    return runJob(tree, 'remote_user', settings, { waitMs: 1000 * seconds + LATE_MS });
  };
  try {
    const before = await use('prompt', 'before', 1);
    const used = await use(manner, 'during', MAX_WRITES);
    // Pending commits are pushed by the next kernel.
    const after = await use('prompt', 'after', 1);
    const acknowledged = [before, used, after].flatMap(({ writes }) => writes.filter(({ persisted }) => persisted));
    const [first, ...following] = used.writes.map(({ ms }) => ms);
    return [
      cost('boot', used.bootMs),
      cost('first write', first ?? Number.NaN),
      cost('following writes, p50', percentile(following, 0.5)),
      cost('following writes, max', percentile(following, 1)),
      cost('shutdown', used.shutdownMs),
      fact('how the writes ended', used.writes.length, countsOf(used.writes.map(endOf))),
      broken(
        'acknowledged writes that are not at the remote after it answers again',
        missingFiles(join(folder, 'remote.git'), 'main', acknowledged).length,
      ),
    ];
  } finally {
    remote.close();
  }
}

/** @param {import('./machine.mjs').Written} write */
const endOf = ({ persisted, code }) =>
  code ?? (persisted === 'local' ? 'pushed later' : persisted ? 'pushed' : 'on disk');

/** @param {string} projectRoot */
async function serve(projectRoot) {
  const server = createServer((request, response) => {
    if (remote.manner === 'silent') return;
    const delay = remote.manner === 'slow' ? DELAY_MS : 0;
    setTimeout(() => gitHttpBackend(projectRoot, request, response), delay);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const remote = {
    url: `http://127.0.0.1:${port}`,
    manner: /** @type {Manner} */ ('prompt'),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return remote;
}
