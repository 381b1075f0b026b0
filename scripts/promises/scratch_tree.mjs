/** A Git worktree in which a promise can be broken: HEAD, with the packages and the build products of the tree it was made from. */

import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { captureIn, ROOT, StepFailed } from '../process.mjs';

const FOLDER = join(ROOT, 'target', 'break-promises');
const TREE = join(FOLDER, 'tree');
/** Where cargo builds the worktree; kept for the next time. */
export const CARGO_TARGET = join(FOLDER, 'cargo');
/** What the tests of each promise print. */
export const LOGS = join(FOLDER, 'logs');

/** What a build leaves beside the sources and the worktree makes itself. */
const LEFT_OUT = /^(?:target|\.tgp)\/$/;
/** Cargo and npm replace files of this size and do not write into them, so that hard links are safe. */
const LINKED_BYTES = 1 << 20;

/** @returns {string} its folder */
export function makeTree() {
  if (captureIn(ROOT, 'git', ['status', '--porcelain']) !== '') {
    throw new StepFailed('The tree has changes. Commit or stash them: promises are broken in a worktree of HEAD.');
  }
  removeTree();
  rmSync(LOGS, { recursive: true, force: true });
  mkdirSync(LOGS, { recursive: true });
  captureIn(ROOT, 'git', ['worktree', 'add', '--detach', TREE, 'HEAD']);
  const ignored = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory'];
  const products = captureIn(ROOT, 'git', ignored).split('\n').filter(Boolean);
  if (!products.some((path) => path.endsWith('.node'))) {
    throw new StepFailed('There is no addon. Run "npm run build" first.');
  }
  for (const path of products.filter((path) => !LEFT_OUT.test(path))) copyAll(join(ROOT, path), join(TREE, path));
  renewPackages();
  seedCargo();
  return TREE;
}

/** The packages are those of package-lock.json, which Git has just written: their own list must not be older. */
function renewPackages() {
  const list = join('node_modules', '.package-lock.json');
  rmSync(join(TREE, list), { force: true });
  copyFileSync(join(ROOT, list), join(TREE, list));
}

export function removeTree() {
  rmSync(TREE, { recursive: true, force: true });
  captureIn(ROOT, 'git', ['worktree', 'prune']);
}

/** @param {string} tree */
export function restoreTree(tree) {
  captureIn(tree, 'git', ['checkout', '--quiet', '--', '.']);
}

/** Dependencies are compiled already where the tree itself was built: cargo knows them by their content. */
function seedCargo() {
  const from = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'release');
  const to = join(CARGO_TARGET, 'release');
  if (existsSync(to) || !existsSync(from)) return;
  for (const part of ['.fingerprint', 'build', 'deps']) {
    if (existsSync(join(from, part))) copyAll(join(from, part), join(to, part));
  }
}

/**
 * A copy with the same times. Large files are hard links.
 * @param {string} from
 * @param {string} to
 */
function copyAll(from, to) {
  const about = lstatSync(from);
  mkdirSync(dirname(to), { recursive: true });
  if (about.isDirectory()) {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) copyAll(join(from, name), join(to, name));
  } else if (about.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
  } else if (about.isFile()) {
    if (about.size >= LINKED_BYTES) return linkSync(from, to);
    copyFileSync(from, to);
    utimesSync(to, about.atime, about.mtime);
  }
}
