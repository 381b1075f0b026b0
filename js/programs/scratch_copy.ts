/** Makes the scratch copy of a folder for a program, and records the state of the copied files. */

import type { Dirent } from 'node:fs';
import { chmod, constants, copyFile, lstat, mkdir, opendir, readlink, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { throwIfAborted } from '../boundary/abort.js';
import { IoError, LimitError } from '../boundary/errors.js';
import { copyRepository, isRepository } from './copied_repository.js';
import { identityOf, isPrivateKey } from './private_keys.js';
import type { KernelPlaces } from './protected_paths.js';
import { accessOf } from './protected_paths.js';
import { readablePaths } from './readable_paths.js';

/** Number of files copied concurrently. */
const CONCURRENCY = 16;
const MAX_DEPTH = 64;

/** What is copied, and how much of it. */
export type CopyRules = {
  maxFiles: number;
  maxBytes: number;
  /** Names that are not copied. */
  isHidden: (name: string) => boolean;
  /** Names of folders that are only linked, and of files that programs may not change. */
  isReadOnly: (name: string) => boolean;
  /** Private keys, in files of any name. */
  keys: 'hidden' | 'seen';
  /** Paths of the kernel that controls the programs. */
  places?: KernelPlaces;
};
/** `isFixed`: programs may not change it. */
export type CopiedFile = { kind: 'file'; real: string; copied: string; mode: number; isFixed: boolean };
/** `own` is a folder whose copy is never applied back. */
export type Entry = CopiedFile | { kind: 'link'; target: string } | { kind: 'view'; target: string } | { kind: 'own' };
/** `leftOut` are existing paths that were not copied. */
export type Copy = { entries: Map<string, Entry>; leftOut: Set<string>; views: string[]; files: number; bytes: number };

/** @param to an empty folder */
export async function copyFolder(
  from: string,
  to: string,
  rules: CopyRules,
  signal: AbortSignal | undefined,
): Promise<Copy> {
  const copy: Copy = { entries: new Map(), leftOut: new Set(), views: [], files: 0, bytes: 0 };
  const folders: string[] = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    let waiting: (() => Promise<void>)[] = [];
    for await (const entry of await opendir(join(from, folder))) {
      throwIfAborted(signal);
      if (rules.isHidden(entry.name) || isUnreadable(entry.name)) continue;
      copy.files += 1;
      if (copy.files > rules.maxFiles) throw tooMuch(`more than ${rules.maxFiles} files`, 'files');
      const path = posix.join(folder, entry.name);
      const access = accessOf(join(from, path), entry.isDirectory(), rules.places);
      if (access === 'hidden') {
        copy.leftOut.add(path);
        continue;
      }
      const isView = access === 'readOnly' || rules.isReadOnly(entry.name);
      if (entry.isDirectory() && !isView) {
        if (path.split('/').length > MAX_DEPTH) throw tooMuch(`more than ${MAX_DEPTH} levels of folders`, 'hidden');
        await mkdir(join(to, path));
        folders.push(path);
        continue;
      }
      waiting.push(() => copyEntry(from, to, path, entry, isView, rules, copy));
      if (waiting.length < CONCURRENCY) continue;
      await allOf(waiting);
      waiting = [];
    }
    await allOf(waiting);
  }
  return copy;
}

/** Whether a name is not valid UTF-8, so that the file has no path in JavaScript. */
export function isUnreadable(name: string) {
  return name.includes('\ufffd');
}

/** Runs work concurrently and waits for all of it, then throws the first error. */
async function allOf(work: (() => Promise<void>)[]) {
  const outcomes = await Promise.allSettled(work.map((one) => one()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function copyEntry(
  from: string,
  to: string,
  path: string,
  entry: Dirent,
  isView: boolean,
  rules: CopyRules,
  copy: Copy,
) {
  const [real, copied] = [join(from, path), join(to, path)];
  if (isView && entry.isDirectory() && isRepository(real)) {
    copy.views.push(...(await copyRepository(real, copied, rules)));
    copy.entries.set(path, { kind: 'own' });
  } else if (isView && entry.isDirectory()) {
    await symlink(real, copied);
    copy.views.push(...(await readablePaths(real, rules)));
    copy.entries.set(path, { kind: 'view', target: real });
  } else if (entry.isFile()) {
    const before = await lstat(real, { bigint: true });
    if (rules.keys === 'hidden' && (await isPrivateKey(real, before))) {
      copy.leftOut.add(path);
      return;
    }
    copy.bytes += Number(before.size);
    if (copy.bytes > rules.maxBytes) throw tooMuch(`more than ${rules.maxBytes} bytes`, 'folderMb');
    await copyFile(real, copied, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    const mode = Number(before.mode) & 0o777;
    await chmod(copied, mode | 0o600);
    const [after, own] = await Promise.all([lstat(real, { bigint: true }), lstat(copied, { bigint: true })]);
    if (identityOf(before) !== identityOf(after)) {
      throw new IoError(`"${path}" was changed while it was copied. Nothing was run. Retry.`);
    }
    const [is, was] = [identityOf(own), identityOf(before)];
    copy.entries.set(path, { kind: 'file', real: was, copied: is, mode, isFixed: isView });
  } else if (entry.isSymbolicLink()) {
    const target = await readlink(real);
    if (!staysInside(path, target)) return;
    await symlink(target, copied);
    copy.entries.set(path, { kind: 'link', target });
  }
}

/** Whether a link stays inside the folder. Other links are not copied, because the program could not follow them. */
function staysInside(path: string, target: string) {
  if (isAbsolute(target)) return false;
  const place = posix.normalize(posix.join(dirname(path), target));
  return place !== '..' && !place.startsWith('../');
}

function tooMuch(what: string, option: string) {
  return new LimitError(
    `The folder for programs has ${what}; it was not copied and nothing was run. The application can exclude parts ("hidden", "readOnly") or raise "${option}" of createShellTools.`,
    { details: { limit: option } },
  );
}
