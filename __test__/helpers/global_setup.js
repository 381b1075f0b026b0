/** The setup that all test files of a run share; Vitest calls it for each of its projects before the first test. */

import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { staleBuild } from '../../tools/built_sources.mjs';
import { BROKER, startBroker } from './shared_servers.js';

/** A file system in memory. Tests commit and write thousands of times, and each write would wait for a disk. */
const IN_MEMORY = '/dev/shm';
const NAME = 'tgp-tests-';
/** Bytes that the tests of a run may need at the same time. */
const ROOM = 4 * 2 ** 30;

export async function setup() {
  if (process.env[BROKER] !== undefined) return undefined;
  const problem = staleBuild();
  warnOf(problem);
  const { port, stop } = await startBroker();
  process.env[BROKER] = String(port);
  const folder = hasRoom(IN_MEMORY) ? mkdtempSync(join(IN_MEMORY, `${NAME}${process.pid}-`)) : undefined;
  if (folder !== undefined) {
    removeLeftovers();
    // As /tmp is: databases run as users of their own.
    chmodSync(folder, 0o1777);
    process.env.TMPDIR = folder;
  }
  return async () => {
    await stop();
    // Again below the failures.
    warnOf(problem);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
}

/**
 * Tests of sources alone, such as the architecture, also pass without a build.
 * @param {string} [problem]
 */
function warnOf(problem) {
  if (problem !== undefined) process.stderr.write(`\nWarning: ${problem}\n`);
}

/** Removes the folders of runs that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(IN_MEMORY).filter((found) => found.startsWith(NAME))) {
    const pid = /^\d+(?=-)/.exec(name.slice(NAME.length))?.[0];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(IN_MEMORY, name), { recursive: true, force: true });
  }
}

/**
 * Whether a folder exists and has enough room. A TMPDIR of the caller is kept.
 * @param {string} folder
 */
function hasRoom(folder) {
  if (process.platform !== 'linux' || tmpdir() !== '/tmp') return false;
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}
