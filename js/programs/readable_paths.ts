/** The parts of a read-only folder that programs may read: everything except secrets and kernel workspaces. */

import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LimitError } from '../boundary/errors.js';
import { isPrivateKey } from './private_keys.js';
import { accessOf, isCode, isGitConfig, isGitFolder } from './protected_paths.js';
import type { CopyRules } from './scratch_copy.js';

/** Maximum number of files and folders. */
const MAX_ENTRIES = 500_000;
const MAX_DEPTH = 64;
/** Number of files searched concurrently. */
const CONCURRENCY = 16;

/** @returns only the folder itself if nothing in it is hidden */
export async function readablePaths(
  folder: string,
  rules: Pick<CopyRules, 'isHidden' | 'keys' | 'places'>,
): Promise<string[]> {
  let entries = 0;
  const partsOf = async (place: string, depth: number): Promise<string[]> => {
    const parts: string[] = [];
    const within = await readdir(place, { withFileTypes: true });
    const secrets = await secretFiles(place, within, rules);
    let isWhole = true;
    for (const entry of within) {
      entries += 1;
      if (entries > MAX_ENTRIES || depth > MAX_DEPTH) throw tooLarge();
      // Access to a link is decided by its target.
      if (entry.isSymbolicLink()) continue;
      const path = join(place, entry.name);
      const isHidden = rules.isHidden(entry.name) || accessOf(path, entry.isDirectory(), rules.places) === 'hidden';
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

/** The names of secret files in a folder: private keys, and the configuration of a repository with its addresses. */
async function secretFiles(folder: string, within: Dirent[], rules: Pick<CopyRules, 'keys'>): Promise<Set<string>> {
  const names = within.filter((entry) => entry.isFile()).map(({ name }) => name);
  const secrets = new Set(isGitFolder(within) ? names.filter(isGitConfig) : []);
  if (rules.keys === 'seen') return secrets;
  const looked = names.filter((name) => !isCode(name));
  for (let at = 0; at < looked.length; at += CONCURRENCY) {
    await Promise.all(
      looked.slice(at, at + CONCURRENCY).map(async (name) => {
        const path = join(folder, name);
        // An unreadable file counts as secret.
        const isKey = lstat(path, { bigint: true }).then((about) => isPrivateKey(path, about));
        if (await isKey.catch(() => true)) secrets.add(name);
      }),
    );
  }
  return secrets;
}

function tooLarge() {
  return new LimitError(
    `A read-only folder for programs has more than ${MAX_ENTRIES} files or ${MAX_DEPTH} levels of folders, so it cannot be searched for secrets; nothing was run. The application can exclude it ("hidden" of createShellTools).`,
    { details: { limit: 'readOnly' } },
  );
}
