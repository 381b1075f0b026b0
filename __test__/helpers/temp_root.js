import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * An empty folder that is gone after the test.
 * @returns {Promise<string>}
 */
export async function tempRoot() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tgp-test-')));
  // Threads of a kernel whose Worker was terminated finish what they had begun.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}
