import { describe, expect, test } from 'vitest';
import { RULES } from './helpers/architecture_rules.js';
import { documentsAmong, missingPaths, repositoryPaths } from './helpers/document_paths.js';
import { folderCircles, importCircles } from './helpers/import_circles.js';
import { sourceTree } from './helpers/source_tree.js';

const tree = sourceTree();

test('the source tree is found', () => {
  const paths = tree.map((file) => file.path);
  expect(paths).toContain('src/lib.rs');
  expect(paths).toContain('src/error.rs');
  expect(paths).toContain('js/kernel/tgp.js');
});

describe.each(RULES)('$name', ({ check, broken, kept }) => {
  test.each(broken)('refuses $path: $text', (file) => {
    expect(check(file)).not.toEqual([]);
  });

  test.each(kept)('accepts $path: $text', (file) => {
    expect(check(file)).toEqual([]);
  });

  test('holds everywhere', () => {
    const violations = tree.flatMap((file) => check(file).map((problem) => `${file.path}: ${problem}`));
    expect(violations).toEqual([]);
  });
});

describe('circles of imports', () => {
  test('are found in Rust and in scripts, through what a folder hands on', () => {
    const circles = importCircles([
      { path: 'src/git/mod.rs', text: 'mod a;\nmod b;\nmod c;\npub use a::A;\npub use c::{C, D as E};' },
      { path: 'src/git/a.rs', text: 'use super::b::B;\npub struct A;' },
      { path: 'src/git/b.rs', text: 'use crate::git::{A, c};\npub struct B;' },
      { path: 'src/git/c.rs', text: '#[cfg(test)]\nmod tests { use super::super::A; }' },
      { path: 'js/one.js', text: "import { two } from './two.js';" },
      { path: 'js/two.js', text: "export { one } from './one.js';" },
    ]);
    expect(circles).toEqual([
      ['js/one.js', 'js/two.js'],
      ['src/git/a.rs', 'src/git/b.rs'],
    ]);
  });

  test('are found between folders whose files make none', () => {
    const files = [
      { path: 'src/git/low/one.rs', text: 'use crate::git::high::two::Two;' },
      { path: 'src/git/high/two.rs', text: 'pub struct Two;' },
      { path: 'src/git/high/three.rs', text: 'use crate::git::low::four::Four;' },
      { path: 'src/git/low/four.rs', text: 'pub struct Four;' },
    ];
    expect(importCircles(files)).toEqual([]);
    expect(folderCircles(files)).toEqual([['src/git/high', 'src/git/low']]);
  });

  test('are nowhere, neither between files nor between folders', () => {
    expect(importCircles(tree)).toEqual([]);
    expect(folderCircles(tree)).toEqual([]);
  });
});

describe('paths in documents', () => {
  const there = ['src/vfs/jail_path.rs', 'js/kernel/tgp.js', 'docs/limits.md'];

  test.each([
    'See `src/vfs/jail.rs`.',
    'See `src/vfs/gone/`.',
    'See `js/kernel/tgp.js/`.',
    'See `js/tgp.js` and `docs/limits.md`.',
  ])('refuses: %s', (text) => {
    expect(missingPaths({ path: 'A.md', text }, there)).toHaveLength(1);
  });

  test.each([
    'See `src/vfs/jail_path.rs`, `src/vfs/`, `src/vfs` and `docs/limits.md`.',
    'Not ours: `lib/gone.js`, `src/*/mod.rs`, `js/<name>.js`, `src/{a,b}.rs`, src/gone.rs, `src/tgp/tgp.module.ts`.',
  ])('accepts: %s', (text) => {
    expect(missingPaths({ path: 'A.md', text }, there)).toEqual([]);
  });

  test('lead somewhere', () => {
    const paths = repositoryPaths();
    const documents = documentsAmong(paths);
    expect(documents.map(({ path }) => path)).toContain('ARCHITECTURE.md');
    const missing = documents.flatMap((document) =>
      missingPaths(document, paths).map((path) => `${document.path}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
