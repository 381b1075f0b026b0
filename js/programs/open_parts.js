/** The parts of a read-only folder that programs may read: all of it, or what lies around secrets and workspaces in it. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LimitError } from '../boundary/errors.js';
import { fateOf } from './kept_back.js';

/** Files and folders that are looked at for their names. */
const MAX_ENTRIES = 500_000;
const MAX_DEPTH = 64;

/**
 * @param {string} folder
 * @param {Pick<import('./scratch_copy.js').CopyRules, 'isHidden' | 'places'>} rules
 * @returns {Promise<string[]>} the folder itself where nothing in it is hidden
 */
export async function openParts(folder, rules) {
  let entries = 0;
  /** @type {(place: string, depth: number) => Promise<string[]>} */
  const partsOf = async (place, depth) => {
    /** @type {string[]} */
    const parts = [];
    let isWhole = true;
    for (const entry of await readdir(place, { withFileTypes: true })) {
      entries += 1;
      if (entries > MAX_ENTRIES || depth > MAX_DEPTH) throw tooLarge();
      // A link is read by the name of where it leads.
      if (entry.isSymbolicLink()) continue;
      const path = join(place, entry.name);
      if (rules.isHidden(entry.name) || fateOf(path, entry.isDirectory(), rules.places) === 'hidden') {
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

function tooLarge() {
  return new LimitError(
    `A read-only folder of the programs holds more than ${MAX_ENTRIES} files, or folders that are ${MAX_DEPTH} deep, so it was not searched for secrets and nothing was run. The application can leave it out ("hidden" of createShellTools).`,
    { details: { limit: 'readOnly' } },
  );
}
