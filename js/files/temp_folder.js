import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guarded, ignored } from '../boundary/guarded.js';

/** Folders that a process which ends without a farewell must not leave behind. */
const open = new Set();
let isWatching = false;

/** Most leftovers of others that one process clears: whoever starts must not wait long for it. */
const MAX_SWEPT = 100;

/**
 * A folder that is gone with this process; after a kill, with the next one that makes such a folder.
 * @param {string} prefix
 */
export function makeTempFolder(prefix) {
  if (!isWatching) {
    isWatching = true;
    const clear = guarded(ignored, () => {
      for (const left of open) rmSync(left, { recursive: true, force: true });
    });
    process.on('exit', clear);
    guarded(ignored, sweep)();
  }
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${processes()}-${process.pid}-`));
  open.add(folder);
  return folder;
}

/** @param {string} folder */
export async function removeTempFolder(folder) {
  open.delete(folder);
  await rm(folder, { recursive: true, force: true });
}

/** Removes what processes that were killed have left. */
function sweep() {
  const own = new RegExp(`^tgp-\\w+-${processes()}-(\\d+)-\\w{6}$`);
  const left = readdirSync(tmpdir()).filter((name) => {
    const [, id] = own.exec(name) ?? [];
    return id !== undefined && !isAlive(Number(id));
  });
  for (const name of left.slice(0, MAX_SWEPT)) {
    // One of another user stays.
    guarded(ignored, () => rmSync(join(tmpdir(), name), { recursive: true, force: true }))();
  }
}

/** Among which processes an id means something: containers that share a temporary folder each count from one. */
function processes() {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** @param {number} id */
function isAlive(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}
