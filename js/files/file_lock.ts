/** A lock file between processes for read-modify-write of a file. */

import { link, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { parseForeignJson } from '../boundary/foreign_json.js';

/** Timeout for the lock of another process, and polling interval. */
const TIMEOUT_MS = 5_000;
const POLL_MS = 20;
const MAX_MARK_BYTES = 4_096;

type Holders = {
  /** The mark of this process. */
  ownIdentity: () => object;
  /** Whether the process of a mark is alive; `seen` is when the mark was written. */
  isAlive: (mark: unknown, seen: number) => boolean;
};

/** Does work while holding the lock of a file. A lock of an ended process is ignored. */
export async function whileLocked<T>(
  file: string,
  { ownIdentity, isAlive }: Holders,
  work: () => Promise<T>,
): Promise<T> {
  const place = await realpath(file);
  const lock = join(dirname(place), `.${basename(place)}.lock`);
  const until = performance.now() + TIMEOUT_MS;
  const own = JSON.stringify(ownIdentity());
  while (!(await taken(lock, own))) {
    if (await isStale(lock, isAlive)) {
      await removeStale(lock, isAlive);
    } else if (performance.now() > until) {
      throw new Error(`Another process has kept ${basename(file)} locked for ${TIMEOUT_MS} ms.`);
    } else {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  try {
    return await work();
  } finally {
    // Another process may have taken over the lock while this one was suspended.
    if ((await readTextAtMost(lock, MAX_MARK_BYTES).catch(unlessGone)) === own) await rm(lock, { force: true });
  }
}

/**
 * Removes a stale lock. It is renamed first: if two processes find it, the slower one has renamed the new lock of the other, and
 * restores it.
 */
async function removeStale(lock: string, isAlive: Holders['isAlive']) {
  const renamed = `${lock}.${process.pid}`;
  try {
    await rename(lock, renamed);
    if (!(await isStale(renamed, isAlive))) await link(renamed, lock);
  } catch (error) {
    unlessGone(error);
  } finally {
    await rm(renamed, { force: true });
  }
}

async function taken(lock: string, mark: string) {
  try {
    await writeFile(lock, mark, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether the process that holds a lock has ended without releasing it. */
async function isStale(lock: string, isAlive: Holders['isAlive']) {
  try {
    const { mtimeMs } = await stat(lock);
    // A new lock file without a mark is still being written.
    const isNew = Math.abs(Date.now() - mtimeMs) < TIMEOUT_MS;
    const text = await readTextAtMost(lock, MAX_MARK_BYTES);
    const mark = markIn(text);
    return mark === undefined ? !isNew : !isAlive(mark, mtimeMs);
  } catch (error) {
    unlessGone(error);
    return false;
  }
}

function markIn(text: string) {
  try {
    return parseForeignJson(text);
  } catch {
    return undefined;
  }
}

function unlessGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
