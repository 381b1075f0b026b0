/** Applies the changes of a program to the real folder, atomically. */

import { randomUUID } from 'node:crypto';
import { chmod, constants, copyFile, link, lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GitConflictError, IoError } from '../boundary/errors.js';
import type { ScratchChange } from './differences.js';
import { identityOf } from './private_keys.js';

/** `next` is the new file, `before` the old one, both in the folder of `place`. */
type Step = { change: ScratchChange; place: string; next: string; before: string };

export async function applyChanges(cwd: string, scratch: string, changes: ScratchChange[]) {
  for (const change of changes) await refuseConflict(cwd, change);
  const steps: Step[] = changes.map((change) => {
    const place = join(cwd, change.path);
    const beside = () => join(dirname(place), `.tgp-${randomUUID()}`);
    return { change, place, next: beside(), before: beside() };
  });
  const folders: string[] = [];
  const undo: (() => Promise<unknown>)[] = [];
  try {
    for (const step of steps) await prepare(cwd, scratch, step, folders);
    for (const step of steps) {
      await refuseConflict(cwd, step.change);
      await take(step, undo);
    }
  } catch (error) {
    for (const back of undo.reverse()) await back().catch(() => {});
    await clear(steps);
    for (const folder of folders.reverse()) await rmdir(folder).catch(() => {});
    if (error instanceof GitConflictError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new IoError(`The changes could not be written (${code}); none was applied.`, { cause: error });
  }
  await clear(steps);
}

/** Refuses a change of a file that has changed since it was copied, or whose folder is now a link. */
async function refuseConflict(cwd: string, { path, kind, real }: ScratchChange) {
  const conflict = (what: string) =>
    new GitConflictError(
      `"${path}" ${what} since the program started; none of its changes was applied. Run the program again on the current files.`,
      { details: { path } },
    );
  let folder = cwd;
  for (const name of dirname(path).split('/')) {
    folder = join(folder, name);
    const about = await lstat(folder).catch(() => undefined);
    if (about === undefined && kind === 'added') break;
    if (!about?.isDirectory()) throw conflict('is in a folder that was replaced');
  }
  const about = await lstat(join(cwd, path), { bigint: true }).catch(() => undefined);
  if (kind === 'added' && about !== undefined) throw conflict('was created by another process');
  if (kind !== 'added' && about === undefined) throw conflict('was removed');
  if (kind !== 'added' && about !== undefined && identityOf(about) !== real) throw conflict('was changed');
}

/**
 * Writes the new file next to its destination.
 * @param folders that were created
 */
async function prepare(cwd: string, scratch: string, { change, place, next }: Step, folders: string[]) {
  if (change.kind === 'removed') return;
  const missing = [];
  for (let folder = dirname(place); folder !== cwd; folder = dirname(folder)) {
    if ((await lstat(folder).catch(() => undefined)) !== undefined) break;
    missing.unshift(folder);
  }
  for (const folder of missing) {
    await mkdir(folder);
    folders.push(folder);
  }
  await copyFile(join(scratch, change.path), next, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await chmod(next, change.mode & 0o777);
  const file = await open(next, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Moves one change into place. */
async function take({ change, place, next, before }: Step, undo: (() => Promise<unknown>)[]) {
  if (change.kind === 'removed') {
    await rename(place, before);
    undo.push(() => rename(before, place));
  } else if (change.kind === 'changed') {
    await link(place, before);
    undo.push(() => rename(before, place));
    await rename(next, place);
  } else {
    // Unlike rename, link does not replace a file created meanwhile.
    await link(next, place);
    undo.push(() => rm(place));
  }
}

async function clear(steps: Step[]) {
  await Promise.all(steps.flatMap(({ next, before }) => [rm(next, { force: true }), rm(before, { force: true })]));
}
