import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * An empty folder that is removed after the test. Not for tests that run concurrently, where Vitest may take another test for the
 * current one.
 * @returns {Promise<string>}
 */
export async function tempRoot() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tgp-test-')));
  // Threads of a kernel whose Worker was terminated finish what they had begun.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}
