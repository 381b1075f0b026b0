/** Temporary folders that are removed when the process ends. */

import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guarded, ignored } from '../boundary/guarded.js';

/** Folders to remove on exit. */
const open = new Set<string>();
let isWatching = false;

/** Maximum number of stale folders to remove at start. */
const MAX_SWEPT = 100;

/** Creates a folder that is removed on exit, or, after a kill, when the next process creates such a folder. */
export function makeTempFolder(prefix: string) {
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

/** Removes a temporary folder before the process ends. */
export async function removeTempFolder(folder: string) {
  open.delete(folder);
  await rm(folder, { recursive: true, force: true });
}

/** Removes folders of killed processes. */
function sweep() {
  const own = new RegExp(`^tgp-\\w+-${processes()}-(\\d+)-\\w{6}$`);
  const left = readdirSync(tmpdir()).filter((name) => {
    const [, id] = own.exec(name) ?? [];
    return id !== undefined && !isAlive(Number(id));
  });
  for (const name of left.slice(0, MAX_SWEPT)) {
    // Fails for folders of other users.
    guarded(ignored, () => rmSync(join(tmpdir(), name), { recursive: true, force: true }))();
  }
}

/** The PID namespace: containers that share a temporary folder have separate process ids. */
function processes() {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function isAlive(id: number) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
