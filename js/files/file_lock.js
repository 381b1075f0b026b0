/** A lock file between processes for read-modify-write of a file. */

import { link, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { parseForeignJson } from '../boundary/foreign_json.js';

/** Timeout for the lock of another process, and polling interval. */
const TIMEOUT_MS = 5_000;
const POLL_MS = 20;
const MAX_MARK_BYTES = 4_096;

/**
 * @typedef {object} Holders
 * @property {() => object} ownIdentity the mark of this process
 * @property {(mark: any, seen: number) => boolean} isAlive whether the process of a mark is alive; `seen` is when the mark was written
 */

/**
 * Does work while holding the lock of a file. A lock of an ended process is ignored.
 * @template T
 * @param {string} file
 * @param {Holders} holders
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function whileLocked(file, { ownIdentity, isAlive }, work) {
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
 * @param {string} lock
 * @param {Holders['isAlive']} isAlive
 */
async function removeStale(lock, isAlive) {
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

/**
 * @param {string} lock
 * @param {string} mark
 */
async function taken(lock, mark) {
  try {
    await writeFile(lock, mark, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Whether the process that holds a lock has ended without releasing it.
 * @param {string} lock
 * @param {Holders['isAlive']} isAlive
 */
async function isStale(lock, isAlive) {
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

/** @param {string} text */
function markIn(text) {
  try {
    return parseForeignJson(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} error
 * @returns {undefined}
 */
function unlessGone(error) {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
}
