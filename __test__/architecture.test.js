import { describe, expect, test } from 'vitest';
import { RULES } from './helpers/architecture_rules.js';
import { importCircles } from './helpers/import_circles.js';
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
});
