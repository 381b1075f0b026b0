/**
 * Copies the `.git` folder of a project for programs: objects and references are readable, copied files are writable but never
 * applied back, and the configuration has no remote addresses, which may contain tokens. The same for submodules and worktrees.
 */

import { constants, copyFile, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { isPrivateKey } from './private_keys.js';
import { isGitConfig, isGitFolder, NESTED } from './protected_paths.js';
import { readablePaths } from './readable_paths.js';
import type { CopyRules } from './scratch_copy.js';

const MAX_CONFIG_BYTES = 1 << 20;
/** Larger files, such as the index of a huge project, are not copied: Git recreates them. */
const MAX_FILE_BYTES = 64 << 20;
/** Maximum nesting of submodules and of the folders in their names. */
const MAX_DEPTH = 32;
/** Configuration sections that programs need to read a repository. */
const KEPT_SECTIONS = /^\[(?:core|extensions|user|branch|diff|merge|index|init|color|status|log)\b/i;

/** @param folder whether it is a `.git` folder */
export const isRepository = (folder: string) => basename(folder).toLowerCase() === '.git';

/** @returns paths that must be readable for the copy to work */
export async function copyRepository(
  real: string,
  copied: string,
  rules: Pick<CopyRules, 'isHidden' | 'keys' | 'places'>,
  depth: number = 0,
): Promise<string[]> {
  await mkdir(copied);
  const within = await readdir(real, { withFileTypes: true });
  // Below `modules` there are also intermediate folders.
  const isOwn = depth === 0 || isGitFolder(within);
  const readable: string[] = [];
  for (const entry of within) {
    const [from, to] = [join(real, entry.name), join(copied, entry.name)];
    if (rules.isHidden(entry.name) || (isOwn && entry.name === 'tgp')) continue;
    if (entry.isDirectory() && (!isOwn || NESTED.includes(entry.name))) {
      if (depth < MAX_DEPTH) readable.push(...(await copyRepository(from, to, rules, depth + 1)));
    } else if (entry.isDirectory()) {
      await symlink(from, to);
      // Objects are compressed, so they are not searched for keys.
      readable.push(...(await readablePaths(from, entry.name === 'objects' ? { ...rules, keys: 'seen' } : rules)));
    } else if (entry.isFile() && isOwn) {
      await copyOwnFile(from, to, rules);
    }
  }
  return readable;
}

async function copyOwnFile(from: string, to: string, rules: Pick<CopyRules, 'keys'>) {
  if (isGitConfig(basename(from))) {
    await writeFile(to, withoutAddresses(await readTextAtMost(from, MAX_CONFIG_BYTES)));
    return;
  }
  const about = await stat(from, { bigint: true });
  if (about.size > MAX_FILE_BYTES || (rules.keys === 'hidden' && (await isPrivateKey(from, about)))) return;
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
}

/** The Git configuration with only the sections that describe the repository, without addresses. */
function withoutAddresses(config: string) {
  let isKept = false;
  const kept = config.split('\n').filter((line) => {
    if (/^\s*\[/.test(line)) isKept = KEPT_SECTIONS.test(line.trimStart());
    return isKept && !line.includes('://');
  });
  return `${kept.join('\n')}\n`;
}
