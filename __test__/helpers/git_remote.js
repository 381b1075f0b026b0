import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempRoot } from './temp_root.js';

const IDENTITY = ['-c', 'user.name=Person', '-c', 'user.email=person@example.org', '-c', 'core.quotePath=false'];

/**
 * Runs the `git` command line: to make competing changes, and to check results.
 * @param {string} folder
 * @param {...string} args
 */
export function git(folder, ...args) {
  return execFileSync('git', [...IDENTITY, '-C', folder, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/**
 * An empty bare repository, and a folder for clones of it.
 * @param {{ name?: string }} [options]
 */
export async function bareRemote({ name = 'remote.git' } = {}) {
  const folder = await tempRoot();
  const remote = join(folder, name);
  git(folder, 'init', '-q', '--bare', '-b', 'main', remote);
  return { folder, remote };
}

/**
 * Counts the commits of `main` that are writes of an agent or updates of `meta.json`, with the subjects of the others.
 * @param {string} remote
 */
export function commitsOf(remote) {
  const subjects = git(remote, 'log', '--format=%s', 'main').split('\n');
  const counted = { writes: 0, registry: 0, others: /** @type {string[]} */ ([]) };
  for (const subject of subjects) {
    if (subject.startsWith('Forge: ')) counted.writes++;
    else if (subject === 'Registry: meta.json') counted.registry++;
    else counted.others.push(subject);
  }
  return counted;
}

/** A sync commits `meta.json` at most once before and once after it integrates pushed commits. */
export const MAX_REGISTRY_COMMITS_OF_A_SYNC = 2;

let clones = 0;

/**
 * A person's clone of the remote.
 * @param {string} folder
 * @param {string} remote
 */
export function clone(folder, remote) {
  const path = join(folder, `clone-${++clones}`);
  git(folder, 'clone', '-q', remote, path);
  return path;
}

/**
 * The integrity of a repository, `SOUND` after every scenario: a clean work tree, valid objects, and no lock files.
 * @param {string} root
 * @returns {{ status: string, fsck: string, locks: string[] }}
 */
export function soundness(root) {
  return {
    status: git(root, 'status', '--porcelain'),
    fsck: git(root, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress'),
    locks: lockFiles(join(root, '.git')),
  };
}

export const SOUND = { status: '', fsck: '', locks: [] };

/**
 * @param {string} folder
 * @returns {string[]}
 */
export function lockFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));
}

/**
 * The text of every file of a folder, by its path: without links, `.git`, the derived meta.json, and temporary files of
 * killed writers.
 * @param {string} folder
 */
export function filesOf(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) =>
      entry.isFile() && !entry.name.startsWith('.tgp-tmp-') && !`${entry.parentPath}/`.startsWith(`${folder}/.git/`),
  );
  return Object.fromEntries(
    found
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => path !== join(folder, 'meta.json'))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
}
