import { describe, expect, test } from 'vitest';
import { RULES } from './helpers/architecture_rules.js';
import { sourceTree } from './helpers/source_tree.js';

const tree = sourceTree();

test('the source tree is found', () => {
  const paths = tree.map((file) => file.path);
  expect(paths).toContain('src/lib.rs');
  expect(paths).toContain('src/error.rs');
  expect(paths).toContain('js/kernel.js');
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
