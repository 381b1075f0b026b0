/**
 * Write and commit one tool in a repository of 100, 1 000 and 10 000 tools: this package, isomorphic-git and the `git`
 * command line, all in the same run. Then a push to a local bare repository, and a boot without changes. Figures are medians;
 * compare the ratios. With many tools, meta.json is written in batches: the cost of one batch has its own line, and is spread
 * over a 32nd of the number of tools per write.
 */

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TGP, tgpTools } from '../index.js';
import { percentile } from './measure.mjs';
import { record } from './record.mjs';

const PEERS = fileURLToPath(new URL('../node_modules/.cache/tgp-bench-git/', import.meta.url));
const SIZES = (process.env.SIZES ?? '100,1000,10000').split(',').map(Number);
const ROUNDS = 15;
const author = { name: 'bench', email: 'bench@example.org' };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

function isomorphicGit() {
  if (!existsSync(join(PEERS, 'node_modules/isomorphic-git'))) {
    mkdirSync(PEERS, { recursive: true });
    writeFileSync(join(PEERS, 'package.json'), '{ "private": true }');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', PEERS, 'isomorphic-git@1.35.1'], {
      stdio: 'ignore',
    });
  }
  return createRequire(join(PEERS, 'package.json'))('isomorphic-git');
}

// No housekeeping in the background: it would go on in the figures of the others.
const SETTINGS = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'gc.auto=0'];

/** @type {(folder: string, ...args: string[]) => string} */
const git = (folder, ...args) =>
  execFileSync('git', [...SETTINGS, '-C', folder, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  }).trim();

/**
 * A repository with that many tools, a hundred to a folder.
 * @param {string} folder
 * @param {number} size
 */
function repository(folder, size) {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  for (let index = 0; index < size; index++) {
    const path = join(folder, `tools/g${Math.floor(index / 100)}/t${index}.ts`);
    if (index % 100 === 0) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `export default (args: { n: number }) => args.n + ${index}\n`);
  }
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'start');
  return folder;
}

/**
 * The median of some rounds, which are recorded.
 * @param {Omit<import('./record.mjs').Measure, 'unit'>} about
 * @param {(round: number) => unknown} job
 */
async function median({ name, ...about }, job) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await job(round);
    times.push(performance.now() - start);
  }
  record(name, times, about);
  return percentile(times, 0.5);
}

/**
 * Checks the number of tool commits: fewer commits would appear faster. Ours also commit the derived `meta.json` occasionally.
 * @param {string} folder
 */
function checkCommits(folder) {
  const count = Number(git(folder, 'rev-list', '--count', '--grep', '^Forge: ', 'HEAD'));
  if (count !== ROUNDS) throw new Error(`${count} of ${ROUNDS} commits`);
}

/** @param {number} round */
const text = (round) => `export default () => ${round}\n`;
/** @param {number} ms */
const show = (ms) => `${ms.toFixed(2).padStart(9)} ms`;

const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-git-'));
try {
  const peer = isomorphicGit();
  /** @type {Map<number, number>} */
  const ours = new Map();
  console.log('write + commit            @tgp/core   isomorphic-git       git CLI');
  for (const size of SIZES) {
    const root = repository(join(folder, `tgp-${size}`), size);
    const kernel = new TGP({ config: { rootDir: root, sandbox: { warm: 0 } }, logger: silent });
    const { write_file } = tgpTools(kernel);
    await kernel.boot();
    const about = { group: 'write and commit', at: size };
    const own = await median({ ...about, name: '@tgp/core' }, (round) =>
      write_file.execute({ path: `tools/g0/new${round}.ts`, content: text(round) }),
    );
    ours.set(size, own);
    const start = performance.now();
    await kernel.sync();
    const meta = performance.now() - start;
    await kernel.shutdown();
    checkCommits(root);

    const dir = repository(join(folder, `iso-${size}`), size);
    const iso = await median({ ...about, name: 'isomorphic-git' }, async (round) => {
      const filepath = `tools/g0/new${round}.ts`;
      await fs.promises.writeFile(join(dir, filepath), text(round));
      await peer.add({ fs, dir, filepath });
      await peer.commit({ fs, dir, message: `Forge: ${filepath}`, author });
    });

    checkCommits(dir);

    const plain = repository(join(folder, `cli-${size}`), size);
    const cli = await median({ ...about, name: 'git CLI' }, (round) => {
      writeFileSync(join(plain, `tools/g0/new${round}.ts`), text(round));
      git(plain, 'add', `tools/g0/new${round}.ts`);
      git(plain, 'commit', '-q', '-m', `Forge: ${round}`);
    });
    checkCommits(plain);
    console.log(
      `${String(size).padStart(6)} tools       ${show(own)}  ${show(iso)} (${(iso / own).toFixed(1)}x)  ${show(cli)} (${(cli / own).toFixed(1)}x)`,
    );
    const share = Math.max(1, Math.floor(size / 32));
    console.log(`       meta.json       ${show(meta)}, once in ${share} writes: ${(meta / share).toFixed(2)} ms each`);
  }
  console.log(`from 100 to 10 000 tools: ${((ours.get(10_000) ?? 0) / (ours.get(100) ?? 1)).toFixed(2)}x`);

  const remote = join(folder, 'remote.git');
  git(folder, 'clone', '-q', '--bare', join(folder, 'cli-1000'), remote);
  const config = { rootDir: join(folder, 'agent'), git: { repo: remote }, sandbox: { warm: 0 } };
  const kernel = new TGP({ config, logger: silent });
  const clone = performance.now();
  await kernel.boot();
  console.log(`\nclone of 1 000 tools      ${show(performance.now() - clone)}`);
  const { write_file } = tgpTools(kernel);
  const remotely = { group: 'with a remote' };
  const pushed = await median({ ...remotely, name: 'write, commit and push' }, (round) =>
    write_file.execute({ path: `tools/p/p${round}.ts`, content: text(round) }),
  );
  await kernel.shutdown();
  const person = join(folder, 'person');
  git(folder, 'clone', '-q', remote, person);
  const cli = await median({ ...remotely, name: 'the same with git CLI' }, (round) => {
    mkdirSync(join(person, 'tools/q'), { recursive: true });
    writeFileSync(join(person, `tools/q/q${round}.ts`), text(round));
    git(person, 'add', '-A');
    git(person, 'commit', '-q', '-m', `${round}`);
    git(person, 'push', '-q');
  });
  console.log(`write + commit + push     ${show(pushed)}   git CLI ${show(cli)} (${(cli / pushed).toFixed(1)}x)`);
  const warm = new TGP({ config, logger: silent });
  await warm.boot();
  await warm.shutdown();
  const boot = await median({ ...remotely, name: 'boot without changes' }, async () => {
    const again = new TGP({ config, logger: silent });
    await again.boot();
    await again.shutdown();
  });
  const fetch = await median({ ...remotely, name: 'git fetch' }, () => git(person, 'fetch', '-q'));
  console.log(`boot without changes      ${show(boot)}   git fetch ${show(fetch)} (${(fetch / boot).toFixed(1)}x)`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
