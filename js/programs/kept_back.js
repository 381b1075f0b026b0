/** What programs do not get, whatever the options say: workspaces of kernels, with their keys, and the rules that programs are judged by. */

import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { realOrSame } from './program_names.js';

/**
 * @typedef {{ root: string, policy?: string }} KernelPlaces real paths
 * @typedef {'seen' | 'readOnly' | 'hidden'} Fate what becomes of a file or folder in the copy of a program
 */

/** Files that decide what agents may do, wherever they lie: programs see them and cannot change them. */
const RULES = /^tgp\.(?:policy|config)\.[a-z]+$/i;
/** Where a repository may keep others. */
export const NESTED = ['worktrees', 'modules'];
/** Files of programs and pages by their names. In folders that are only read there are too many to look into each. */
const CODE = /\.(?:[cm]?[jt]sx?|map|mdx?|css|html?|svg|png|woff2?|wasm|node|so|h|hpp|c|cc|cpp)$/i;
/** @param {string} name whether it is that of a file with rules */
export const isRules = (name) => RULES.test(name);

/**
 * Whether a folder is the workspace of a kernel. What lies there has tools and rules of its own.
 * @param {string} folder
 */
export const isWorkspace = (folder) => existsSync(join(folder, '.git', 'tgp'));

/**
 * Whether the folder of a repository holds what is private to a kernel.
 * @param {string} folder named `.git`
 */
export function holdsKernel(folder) {
  const nested = NESTED.flatMap((name) => namesIn(join(folder, name)).map((inner) => join(folder, name, inner)));
  return [folder, ...nested].some((place) => existsSync(join(place, 'tgp')));
}

/**
 * The workspace that a folder is, or lies in; nothing for others.
 * @param {string} folder
 * @returns {string | undefined}
 */
export function workspaceAround(folder) {
  for (let place = folder; ; place = dirname(place)) {
    if (isWorkspace(place)) return place;
    if (dirname(place) === place) return undefined;
  }
}

/**
 * What becomes of a file or folder because of where it lies.
 * @param {string} real
 * @param {boolean} isFolder
 * @param {KernelPlaces | undefined} places of the kernel that judges the programs
 * @returns {Fate}
 */
export function fateOf(real, isFolder, places) {
  const name = basename(real);
  if (isFolder && (real === places?.root || isWorkspace(real) || (name === '.git' && holdsKernel(real))))
    return 'hidden';
  return !isFolder && (real === places?.policy || isRules(name)) ? 'readOnly' : 'seen';
}

/**
 * Whether a folder is that of a repository, of a submodule or of a worktree, by what lies in it.
 * @param {import('node:fs').Dirent[]} within
 */
export function isGitFolder(within) {
  const names = new Set(within.map(({ name }) => name));
  return names.has('HEAD') && (names.has('objects') || names.has('commondir'));
}

/** @param {string} name whether a file in the folder of a repository holds its settings, with addresses and tokens */
export const isGitConfig = (name) => name.startsWith('config');

/** @param {string} name whether a file is program text or part of a page, by its name */
export const isCode = (name) => CODE.test(name);

/**
 * @param {{ root: string, policy?: string | undefined }} places
 * @returns {KernelPlaces}
 */
export function realPlaces({ root, policy }) {
  return { root: realOrSame(root), ...(policy !== undefined && { policy: realOrSame(policy) }) };
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
