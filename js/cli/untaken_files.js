import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from '../kernel/agent_access.js';

/**
 * @typedef {import('node:fs').Dirent<Buffer>} Entry
 * @typedef {{ path: string, reason: string }} Untaken
 */

/** Files of a workspace that are looked at. */
const MOST_ENTRIES = 100_000;
/** Files that a line names. */
const MOST_NAMED = 5;
const LONGEST_NAME = 120;
/** What the kernel itself calls a file that it is writing. */
const UNFINISHED = '.tgp-tmp-';

/**
 * What lies in the root and is no file for the kernel: it is neither listed, run nor committed.
 * @param {import('../kernel/tgp.js').TGP} kernel
 * @param {string} root
 * @returns {Promise<Untaken[]>}
 */
export async function untakenFiles(kernel, root) {
  const taken = new Set(await kernel[FILES].list('.'));
  /** @type {Untaken[]} */
  const found = [];
  const folders = [''];
  let met = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // One that cannot be read is the kernel's to complain about.
    const options = /** @type {const} */ ({ withFileTypes: true, encoding: 'buffer' });
    for (const entry of await readdir(join(root, folder), options).catch(() => [])) {
      met += 1;
      if (met > MOST_ENTRIES) return found;
      const name = entry.name.toString();
      const path = folder === '' ? name : `${folder}/${name}`;
      if (name.toLowerCase() === '.git' || name.startsWith(UNFINISHED) || taken.has(path)) continue;
      const reason = await reasonFor(kernel, entry, path);
      if (reason !== undefined) found.push({ path, reason });
      else if (entry.isDirectory()) folders.push(path);
    }
  }
  return found;
}

/**
 * In a few words, and harmless to a terminal.
 * @param {Untaken[]} untaken
 */
export function namedWithReason(untaken) {
  const some = untaken.slice(0, MOST_NAMED).map(({ path, reason }) => `${quoted(path)} (${reason})`);
  const more = untaken.length - some.length;
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * @param {import('../kernel/tgp.js').TGP} kernel
 * @param {Entry} entry
 * @param {string} path
 * @returns {Promise<string | undefined>} nothing for a folder or file that the kernel takes
 */
async function reasonFor(kernel, entry, path) {
  if (entry.isSymbolicLink()) return 'a link';
  if (!entry.isFile() && !entry.isDirectory()) return 'neither a file nor a folder';
  if (!Buffer.from(entry.name.toString()).equals(entry.name)) return 'its name is not UTF-8';
  /** @type {{ code?: string, message?: string }} */
  const error = await kernel[FILES].list(path).then(
    () => ({}),
    (thrown) => thrown,
  );
  if (error.code !== 'ERR_VALIDATION' && error.code !== 'ERR_SECURITY_VIOLATION') return undefined;
  return / (has a [^;]+);/.exec(String(error.message))?.[1] ?? 'a name that is not the same file on every system';
}

/** @param {string} path */
function quoted(path) {
  const shown = path.length > LONGEST_NAME ? `${path.slice(0, LONGEST_NAME)}…` : path;
  const escaped = shown.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
  return `'${escaped}'`;
}
