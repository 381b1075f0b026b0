/** Several machines, each with its own root, that write through one remote at the same time. */

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { broken, countsOf, fact, gain, latencies } from './figures.mjs';
import { JobProcess } from './job_process.mjs';
import { missingFiles, missingWrites } from './promises.mjs';

const OPENING_MS = 60_000;
/** The timeout of a write that began in time. */
const LAST_WRITE_MS = 120_000;

/** @param {import('./workspace.mjs').Job & { machines: number }} job */
export default async function machines({ tree, folder, seconds, scale, machines: count }) {
  const remote = join(folder, 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
  /** @type {JobProcess[]} */
  const all = [];
  try {
    for (let machine = 0; machine < count; machine++) {
      const own = join(folder, `machine${machine}`);
      mkdirSync(own);
      const settings = { folder: own, seconds, scale, remote, machine };
      all.push(await JobProcess.open(tree, 'machine', settings, { waitMs: OPENING_MS }));
    }
    const answers = await Promise.all(
      all.map((each) => each.outcome(1000 * seconds + LAST_WRITE_MS, { kind: 'start' })),
    );
    return counted(remote, answers);
  } finally {
    await Promise.all(all.map((each) => each.kill()));
  }
}

/** @param {string} remote @param {import('./machine.mjs').Written[][]} answers by machine */
function counted(remote, answers) {
  const atRemote = answers.map((all) => all.filter(isAtRemote));
  const counts = atRemote.map((all) => all.length);
  const [total, least] = [counts.reduce((sum, one) => sum + one, 0), Math.min(...counts)];
  const acknowledged = atRemote.flat();
  const refused = answers.flat().flatMap(({ code }) => code ?? []);
  const later = answers.flat().filter(({ persisted }) => persisted === 'local').length;
  return [
    fact('writes at the remote, all machines', total, counts.join(' + ')),
    gain('share of the machine with the fewest', total === 0 ? Number.NaN : (100 * least) / total, '%'),
    ...latencies(
      'write',
      acknowledged.map(({ ms }) => ms),
    ),
    fact('committed here, to be pushed later', later),
    fact('refused, by code', refused.length, countsOf(refused)),
    broken('acknowledged writes that are not at the remote', missingFiles(remote, 'main', acknowledged).length),
    broken(
      'commits of acknowledged writes that the remote does not have',
      missingWrites(remote, 'main', acknowledged).length,
    ),
  ];
}

/** @param {import('./machine.mjs').Written} write */
const isAtRemote = ({ persisted }) => persisted === true || persisted === 'remote';
