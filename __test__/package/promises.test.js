/** The list of `npm run break-promises` matches the tree: a refactoring that changes a text also changes its entry. */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { PROMISES } from '../../scripts/promises.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FEWEST = 25;
const SOURCE = /^(?:CONTRACT \d+|THREATS \d+|DOOR [A-Z].*)$/;
const LAYERS = { js: /^js\/.*\.ts$/, guest: /\/engine\/(?:isolate\/bootstrap|lazy)\/.*\.js$/, rust: /\.rs$/ };

/** @param {string} path */
const textOf = (path) => readFileSync(join(ROOT, path), 'utf8');

/** The texts of a crate: those of the addon are in src/. @param {string} name */
function rustTexts(name) {
  const folder = name === 'tgp-core' ? 'src' : join('crates', name.replace('tgp-', ''), 'src');
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.rs')).map((file) => textOf(join(folder, file)));
}

it(`has at least ${FEWEST} promises of all layers, each with a unique id`, () => {
  expect(PROMISES.length).toBeGreaterThanOrEqual(FEWEST);
  expect(new Set(PROMISES.map(({ id }) => id)).size).toBe(PROMISES.length);
  expect(new Set(PROMISES.map(({ layer }) => layer))).toEqual(new Set(Object.keys(LAYERS)));
});

describe.each(PROMISES)('$id', ({ id, promise, source, layer, file, search, replace, tests, cargo }) => {
  test('is described', () => {
    expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(promise).toMatch(/^[A-Z].*\.$/);
    expect(source).toMatch(SOURCE);
  });

  test('can be broken: its text occurs exactly once', () => {
    expect(file).toMatch(LAYERS[layer]);
    expect(textOf(file).split(search)).toHaveLength(2);
    expect(replace).not.toContain(search);
  });

  test('names tests that npm test runs', () => {
    expect(tests.length + (cargo ? 1 : 0)).toBeGreaterThan(0);
    for (const path of tests) {
      expect(path).toMatch(/^__test__\/(?!long\/).*\.test\.js$/);
      expect(existsSync(join(ROOT, path)), path).toBe(true);
    }
    if (cargo) expect(rustTexts(cargo.package).some((text) => text.includes(`fn ${cargo.filter}()`))).toBe(true);
  });
});

it('breaks js/ in ways that compile, so that a test has to find them', async () => {
  const tree = await tempRoot();
  for (const name of ['js', 'package.json', 'binding.d.cts', 'tsconfig.json', 'tsconfig.build.json']) {
    cpSync(join(ROOT, name), join(tree, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'), 'junction');
  const compile = [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json', '--noEmit'];
  // Together, as far as they change different files.
  for (let left = PROMISES.filter(({ layer }) => layer === 'js'); left.length > 0; ) {
    const round = left.filter(({ file }, index) => left.findIndex((other) => other.file === file) === index);
    left = left.filter((entry) => !round.includes(entry));
    for (const { file, search, replace } of round) {
      writeFileSync(
        join(tree, file),
        textOf(file).replace(search, () => replace),
      );
    }
    expect(spawnSync(process.execPath, compile, { cwd: tree, encoding: 'utf8' }).stdout).toBe('');
  }
});
