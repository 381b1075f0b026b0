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
export const TREE = join(FOLDER, 'tree');
/** Where cargo builds the worktree; kept for the next time. */
export const CARGO_TARGET = join(FOLDER, 'cargo');
/** What the tests of each promise print. */
export const LOGS = join(FOLDER, 'logs');

/** What a build leaves beside the sources and the worktree makes itself. */
const LEFT_OUT = new Set(['target', '.tgp']);
/** Packages and compiled crates of this size are hard links: npm and rustc replace such a file and never write into it. */
const LINKED_BYTES = 1 << 20;
/** The addon is of the first, Rust tests are of the second. */
const PROFILES = ['release', 'debug'];
const LINKED = new Set([join(ROOT, 'node_modules'), ...PROFILES.map((profile) => join(cargoOutput(profile), 'deps'))]);

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
  const products = captureIn(ROOT, 'git', ignored).split('\n').filter(Boolean).map(withoutSlash);
  if (!products.some((path) => path.endsWith('.node'))) {
    throw new StepFailed('There is no addon. Run "npm run build" first.');
  }
  for (const path of products) if (!LEFT_OUT.has(path)) copyAll(join(ROOT, path), join(TREE, path));
  renewPackages();
  seedCargo();
  return TREE;
}

/** Git ends the name of a folder with one. @param {string} path */
function withoutSlash(path) {
  return path.replace(/\/$/, '');
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
  for (const profile of PROFILES) {
    const [from, to] = [cargoOutput(profile), join(CARGO_TARGET, profile)];
    if (existsSync(to)) continue;
    for (const part of ['.fingerprint', 'build', 'deps']) {
      if (existsSync(join(from, part))) copyAll(join(from, part), join(to, part));
    }
  }
}

/** @param {string} profile */
function cargoOutput(profile) {
  return join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), profile);
}

/**
 * A copy with the same times.
 * @param {string} from
 * @param {string} to
 * @param {boolean} [isLinked] whether large files are hard links
 */
function copyAll(from, to, isLinked = LINKED.has(from)) {
  const about = lstatSync(from);
  mkdirSync(dirname(to), { recursive: true });
  if (about.isDirectory()) {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) copyAll(join(from, name), join(to, name), isLinked);
  } else if (about.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
  } else if (about.isFile()) {
    if (isLinked && about.size >= LINKED_BYTES && hasLinked(from, to)) return;
    copyFileSync(from, to);
    utimesSync(to, about.atime, about.mtime);
  }
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {boolean} false where the folders are on different file systems
 */
function hasLinked(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EXDEV') throw error;
    return false;
  }
}
