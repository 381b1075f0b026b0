/** The picture of the command line in the README matches its output. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hasTerminals } from '../helpers/run_terminal.js';
import { tempRoot } from '../helpers/temp_root.js';

test.skipIf(!hasTerminals())('docs/agent.svg is the output of "node scripts/cast.mjs"', async () => {
  const file = join(await tempRoot(), 'agent.svg');
  await promisify(execFile)(process.execPath, ['scripts/cast.mjs', file]);
  const made = await readFile(file, 'utf8');
  expect(made.length).toBeLessThan(60_000);
  expect(made).toBe(await readFile('docs/agent.svg', 'utf8'));
});
