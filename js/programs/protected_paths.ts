/** Files that programs never get to read or change, regardless of options: kernel workspaces with their keys, and policy files. */

import type { Dirent } from 'node:fs';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { realOrSame } from './program_names.js';

/** Real paths. */
export type KernelPlaces = { root: string; policy?: string };
/** The access of a program to a file or folder. */
type Access = 'seen' | 'readOnly' | 'hidden';

/** Policy and configuration files: readable for programs, but not writable. */
const CONFIG_FILE = /^tgp\.(?:policy|config)\.[a-z]+$/i;
/** Folders of nested repositories in `.git`. */
export const NESTED = ['worktrees', 'modules'];
/** Names of source and web files, which are not searched for keys in read-only folders: there are too many. */
const CODE = /\.(?:[cm]?[jt]sx?|map|mdx?|css|html?|svg|png|woff2?|wasm|node|so|h|hpp|c|cc|cpp)$/i;
/** @param name whether it is the name of a policy or configuration file */
export const isConfigFile = (name: string) => CONFIG_FILE.test(name);

/** Whether a folder is the workspace of a kernel. */
export const isWorkspace = (folder: string) => existsSync(join(folder, '.git', 'tgp'));

/**
 * Whether a `.git` folder contains private data of a kernel.
 * @param folder named `.git`
 */
export function holdsKernel(folder: string) {
  const nested = NESTED.flatMap((name) => namesIn(join(folder, name)).map((inner) => join(folder, name, inner)));
  return [folder, ...nested].some((place) => existsSync(join(place, 'tgp')));
}

/** The workspace that contains a folder, if there is one. */
export function workspaceAround(folder: string): string | undefined {
  for (let place = folder; ; place = dirname(place)) {
    if (isWorkspace(place)) return place;
    if (dirname(place) === place) return undefined;
  }
}

/**
 * The access of programs to a file or folder by its location.
 * @param places of the kernel that controls the programs
 */
export function accessOf(real: string, isFolder: boolean, places: KernelPlaces | undefined): Access {
  const name = basename(real);
  if (isFolder && (real === places?.root || isWorkspace(real) || (name === '.git' && holdsKernel(real))))
    return 'hidden';
  return !isFolder && (real === places?.policy || isConfigFile(name)) ? 'readOnly' : 'seen';
}

/** Whether a folder is the Git folder of a repository, submodule or worktree, by its content. */
export function isGitFolder(within: Dirent[]) {
  const names = new Set(within.map(({ name }) => name));
  return names.has('HEAD') && (names.has('objects') || names.has('commondir'));
}

/** @param name whether a file in a Git folder is its configuration, with addresses and tokens */
export const isGitConfig = (name: string) => name.startsWith('config');

/** @param name whether a file is source code or part of a web page, by its name */
export const isCode = (name: string) => CODE.test(name);

/** The places of a kernel, without symbolic links. */
export function realPlaces({ root, policy }: { root: string; policy?: string | undefined }): KernelPlaces {
  return { root: realOrSame(root), ...(policy !== undefined && { policy: realOrSame(policy) }) };
}

function namesIn(folder: string) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
