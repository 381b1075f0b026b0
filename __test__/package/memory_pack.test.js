import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hasWeights } from '../helpers/memory_model.js';
import { tempRoot } from '../helpers/temp_root.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const exec = promisify(execFile);

it.skipIf(!hasWeights)('@tgp/memory is packed with its weights and licence, for the version of the core', async () => {
  const folder = await tempRoot();
  const packing = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await exec('npm', packing, { cwd: join(ROOT, 'npm', 'memory') });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  expect(packed.files.map((/** @type {{ path: string }} */ file) => file.path).sort()).toEqual([
    'LICENSE',
    'NOTICE',
    'README.md',
    'all-minilm-l6-v2.int8.bin',
    'index.d.ts',
    'index.js',
    'package.json',
  ]);
  expect(packed.size).toBeLessThan(35 << 20);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(packed.version).toBe(version);

  await exec('tar', ['xzf', join(folder, packed.filename), '-C', folder]);
  const { weights } = await import(join(folder, 'package', 'index.js'));
  const sum = (/** @type {string} */ file) => createHash('sha256').update(readFileSync(file)).digest('hex');
  expect(sum(weights)).toBe(sum(join(ROOT, 'npm', 'memory', 'all-minilm-l6-v2.int8.bin')));
});
