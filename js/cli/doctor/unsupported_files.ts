/** Finds files that the kernel does not support, for `tgp doctor`. */

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from '../../kernel/access_symbols.js';
import type { TGP } from '../../kernel/tgp.js';

type Entry = Dirent<Buffer>;
type UnsupportedFile = { path: string; reason: string };

/** Maximum number of directory entries that are examined. */
const MAX_ENTRIES = 100_000;
/** Maximum number of files named in one line. */
const MAX_NAMED = 5;
const MAX_NAME_CHARS = 120;
/** Prefix of the kernel's temporary files. */
const UNFINISHED = '.tgp-tmp-';

/** Files in the root that the kernel does not support: they are not listed, run or committed. */
export async function unsupportedFiles(kernel: TGP, root: string): Promise<UnsupportedFile[]> {
  const listed = new Set(await kernel[FILES].read('list_files', { dir: '.' }));
  const found: UnsupportedFile[] = [];
  const folders = [''];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // The kernel itself reports a folder that cannot be read.
    const options = { withFileTypes: true, encoding: 'buffer' } as const;
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

/** A short list of files with reasons, escaped for a terminal. */
export function describeFiles(files: UnsupportedFile[]) {
  const some = files.slice(0, MAX_NAMED).map(({ path, reason }) => `${quoted(path)} (${reason})`);
  const more = files.length - some.length;
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** @returns undefined for a folder or file that the kernel supports */
async function reasonFor(kernel: TGP, entry: Entry, path: string): Promise<string | undefined> {
  if (entry.isSymbolicLink()) return 'a link';
  if (!entry.isFile() && !entry.isDirectory()) return 'neither a file nor a folder';
  if (!Buffer.from(entry.name.toString()).equals(entry.name)) return 'its name is not UTF-8';
  const error: { code?: string; message?: string } = await kernel[FILES].read('list_files', { dir: path }).then(
    () => ({}),
    (thrown) => thrown,
  );
  if (error.code !== 'ERR_VALIDATION' && error.code !== 'ERR_SECURITY_VIOLATION') return undefined;
  return (
    / ((?:has|contains) a [^;]+);/.exec(String(error.message))?.[1] ??
    'a name that is not the same file on every system'
  );
}

function quoted(path: string) {
  const shown = path.length > MAX_NAME_CHARS ? `${path.slice(0, MAX_NAME_CHARS)}…` : path;
  const escaped = shown.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
  return `'${escaped}'`;
}
