/**
 * The `.git` of a project for programs: its objects and references to read, files of its own to write, which are never applied, and
 * a configuration without addresses, which hold tokens. So are the folders of submodules and worktrees in it.
 */

import { constants, copyFile, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { isGitConfig, isGitFolder, NESTED } from './kept_back.js';
import { openParts } from './open_parts.js';
import { isPrivateKey } from './private_keys.js';

const MAX_CONFIG_BYTES = 1 << 20;
/** Larger files, such as the index of a huge project, are left out: Git makes them again. */
const MAX_FILE_BYTES = 64 << 20;
/** Folders of submodules in one another, and those that their names are made of. */
const MAX_DEPTH = 32;
/** Sections of a configuration that programs need to read a repository. */
const KEPT_SECTIONS = /^\[(?:core|extensions|user|branch|diff|merge|index|init|color|status|log)\b/i;

/** @param {string} folder whether it is the folder of a repository */
export const isRepository = (folder) => basename(folder).toLowerCase() === '.git';

/**
 * @param {string} real
 * @param {string} copied
 * @param {Pick<import('./scratch_copy.js').CopyRules, 'isHidden' | 'keys' | 'places'>} rules
 * @param {number} [depth]
 * @returns {Promise<string[]>} what must be readable for the copy to work
 */
export async function copyRepository(real, copied, rules, depth = 0) {
  await mkdir(copied);
  const within = await readdir(real, { withFileTypes: true });
  // Below `modules` there are also folders that only lead to others.
  const isOwn = depth === 0 || isGitFolder(within);
  /** @type {string[]} */
  const readable = [];
  for (const entry of within) {
    const [from, to] = [join(real, entry.name), join(copied, entry.name)];
    if (rules.isHidden(entry.name) || (isOwn && entry.name === 'tgp')) continue;
    if (entry.isDirectory() && (!isOwn || NESTED.includes(entry.name))) {
      if (depth < MAX_DEPTH) readable.push(...(await copyRepository(from, to, rules, depth + 1)));
    } else if (entry.isDirectory()) {
      await symlink(from, to);
      // Objects are packed: no key can be read there, and there are many.
      readable.push(...(await openParts(from, entry.name === 'objects' ? { ...rules, keys: 'seen' } : rules)));
    } else if (entry.isFile() && isOwn) {
      await copyOwnFile(from, to, rules);
    }
  }
  return readable;
}

/**
 * @param {string} from
 * @param {string} to
 * @param {Pick<import('./scratch_copy.js').CopyRules, 'keys'>} rules
 */
async function copyOwnFile(from, to, rules) {
  if (isGitConfig(basename(from))) {
    await writeFile(to, withoutAddresses(await readTextAtMost(from, MAX_CONFIG_BYTES)));
    return;
  }
  const about = await stat(from, { bigint: true });
  if (about.size > MAX_FILE_BYTES || (rules.keys === 'hidden' && (await isPrivateKey(from, about)))) return;
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
}

/**
 * A configuration of Git with the sections that say what a repository is like, and no address in them.
 * @param {string} config
 */
function withoutAddresses(config) {
  let isKept = false;
  const kept = config.split('\n').filter((line) => {
    if (/^\s*\[/.test(line)) isKept = KEPT_SECTIONS.test(line.trimStart());
    return isKept && !line.includes('://');
  });
  return `${kept.join('\n')}\n`;
}
