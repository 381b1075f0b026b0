/** The parts of a read-only folder that programs may read: all of it, or what lies around secrets and workspaces in it. */

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LimitError } from '../boundary/errors.js';
import { fateOf, isCode, isGitConfig, isGitFolder } from './kept_back.js';
import { isPrivateKey } from './private_keys.js';

/** Files and folders that are looked at for their names. */
const MAX_ENTRIES = 500_000;
const MAX_DEPTH = 64;
/** Files that are looked into at the same time. */
const AT_ONCE = 16;

/**
 * @param {string} folder
 * @param {Pick<import('./scratch_copy.js').CopyRules, 'isHidden' | 'keys' | 'places'>} rules
 * @returns {Promise<string[]>} the folder itself where nothing in it is hidden
 */
export async function openParts(folder, rules) {
  let entries = 0;
  /** @type {(place: string, depth: number) => Promise<string[]>} */
  const partsOf = async (place, depth) => {
    /** @type {string[]} */
    const parts = [];
    const within = await readdir(place, { withFileTypes: true });
    const secrets = await secretFiles(place, within, rules);
    let isWhole = true;
    for (const entry of within) {
      entries += 1;
      if (entries > MAX_ENTRIES || depth > MAX_DEPTH) throw tooLarge();
      // A link is read by the name of where it leads.
      if (entry.isSymbolicLink()) continue;
      const path = join(place, entry.name);
      const isHidden = rules.isHidden(entry.name) || fateOf(path, entry.isDirectory(), rules.places) === 'hidden';
      if (isHidden || secrets.has(entry.name)) {
        isWhole = false;
      } else if (entry.isDirectory()) {
        const inner = await partsOf(path, depth + 1);
        isWhole &&= inner.length === 1 && inner[0] === path;
        parts.push(...inner);
      } else {
        parts.push(path);
      }
    }
    return isWhole ? [place] : parts;
  };
  return partsOf(folder, 0);
}

/**
 * The files of a folder that hold secrets, by their names: private keys, and the configuration of a repository, with its addresses.
 * @param {string} folder
 * @param {import('node:fs').Dirent[]} within
 * @param {Pick<import('./scratch_copy.js').CopyRules, 'keys'>} rules
 * @returns {Promise<Set<string>>}
 */
async function secretFiles(folder, within, rules) {
  const names = within.filter((entry) => entry.isFile()).map(({ name }) => name);
  const secrets = new Set(isGitFolder(within) ? names.filter(isGitConfig) : []);
  if (rules.keys === 'seen') return secrets;
  const looked = names.filter((name) => !isCode(name));
  for (let at = 0; at < looked.length; at += AT_ONCE) {
    await Promise.all(
      looked.slice(at, at + AT_ONCE).map(async (name) => {
        const path = join(folder, name);
        // What cannot be read here, programs do not read either.
        const isKey = lstat(path, { bigint: true }).then((about) => isPrivateKey(path, about));
        if (await isKey.catch(() => true)) secrets.add(name);
      }),
    );
  }
  return secrets;
}

function tooLarge() {
  return new LimitError(
    `A read-only folder of the programs holds more than ${MAX_ENTRIES} files, or folders that are ${MAX_DEPTH} deep, so it was not searched for secrets and nothing was run. The application can leave it out ("hidden" of createShellTools).`,
    { details: { limit: 'readOnly' } },
  );
}
