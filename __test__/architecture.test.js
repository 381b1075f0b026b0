import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { RULES } from './helpers/architecture_rules.js';
import { documentsAmong, missingInLayout, missingPaths, repositoryPaths } from './helpers/document_paths.js';
import { folderCircles, importCircles } from './helpers/import_circles.js';
import { toolsOfOneRoom } from './helpers/room_rules.js';
import { sourceTree } from './helpers/source_tree.js';
import { repeatedTypes } from './helpers/type_names.js';
import { bannedWords } from './helpers/word_rules.js';

const tree = sourceTree();

test('the source tree is found', () => {
  const paths = tree.map((file) => file.path);
  expect(paths).toContain('src/lib.rs');
  expect(paths).toContain('crates/base/src/error.rs');
  expect(paths).toContain('js/kernel/tgp.ts');
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

describe('crates', () => {
  const args = ['metadata', '--format-version', '1', '--no-deps', '--offline'];
  const { packages } = JSON.parse(execFileSync('cargo', args, { encoding: 'utf8', maxBuffer: 64 << 20 }));
  const used = (/** @type {any} */ one) => one.dependencies.map((/** @type {any} */ each) => each.name);

  test.each(packages.filter(({ name }) => name !== 'tgp-core'))('$name does not depend on a part', (one) => {
    const ours = used(one).filter((/** @type {string} */ name) => name.startsWith('tgp-'));
    expect(['tgp-base', 'tgp-fuzzing']).toEqual(expect.arrayContaining(ours));
    if (one.name === 'tgp-base') expect(ours).toEqual([]);
  });

  test.each([
    ['v8', ['tgp-sandbox']],
    ['swc_core', ['tgp-compile']],
    ['napi', ['tgp-core']],
  ])('%s is linked by %s alone', (dependency, users) => {
    expect(packages.filter((/** @type {any} */ one) => used(one).includes(dependency)).map(({ name }) => name)).toEqual(
      users,
    );
  });
});

describe('import cycles', () => {
  test('are found in Rust and in scripts, also through re-exports', () => {
    const circles = importCircles([
      { path: 'crates/git/src/lib.rs', text: 'mod a;\nmod b;\nmod c;\npub use a::A;\npub use c::{C, D as E};' },
      { path: 'crates/git/src/a.rs', text: 'use super::b::B;\npub struct A;' },
      { path: 'crates/git/src/b.rs', text: 'use crate::{A, c};\npub struct B;' },
      { path: 'crates/git/src/c.rs', text: '#[cfg(test)]\nmod tests { use super::super::A; }' },
      { path: 'js/one.ts', text: "import { two } from './two.js';" },
      { path: 'js/two.ts', text: "export { one } from './one.js';" },
    ]);
    expect(circles).toEqual([
      ['crates/git/src/a.rs', 'crates/git/src/b.rs'],
      ['js/one.ts', 'js/two.ts'],
    ]);
  });

  test('are found between folders whose files have none', () => {
    const files = [
      { path: 'crates/git/src/low/one.rs', text: 'use crate::high::two::Two;' },
      { path: 'crates/git/src/high/two.rs', text: 'pub struct Two;' },
      { path: 'crates/git/src/high/three.rs', text: 'use crate::low::four::Four;' },
      { path: 'crates/git/src/low/four.rs', text: 'pub struct Four;' },
    ];
    expect(importCircles(files)).toEqual([]);
    expect(folderCircles(files)).toEqual([['crates/git/src/high', 'crates/git/src/low']]);
  });

  test('do not exist, neither between files nor between folders', () => {
    expect(importCircles(tree)).toEqual([]);
    expect(folderCircles(tree)).toEqual([]);
  });
});

test('programs that js/ starts by their path in dist/ exist', () => {
  const scripts = tree.filter(({ path }) => path.startsWith('js/'));
  const started = scripts.flatMap(({ text }) => [...text.matchAll(/\bprogramPath\('([^']+)\.js'\)/g)]);
  const paths = started.map(([, name]) => `js/${name}.ts`);
  expect(paths.length).toBeGreaterThan(0);
  expect(scripts.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
});

describe('exported types of js/', () => {
  const crossing = { path: 'js/boundary/crossing.ts', text: 'export type Verdict = { rule: string };' };

  test.each([
    [
      { path: 'js/agent/a.ts', text: 'export type Mode = 1;' },
      { path: 'js/types/b.ts', text: 'export class Mode {}' },
    ],
    [crossing, { path: 'js/kernel/a.ts', text: 'export type Verdict = string;' }],
  ])('are found when two files define one name', (...files) => {
    expect(repeatedTypes(files)).toHaveLength(1);
  });

  test('may have the name of the type of the crossing that they present', () => {
    expect(repeatedTypes([crossing, { path: 'js/types/policy.ts', text: 'export type Verdict = string;' }])).toEqual(
      [],
    );
  });

  test('are defined once', () => {
    expect(repeatedTypes(tree)).toEqual([]);
  });
});

describe('tools/', () => {
  test('a file that fewer than two rooms use is found', () => {
    const files = [
      { path: 'tools/shared.mjs', text: "import './below.mjs';" },
      { path: 'tools/below.mjs', text: '' },
      { path: 'tools/of_scripts.mjs', text: '' },
      { path: 'scripts/a.mjs', text: "import '../tools/shared.mjs';\nimport '../tools/of_scripts.mjs';" },
      { path: '__test__/a/a.test.js', text: "import '../../tools/shared.mjs';" },
    ];
    expect(toolsOfOneRoom(files)).toEqual(['tools/of_scripts.mjs']);
  });

  test('has only files that at least two rooms use', () => {
    expect(toolsOfOneRoom(tree)).toEqual([]);
  });
});

describe('paths in documents and comments', () => {
  const there = ['crates/vfs/src/jail_path.rs', 'js/kernel/tgp.ts', 'docs/limits.md'];

  test.each([
    'See `crates/vfs/src/jail.rs`.',
    'See `crates/vfs/src/gone/`.',
    'See `js/kernel/tgp.ts/`.',
    'See `tools/gone.mjs`.',
    'See `js/tgp.ts` and `docs/limits.md`.',
  ])('refuses: %s', (text) => {
    expect(missingPaths({ path: 'A.md', text }, there)).toHaveLength(1);
  });

  test.each([
    'See `crates/vfs/src/jail_path.rs`, `crates/vfs/src/`, `crates/vfs` and `docs/limits.md`.',
    'Not ours: `lib/gone.js`, `src/*/mod.rs`, `js/<name>.js`, `src/{a,b}.rs`, src/gone.rs, `src/tgp/tgp.module.ts`, `tools/add.ts`.',
  ])('accepts: %s', (text) => {
    expect(missingPaths({ path: 'A.md', text }, there)).toEqual([]);
  });

  test('of a part or of Rust may be the end of a path', () => {
    const missing = (/** @type {string} */ path, /** @type {string} */ text) => missingPaths({ path, text }, there);
    const page = 'jail_path.rs, gone.rs (tools/add.ts) js/kernel/tgp.ts, kernel/tgp.ts';
    expect(missing('docs/parts/vfs.md', page)).toEqual(['gone.rs', 'kernel/tgp.ts']);
    expect(missing('docs/parts/js.md', page)).toEqual(['jail_path.rs', 'gone.rs']);
    expect(missing('src/lib.rs', '//! See `src/jail_path.rs` and `vfs/jail_path.rs`.')).toEqual(['vfs/jail_path.rs']);
  });

  test('in comments of sources are from the top of the repository, or the end of a path', () => {
    const missing = (/** @type {string} */ path, /** @type {string} */ text) => missingPaths({ path, text }, there);
    expect(missing('src/lib.rs', '// As in `js/kernel/gone.ts`, js/kernel/tgp.ts and docs/gone.md.')).toEqual([
      'js/kernel/gone.ts',
      'docs/gone.md',
    ]);
    const script =
      '/** See `kernel/tgp.ts`, `vfs/gone.rs` and js/kernel/. */\nconst a = "js/gone.ts"; // `tools/add.ts`, src/gone/, b.ts';
    expect(missing('js/kernel/tgp.ts', script)).toEqual(['vfs/gone.rs', 'src/gone/']);
    expect(missing('js/kernel/tgp.ts', 'const a = `// js/gone.ts`;')).toEqual([]);
  });

  test('in layouts of a part are names of its files', () => {
    const text = '```\ncrates/vfs/src/\n  jail_path.rs, gone.rs   the path of a file\n```\n';
    expect(missingInLayout({ path: 'docs/parts/vfs.md', text }, there)).toEqual(['gone.rs']);
    expect(missingInLayout({ path: 'docs/parts/git.md', text }, there)).toEqual(['jail_path.rs', 'gone.rs']);
    expect(missingInLayout({ path: 'docs/limits.md', text }, there)).toEqual([]);
  });

  test('exist', () => {
    const paths = repositoryPaths();
    const documents = [...documentsAmong(paths), ...tree];
    expect(documents.map(({ path }) => path)).toContain('ARCHITECTURE.md');
    const missing = documents.flatMap((document) =>
      [...missingPaths(document, paths), ...missingInLayout(document, paths)].map(
        (path) => `${document.path}: ${path}`,
      ),
    );
    expect(missing).toEqual([]);
  });
});

test('documents do not use banned words', () => {
  // These list the banned words, describe old versions, and quote test titles.
  const quoting = ['CONTRIBUTING.md', 'CHANGELOG.md', 'docs/threats.md'];
  const documents = documentsAmong(repositoryPaths()).filter(({ path }) => !quoting.includes(path));
  expect(documents.map(({ path }) => path)).toContain('README.md');
  expect(documents.flatMap(({ path, text }) => bannedWords(text).map((problem) => `${path}: ${problem}`))).toEqual([]);
});
