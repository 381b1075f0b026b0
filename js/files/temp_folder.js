import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guarded, ignored } from '../boundary/guarded.js';

/** Folders that a process which ends without a farewell must not leave behind. */
const open = new Set();
let isWatching = false;

/** @param {string} prefix */
export function makeTempFolder(prefix) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  open.add(folder);
  if (!isWatching) {
    isWatching = true;
    const clear = guarded(ignored, () => {
      for (const left of open) rmSync(left, { recursive: true, force: true });
    });
    process.on('exit', clear);
  }
  return folder;
}

/** @param {string} folder */
export async function removeTempFolder(folder) {
  open.delete(folder);
  await rm(folder, { recursive: true, force: true });
}
