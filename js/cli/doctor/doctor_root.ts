/** Checks of the location of the root, for `tgp doctor`. */

import { constants } from 'node:fs';
import { access, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../workspace/config_lookup.js';
import type { Finding } from './finding.js';
import { problem, warning } from './finding.js';

const WRITABLE_BY_ALL = 0o002;
/** The repository ignores names that begin like this. */
const TEMPORARY = '.tgp-tmp-doctor-';

/**
 * Checks the location of a root folder without a repository: whether it can be written or created, and who owns it.
 * @returns undefined if there is no problem
 */
export async function checkRootFolder({ root, name }: { root: string; name: string }): Promise<Finding | undefined> {
  if (!(await exists(root))) return checkNewRoot(root, name);
  const found = await stat(root);
  if (!found.isDirectory()) return problem(`${name} is not a folder`, 'Remove it, or set "rootDir" to another folder.');
  // The kernel itself checks whether an existing repository is trusted.
  if (await exists(join(root, '.git'))) return undefined;
  if (!(await isWritable(root))) {
    return problem(`${name} is not writable${byWhom()}, and has no workspace`, remedyFor(name));
  }
  const isOwn = found.uid === (process.getuid?.() ?? found.uid);
  if (isOwn || (found.uid === 0 && (found.mode & WRITABLE_BY_ALL) === 0)) return undefined;
  return problem(
    `${name} belongs to another user (uid ${found.uid})${byWhom('; this is')}`,
    `A repository in a folder of another user, or of root if all users may write to it, is not trusted. Set "rootDir" to a folder below it, which the kernel then creates, or change the owner: ${chown(name)}.`,
  );
}

/** The finding for a repository that cannot be written: it creates and removes a folder in each place that a write needs. */
export async function checkWritable({ root, name }: { root: string; name: string }): Promise<Finding | undefined> {
  for (const folder of ['.git', '.', 'tools']) {
    const place = join(root, folder);
    if (!(await exists(place))) continue;
    const created = await mkdtemp(join(place, TEMPORARY)).catch(() => undefined);
    if (created === undefined) {
      const shown = folder === '.' ? name : `${name}/${folder}`;
      return warning(
        `${shown} is not writable${byWhom()}`,
        'Its tools can be listed, found and run. To forge tools, set "rootDir" to a writable folder.',
      );
    }
    await rmdir(created);
  }
  return undefined;
}

async function checkNewRoot(root: string, name: string) {
  let above = dirname(root);
  while (!(await exists(above)) && above !== dirname(above)) above = dirname(above);
  if (!(await stat(above)).isDirectory()) {
    return problem(`${name} cannot be created: ${above} is not a folder`, 'Set "rootDir" to another folder.');
  }
  if (await isWritable(above)) return undefined;
  return problem(`${name} cannot be created: ${above} is not writable${byWhom()}`, remedyFor(name));
}

function remedyFor(name: string) {
  return `Create it for this user (in a Dockerfile before USER): mkdir -p ${name} && ${chown(name)}. Or set "rootDir" to a writable folder.`;
}

function isWritable(folder: string) {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

function chown(name: string) {
  const uid = process.getuid?.();
  return uid === undefined ? `make this user the owner of ${name}` : `chown -R ${uid} ${name}`;
}

/** The current user's uid, where the system has uids. */
function byWhom(before = ' by') {
  const uid = process.getuid?.();
  return uid === undefined ? '' : `${before} uid ${uid}`;
}
