/** Where the project is that a command was called in: here, or in a folder around it. */

import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { defaultFile, resolveConfig, withoutFile } from '../kernel/config.js';

/** Where the kernel puts a root that no config names; a test holds it against the kernel's own default. */
export const DEFAULT_ROOT = './.tgp';

/**
 * @typedef {import('../kernel/config.js').ResolvedConfig} ResolvedConfig
 * @typedef {'here' | 'around'} Reach whether folders around the current one count
 */

/**
 * The configuration that is named, or the nearest one. Without any, everything is as it is by default.
 * @param {{ config?: string }} options
 * @param {Reach} [reach]
 * @returns {Promise<ResolvedConfig>}
 */
export async function nearestConfig({ config: configFile }, reach = 'around') {
  if (configFile !== undefined) return resolveConfig({ configFile });
  const here = process.cwd();
  for (const folder of reach === 'around' ? await foldersFrom(here) : [here]) {
    const file = await defaultFile(folder);
    if (file !== undefined && (folder === here || (await isOurs(file)))) return resolveConfig({ configFile: file });
    if (await exists(join(folder, DEFAULT_ROOT, '.git'))) return withoutFile(folder);
  }
  return withoutFile(here);
}

/**
 * This folder and those around it, to the top of the repository or the home folder: what lies further out is no part of the
 * project.
 * @param {string} start
 */
async function foldersFrom(start) {
  const folders = [start];
  for (let folder = start; !(await isTop(folder)); folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

/** @param {string} folder */
async function isTop(folder) {
  if (dirname(folder) === folder || folder === homedir()) return true;
  // A workspace is a repository inside its project.
  return basename(folder) !== basename(DEFAULT_ROOT) && (await exists(join(folder, '.git')));
}

/**
 * A config file is code. One that somebody else has put into a folder above, such as the temporary one, is not run.
 * @param {string} file
 */
export async function isOurs(file) {
  const own = process.getuid?.();
  if (own === undefined) return true;
  const { uid } = await stat(file);
  return uid === own || uid === 0;
}

/** @param {string} path */
export async function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}
