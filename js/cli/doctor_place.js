import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from './config_lookup.js';
import { problem, warning } from './finding.js';

/**
 * Whether a workspace can be at the place where it is, or is to be made: who may write there, and whose it is. Looks, and makes
 * nothing.
 * @param {{ root: string, name: string }} located
 * @returns {Promise<import('./finding.js').Finding | undefined>} nothing when the place is good
 */
export async function place({ root, name }) {
  if (!(await exists(root))) return newPlace(root, name);
  const found = await stat(root);
  if (!found.isDirectory()) return problem(`${name} is no folder`, 'Remove it, or name another folder as "rootDir".');
  const hasRepository = await exists(join(root, '.git'));
  if (!(await isWritable(root))) {
    return hasRepository
      ? warning(
          `${name} cannot be written${byWhom()}`,
          'Its tools are listed, found and run; to forge some, name a folder that can be written as "rootDir".',
        )
      : problem(`${name} cannot be written${byWhom()}, and holds no workspace`, remedyFor(name));
  }
  // Of a repository that is there the kernel itself says whether it is trusted.
  if (hasRepository || found.uid === (process.getuid?.() ?? found.uid)) return undefined;
  return problem(
    `${name} belongs to another user (uid ${found.uid})${byWhom('; this is')}`,
    `Git trusts no repository in a folder of somebody else. Name a folder below it as "rootDir", which the kernel then makes itself, or give it to this user: ${chown(name)}.`,
  );
}

/**
 * @param {string} root
 * @param {string} name
 */
async function newPlace(root, name) {
  let above = dirname(root);
  while (!(await exists(above)) && above !== dirname(above)) above = dirname(above);
  if (!(await stat(above)).isDirectory()) {
    return problem(`${name} cannot be made: ${above} is no folder`, 'Name another folder as "rootDir".');
  }
  if (await isWritable(above)) return undefined;
  return problem(`${name} cannot be made: ${above} cannot be written${byWhom()}`, remedyFor(name));
}

/** @param {string} name */
function remedyFor(name) {
  return `Make it for this user (in a Dockerfile before USER): mkdir -p ${name} && ${chown(name)}. Or name a folder that can be written as "rootDir".`;
}

/** @param {string} folder */
function isWritable(folder) {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** @param {string} name */
function chown(name) {
  const uid = process.getuid?.();
  return uid === undefined ? `make this user the owner of ${name}` : `chown -R ${uid} ${name}`;
}

/** Who this is, where users have numbers. */
function byWhom(before = ' by') {
  const uid = process.getuid?.();
  return uid === undefined ? '' : `${before} uid ${uid}`;
}
