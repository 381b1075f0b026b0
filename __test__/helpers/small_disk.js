import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { tempRoot } from './temp_root.js';

const BLOCK = Buffer.alloc(4_096, 1);

/** A disk of a few megabytes; `undefined` if this user may not mount one. */
export async function smallDisk() {
  const folder = join(await tempRoot(), 'disk');
  await mkdir(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  return folder;
}

/**
 * Fills the disk, and returns a function that frees the space.
 * @param {string} folder
 * @param {number} [free] blocks of 4 KiB that are left
 */
export function fill(folder, free = 0) {
  const file = join(folder, 'filler');
  const descriptor = openSync(file, 'w');
  try {
    while (free === 0 || statfsSync(folder).bavail > free) writeSync(descriptor, BLOCK);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(descriptor);
  }
  return () => rmSync(file);
}
