/** Writes on a nearly full disk: the answer matches the files and the repository. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { git } from '../helpers/git_remote.js';
import { fill, smallDisk } from '../helpers/small_disk.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** @param {string} text */
const firstLine = (text) => text.split('\n', 1)[0];

/** The largest number of free blocks, a little more than a write needs. */
const MAX_FREE = 24;

test('a refused write changes nothing, and an uncommitted one is reported', async (context) => {
  const folder = await smallDisk();
  if (folder === undefined) return context.skip('no tmpfs can be mounted here');
  const rootDir = join(folder, '.tgp');
  const { tools } = await createKernel({ rootDir, ledger: false }, { logger: silent });
  const path = 'tools/a.ts';
  await tools.write_file.execute({ path, content: 'return 0' });

  const seen = { committed: 0, written: 0, refused: 0 };
  for (let free = 1; free <= MAX_FREE; free++) {
    const before = firstLine(readFileSync(join(rootDir, path), 'utf8'));
    const content = `return ${free}\n// ${'x'.repeat((free % 4) * 4_000)}`;
    const release = fill(folder, free);
    const answer = await tools.write_file.execute({ path, content }).catch((error) => error);
    release();
    const onDisk = firstLine(readFileSync(join(rootDir, path), 'utf8'));
    const committed = firstLine(git(rootDir, 'show', `HEAD:${path}`));
    if (answer instanceof Error) {
      expect(answer).toMatchObject({ code: 'ERR_IO' });
      expect(onDisk).toBe(before);
      seen.refused += 1;
    } else if (answer.persisted === true) {
      expect([onDisk, committed]).toEqual([`return ${free}`, `return ${free}`]);
      seen.committed += 1;
    } else {
      expect(answer).toMatchObject({ persisted: false, problem: expect.stringContaining('No space left') });
      expect(onDisk).toBe(`return ${free}`);
      seen.written += 1;
    }
  }
  // All three outcomes occurred; otherwise the disk was not full enough.
  expect(Object.values(seen).every((count) => count > 0)).toBe(true);
});
