import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from '../kernel/agent_access.js';

/**
 * @typedef {import('node:fs').Dirent<Buffer>} Entry
 * @typedef {{ path: string, reason: string }} UnsupportedFile
 */

/** Maximum number of directory entries that are examined. */
const MAX_ENTRIES = 100_000;
/** Maximum number of files named in one line. */
const MAX_NAMED = 5;
const MAX_NAME_CHARS = 120;
/** Prefix of the kernel's temporary files. */
const UNFINISHED = '.tgp-tmp-';

/**
 * Files in the root that the kernel does not support: they are not listed, run or committed.
 * @param {import('../kernel/tgp.js').TGP} kernel
 * @param {string} root
 * @returns {Promise<UnsupportedFile[]>}
 */
export async function unsupportedFiles(kernel, root) {
  const listed = new Set(await kernel[FILES].list('.'));
  /** @type {UnsupportedFile[]} */
  const found = [];
  const folders = [''];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // The kernel itself reports a folder that cannot be read.
    const options = /** @type {const} */ ({ withFileTypes: true, encoding: 'buffer' });
    for (const entry of await readdir(join(root, folder), options).catch(() => [])) {
      entries += 1;
      if (entries > MAX_ENTRIES) return found;
      const name = entry.name.toString();
      const path = folder === '' ? name : `${folder}/${name}`;
      if (name.toLowerCase() === '.git' || name.startsWith(UNFINISHED) || listed.has(path)) continue;
      const reason = await reasonFor(kernel, entry, path);
      if (reason !== undefined) found.push({ path, reason });
      else if (entry.isDirectory()) folders.push(path);
    }
  }
  return found;
}

/**
 * A short list of files with reasons, escaped for a terminal.
 * @param {UnsupportedFile[]} files
 */
export function describeFiles(files) {
  const some = files.slice(0, MAX_NAMED).map(({ path, reason }) => `${quoted(path)} (${reason})`);
  const more = files.length - some.length;
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * @param {import('../kernel/tgp.js').TGP} kernel
 * @param {Entry} entry
 * @param {string} path
 * @returns {Promise<string | undefined>} undefined for a folder or file that the kernel supports
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
  return (
    / ((?:has|contains) a [^;]+);/.exec(String(error.message))?.[1] ??
    'a name that is not the same file on every system'
  );
}

/** @param {string} path */
function quoted(path) {
  const shown = path.length > MAX_NAME_CHARS ? `${path.slice(0, MAX_NAME_CHARS)}…` : path;
  const escaped = shown.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
  return `'${escaped}'`;
}
