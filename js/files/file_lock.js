/** A lock between processes on a file that is read, changed and written back. */

import { link, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { parseForeignJson } from '../boundary/foreign_json.js';

/** How long is waited for another process, and how often it is looked. */
const WAIT_MS = 5_000;
const LOOK_MS = 20;
const MAX_MARK_BYTES = 4_096;

/**
 * @typedef {object} Holders
 * @property {() => object} ownIdentity of this process
 * @property {(mark: any, seen: number) => boolean} isAlive whether the process of a mark that was made then still works
 */

/**
 * Does something while no other process that uses this lock does. The lock of a process that has ended counts for nothing.
 * @template T
 * @param {string} file
 * @param {Holders} holders
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function whileLocked(file, { ownIdentity, isAlive }, work) {
  const place = await realpath(file);
  const lock = join(dirname(place), `.${basename(place)}.lock`);
  const until = performance.now() + WAIT_MS;
  const own = JSON.stringify(ownIdentity());
  while (!(await taken(lock, own))) {
    if (await isLeft(lock, isAlive)) {
      await removeLeft(lock, isAlive);
    } else if (performance.now() > until) {
      throw new Error(`Another process has kept ${basename(file)} locked for ${WAIT_MS} ms.`);
    } else {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
  try {
    return await work();
  } finally {
    // Not that of another process, which may have taken it from one that stood still.
    if ((await readTextAtMost(lock, MAX_MARK_BYTES).catch(unlessGone)) === own) await rm(lock, { force: true });
  }
}

/**
 * Takes away the lock of a process that has ended. It is renamed first: of two processes that find it, the slower one would
 * remove the new lock of the other, and puts it back.
 * @param {string} lock
 * @param {Holders['isAlive']} isAlive
 */
async function removeLeft(lock, isAlive) {
  const left = `${lock}.${process.pid}`;
  try {
    await rename(lock, left);
    if (!(await isLeft(left, isAlive))) await link(left, lock);
  } catch (error) {
    unlessGone(error);
  } finally {
    await rm(left, { force: true });
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
 * Whether the process that holds a lock has ended without taking it back.
 * @param {string} lock
 * @param {Holders['isAlive']} isAlive
 */
async function isLeft(lock, isAlive) {
  try {
    const { mtimeMs } = await stat(lock);
    // One that has no mark yet is being made.
    const isNew = Math.abs(Date.now() - mtimeMs) < WAIT_MS;
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
