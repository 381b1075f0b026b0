/** A Git worktree of HEAD in which a guarantee is broken, with the packages and build products of the current tree. */

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
import { captureIn, ROOT, StepFailed } from '../../tools/process.mjs';

const FOLDER = join(ROOT, 'target', 'break-promises');
export const TREE = join(FOLDER, 'tree');
/** Cargo's target folder for the worktree; kept between runs. */
export const CARGO_TARGET = join(FOLDER, 'cargo');
/** The folder with the test output of each guarantee. */
export const LOGS = join(FOLDER, 'logs');

/** Build products next to the sources, which the worktree builds itself. */
const LEFT_OUT = new Set(['target', '.tgp']);
/** Packages and compiled crates above this size are hard-linked: npm and rustc replace such files, never modify them. */
const LINKED_BYTES = 1 << 20;
/** The Cargo profiles of the addon and of the Rust tests. */
const PROFILES = ['release', 'debug'];
const LINKED = new Set([join(ROOT, 'node_modules'), ...PROFILES.map((profile) => join(cargoOutput(profile), 'deps'))]);

/** @returns {string} its folder */
export function makeTree() {
  if (captureIn(ROOT, 'git', ['status', '--porcelain']) !== '') {
    throw new StepFailed(
      'The tree has uncommitted changes. Commit or stash them: guarantees are broken in a worktree of HEAD.',
    );
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

/** npm compares the packages' own lock file with package-lock.json, which Git has just written: it must not be older. */
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

/** Reuses dependencies compiled for the main tree: cargo identifies them by content. */
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
