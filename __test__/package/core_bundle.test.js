/** `core.js`: importing the package loads few files, and every module of `dist/` has the objects of the bundle. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const CORE = 'core.js';
const IMPORTED = /^(?:import|export)\b[^'"]*?(?:\bfrom\s*)?['"](\.[^'"]+)['"]/gm;
/** Files that an import of the package may load. It had 250 before they were bundled. */
const MOST_FILES = 40;
/** Compiled without exports, as they have types alone. */
const WITHOUT_EXPORTS = /^export \{\};\s*$/;

/** The files of `dist/` that a file imports statically, itself included. @param {string} entry */
function loadedBy(entry) {
  const files = new Set([join(DIST, entry)]);
  for (const file of files) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) files.add(join(dirname(file), path));
  }
  return [...files].map((file) => relative(DIST, file));
}

describe('the bundle of the package', () => {
  it('is nearly all that an import of the package loads', () => {
    const files = loadedBy('index.js');
    expect(files).toContain(CORE);
    expect(files.length).toBeLessThan(MOST_FILES);
  });

  it.each([
    'next.js',
    'cli/main.js',
    'cli/terminal/output.js',
    'sql/sqlite/sqlite_program.js',
    'bundle/bundle_worker.js',
  ])('is not loaded by %s', (entry) => {
    expect(loadedBy(entry)).not.toContain(CORE);
  });

  it('does not contain a module that exists a second time', async () => {
    const text = readFileSync(join(DIST, CORE), 'utf8');
    const bundled = new Set([...text.matchAll(/^\/\/ (\S+\.js)$/gm)].map(([, name]) => name));
    const all = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
    const doubled = all.filter((name) => {
      if (!bundled.has(name)) return false;
      const module = readFileSync(join(DIST, name), 'utf8');
      return !module.includes(`/${CORE}'`) && !WITHOUT_EXPORTS.test(module);
    });
    expect(bundled.size).toBeGreaterThan(100);
    expect(doubled).toEqual([]);
  });

  it('has the same objects as the modules of dist', async () => {
    const [api, errors, kernel] = await Promise.all([
      import('../../index.js'),
      import('../../dist/boundary/errors.js'),
      import('../../dist/kernel/tgp.js'),
    ]);
    expect(api.TGPError).toBe(errors.TGPError);
    expect(api.TGP).toBe(kernel.TGP);
  });
});
