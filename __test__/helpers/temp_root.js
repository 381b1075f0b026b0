import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * An empty folder that is removed after the test. It calls `onTestFinished` before its first `await`: with concurrent tests,
 * Vitest knows the current test only until then.
 * @returns {Promise<string>}
 */
export async function tempRoot() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tgp-test-')));
  // Threads of a kernel whose Worker was terminated finish what they had begun.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}
