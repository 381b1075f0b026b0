/** Files that programs never get to read or change, regardless of options: kernel workspaces with their keys, and policy files. */

import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { realOrSame } from './program_names.js';

/**
 * @typedef {{ root: string, policy?: string }} KernelPlaces real paths
 * @typedef {'seen' | 'readOnly' | 'hidden'} Access the access of a program to a file or folder
 */

/** Policy and configuration files: readable for programs, but not writable. */
const RULES = /^tgp\.(?:policy|config)\.[a-z]+$/i;
/** Folders of nested repositories in `.git`. */
export const NESTED = ['worktrees', 'modules'];
/** Names of source and web files, which are not searched for keys in read-only folders: there are too many. */
const CODE = /\.(?:[cm]?[jt]sx?|map|mdx?|css|html?|svg|png|woff2?|wasm|node|so|h|hpp|c|cc|cpp)$/i;
/** @param {string} name whether it is the name of a policy or configuration file */
export const isRules = (name) => RULES.test(name);

/**
 * Whether a folder is the workspace of a kernel.
 * @param {string} folder
 */
export const isWorkspace = (folder) => existsSync(join(folder, '.git', 'tgp'));

/**
 * Whether a `.git` folder contains private data of a kernel.
 * @param {string} folder named `.git`
 */
export function holdsKernel(folder) {
  const nested = NESTED.flatMap((name) => namesIn(join(folder, name)).map((inner) => join(folder, name, inner)));
  return [folder, ...nested].some((place) => existsSync(join(place, 'tgp')));
}

/**
 * The workspace that contains a folder, if there is one.
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
 * The access of programs to a file or folder by its location.
 * @param {string} real
 * @param {boolean} isFolder
 * @param {KernelPlaces | undefined} places of the kernel that controls the programs
 * @returns {Access}
 */
export function accessOf(real, isFolder, places) {
  const name = basename(real);
  if (isFolder && (real === places?.root || isWorkspace(real) || (name === '.git' && holdsKernel(real))))
    return 'hidden';
  return !isFolder && (real === places?.policy || isRules(name)) ? 'readOnly' : 'seen';
}

/**
 * Whether a folder is the Git folder of a repository, submodule or worktree, by its content.
 * @param {import('node:fs').Dirent[]} within
 */
export function isGitFolder(within) {
  const names = new Set(within.map(({ name }) => name));
  return names.has('HEAD') && (names.has('objects') || names.has('commondir'));
}

/** @param {string} name whether a file in a Git folder is its configuration, with addresses and tokens */
export const isGitConfig = (name) => name.startsWith('config');

/** @param {string} name whether a file is source code or part of a web page, by its name */
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
