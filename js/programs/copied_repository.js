/**
 * The `.git` of a project for programs: its objects and references to read, files of its own to write, which are never applied, and
 * a configuration without addresses, which hold tokens.
 */

import { constants, copyFile, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { openParts } from './open_parts.js';

const MAX_CONFIG_BYTES = 1 << 20;
/** Larger files, such as the index of a huge project, are left out: Git makes them again. */
const MAX_FILE_BYTES = 64 << 20;
/** Sections of a configuration that programs need to read a repository. */
const KEPT_SECTIONS = /^\[(?:core|extensions|user|branch|diff|merge|index|init|color|status|log)\b/i;

/** @param {string} folder whether it is the folder of a repository */
export const isRepository = (folder) => basename(folder).toLowerCase() === '.git';

/**
 * @param {string} real
 * @param {string} copied
 * @param {Pick<import('./scratch_copy.js').CopyRules, 'isHidden' | 'places'>} rules
 * @returns {Promise<string[]>} what must be readable for the copy to work
 */
export async function copyRepository(real, copied, rules) {
  await mkdir(copied);
  /** @type {string[]} */
  const readable = [];
  for (const entry of await readdir(real, { withFileTypes: true })) {
    const [from, to] = [join(real, entry.name), join(copied, entry.name)];
    if (rules.isHidden(entry.name)) continue;
    if (entry.isDirectory()) {
      await symlink(from, to);
      readable.push(...(await openParts(from, rules)));
    } else if (entry.isFile() && entry.name.startsWith('config')) {
      await writeFile(to, withoutAddresses(await readTextAtMost(from, MAX_CONFIG_BYTES)));
    } else if (entry.isFile() && (await stat(from)).size <= MAX_FILE_BYTES) {
      await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    }
  }
  return readable;
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
