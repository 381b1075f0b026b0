/** Finds the project of a command: in the current folder or a parent folder. */

import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ResolvedConfig } from '../../kernel/config/config.js';
import { defaultFile, resolveConfig, withoutFile } from '../../kernel/config/config.js';

/** The default root folder; a test compares it with the kernel's default. */
export const DEFAULT_ROOT = './.tgp';

/** Whether parent folders are searched. */
export type SearchScope = 'here' | 'around';

/** The named configuration, or else the nearest one, or else the defaults. */
export async function nearestConfig(
  { config: configFile }: { config?: string },
  reach: SearchScope = 'around',
): Promise<ResolvedConfig> {
  if (configFile !== undefined) return resolveConfig({ configFile });
  const here = process.cwd();
  for (const folder of reach === 'around' ? await foldersFrom(here) : [here]) {
    const file = await defaultFile(folder);
    if (file !== undefined && (folder === here || (await isOwnFile(file)))) return resolveConfig({ configFile: file });
    if (await exists(join(folder, DEFAULT_ROOT, '.git'))) return withoutFile(folder);
  }
  return withoutFile(here);
}

/** This folder and its parents, up to the top of the repository or the home folder. */
async function foldersFrom(start: string) {
  const folders = [start];
  for (let folder = start; !(await isTop(folder)); folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

async function isTop(folder: string) {
  if (dirname(folder) === folder || folder === homedir()) return true;
  // A workspace is a repository inside its project.
  return basename(folder) !== basename(DEFAULT_ROOT) && (await exists(join(folder, '.git')));
}

/**
 * Whether this user or root owns a file. A config file is code: one of another user in a parent folder, such as /tmp, is not run.
 */
export async function isOwnFile(file: string) {
  const own = process.getuid?.();
  if (own === undefined) return true;
  const { uid } = await stat(file);
  return uid === own || uid === 0;
}

/** Whether a file or folder exists. */
export async function exists(path: string) {
  return stat(path).then(
    () => true,
    () => false,
  );
}
