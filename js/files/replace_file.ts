/** Atomic replacement of files on disk. */

import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Replaces a file atomically: readers see either the old or the new text. */
export async function replaceFile(path: string, text: string) {
  const place = await realpath(path);
  const { mode } = await stat(place);
  const other = join(dirname(place), `.${basename(place)}.${randomUUID()}`);
  try {
    const file = await open(other, 'wx', mode & 0o777);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(other, place);
  } catch (error) {
    await rm(other, { force: true });
    throw error;
  }
}
