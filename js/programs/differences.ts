/** Compares the scratch copy of a program with the original folder. */

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { chmod, lstat, open, opendir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { readFileAtMost } from '../boundary/bounded_read.js';
import { visible } from '../boundary/harmless.js';
import { native } from '../boundary/native.js';
import { unwrap } from '../boundary/unwrap.js';
import { identityOf } from './private_keys.js';
import { isConfigFile } from './protected_paths.js';
import type { CopiedFile, Copy, CopyRules, Entry } from './scratch_copy.js';
import { isUnreadable } from './scratch_copy.js';

/** Maximum size of a file shown as a diff, and of all diffs. */
const MAX_SHOWN_BYTES = 1 << 20;
const MAX_SHOWN_CHARS = 400_000;
/** End of a truncated diff. */
const CUT = '\n[truncated]\n';
const MAX_PROBLEMS = 20;
/** Longer paths exceed the system's limit. */
const MAX_PATH_BYTES = 3_000;
const PIECE_BYTES = 1 << 20;

/** `was` is the mode and `real` the identity of the file when it was copied. */
export type ScratchChange = {
  path: string;
  kind: 'added' | 'changed' | 'removed';
  mode: number;
  was?: number;
  real?: string;
};
/** `isWhole`: the diff shows all of the change. */
export type ShownDiff = { path: string; diff: string; isWhole: boolean };
/** `problems` prevent them from being applied. */
export type Differences = { changes: ScratchChange[]; problems: string[] };

/** Compares after the program has ended. */
export async function differencesOf(cwd: string, scratch: string, copy: Copy, rules: CopyRules): Promise<Differences> {
  const found: Differences = { changes: [], problems: [] };
  const seen = new Set();
  const wereFolders = new Set([...copy.entries.keys()].flatMap(parentsOf));
  const folders: string[] = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (Buffer.byteLength(folder) > MAX_PATH_BYTES) {
      found.problems.push(`"${folder.slice(0, 100)}…" is nested too deeply`);
      continue;
    }
    // The program may have removed our permissions.
    await chmod(join(scratch, folder), 0o700);
    for await (const entry of await opendir(join(scratch, folder))) {
      const path = posix.join(folder, entry.name);
      seen.add(path);
      const before = copy.entries.get(path);
      if (before?.kind === 'own' && entry.isDirectory()) continue;
      const isKept =
        rules.isHidden(entry.name) ||
        rules.isReadOnly(entry.name) ||
        isConfigFile(entry.name) ||
        copy.leftOut.has(path);
      if (isUnreadable(entry.name)) found.problems.push(`"${path}" has a name that is not valid UTF-8`);
      else if (entry.isFile() && wereFolders.has(path)) found.problems.push(`"${path}" was a folder`);
      else if (isKept && before === undefined) found.problems.push(`"${path}" has a name that programs may not use`);
      else if (entry.isDirectory() && before === undefined) folders.push(path);
      else if (entry.isFile() && (before === undefined || before.kind === 'file')) {
        const change = await changeOf(cwd, scratch, path, before);
        if (change !== undefined && before?.isFixed) found.problems.push(`"${path}" may not be changed by programs`);
        else if (change !== undefined) found.changes.push(change);
      } else if (!(entry.isSymbolicLink() && (await isSameLink(join(scratch, path), before)))) {
        found.problems.push(`"${path}" has become ${kindOf(entry)}`);
      }
    }
  }
  for (const [path, before] of copy.entries) {
    if (seen.has(path)) continue;
    if (before.kind === 'own') continue;
    if (before.kind !== 'file') found.problems.push(`the link "${path}" was removed`);
    else if (before.isFixed) found.problems.push(`"${path}" may not be removed by programs`);
    else found.changes.push({ path, kind: 'removed', mode: before.mode, real: before.real });
  }
  found.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  found.problems.splice(MAX_PROBLEMS);
  return found;
}

function parentsOf(path: string) {
  const names = path.split('/');
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'));
}

async function changeOf(
  cwd: string,
  scratch: string,
  path: string,
  before: CopiedFile | undefined,
): Promise<ScratchChange | undefined> {
  const place = join(scratch, path);
  const about = await lstat(place, { bigint: true });
  if (before !== undefined && identityOf(about) === before.copied) return undefined;
  if ((Number(about.mode) & 0o400) === 0) await chmod(place, 0o600);
  const executable = Number(about.mode) & 0o111;
  if (before === undefined) return { path, kind: 'added', mode: executable ? 0o755 : 0o644 };
  // A program may only make a file executable; the rest of its mode stays.
  const mode = executable && !(before.mode & 0o111) ? before.mode | 0o111 : before.mode;
  const isSame = mode === before.mode && (await digestOf(place)) === (await digestOf(join(cwd, path)));
  return isSame ? undefined : { path, kind: 'changed', mode, was: before.mode, real: before.real };
}

async function isSameLink(place: string, before: Entry | undefined) {
  if (before?.kind !== 'link' && before?.kind !== 'view') return false;
  return (await readlink(place)) === before.target;
}

function kindOf(entry: Dirent) {
  if (entry.isSymbolicLink()) return 'a link';
  if (entry.isDirectory()) return 'a folder';
  return entry.isFile() ? 'a file' : 'neither a file nor a folder';
}

/** @returns undefined if the file no longer exists */
async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(piece);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** The changes as unified diffs, up to the size limit. */
export async function diffsOf(cwd: string, scratch: string, changes: ScratchChange[]): Promise<ShownDiff[]> {
  const diffs = [];
  let room = MAX_SHOWN_CHARS;
  for (const change of changes) {
    if (room <= 0) break;
    const { diff, isWhole } = await diffOf(cwd, scratch, change);
    const isCut = diff.length > room;
    const shown = isCut ? `${diff.slice(0, room).toWellFormed()}${CUT}` : diff;
    room -= shown.length;
    diffs.push({ path: change.path, diff: shown, isWhole: isWhole && !isCut });
  }
  return diffs;
}

async function diffOf(cwd: string, scratch: string, { path, kind, mode, was }: ScratchChange) {
  const before = kind === 'added' ? null : await shownBytes(join(cwd, path));
  const after = kind === 'removed' ? null : await shownBytes(join(scratch, path));
  // A name must not contain line breaks.
  const name = visible(path);
  if (before === undefined || after === undefined) return { diff: `${name}: too large to show\n`, isWhole: false };
  const becomes = mode & 0o111 && !((was ?? 0) & 0o111) && kind !== 'removed' ? `${name}: becomes executable\n` : '';
  if (isBinary(before) || isBinary(after)) {
    return { diff: `${becomes}${name}: binary, ${described(before)} becomes ${described(after)}\n`, isWhole: true };
  }
  const diff = unwrap(await native().unifiedDiff(path, before, after)) as string;
  return { diff: becomes + diff, isWhole: !diff.endsWith(CUT) };
}

function described(bytes: Buffer | null) {
  if (bytes === null) return 'nothing';
  return `${bytes.length} bytes (sha256 ${createHash('sha256').update(bytes).digest('hex')})`;
}

/** @param bytes whether a text diff cannot show them */
function isBinary(bytes: Buffer | null) {
  return bytes !== null && (bytes.includes(0) || !isUtf8(bytes));
}

async function shownBytes(path: string): Promise<Buffer | undefined> {
  try {
    return await readFileAtMost(path, MAX_SHOWN_BYTES);
  } catch {
    return undefined;
  }
}
