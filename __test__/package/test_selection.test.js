import { describe, expect, it } from 'vitest';
import { slowest, timingsOfJunit } from '../../scripts/slow_tests.mjs';
import {
  changedCrates,
  importsOf,
  RUST_SECONDS,
  SMOKE,
  selectTests,
  UNKNOWN_SECONDS,
} from '../../scripts/test_selection.mjs';

const PACKAGES = [
  { name: 'tgp-core', folder: '', dependencies: ['tgp-sql', 'tgp-git', 'serde'] },
  { name: 'tgp-git', folder: 'crates/git', dependencies: ['tgp-base'] },
  { name: 'tgp-sql', folder: 'crates/sql', dependencies: ['tgp-base'] },
  { name: 'tgp-base', folder: 'crates/base', dependencies: [] },
];

/** A small repository: an entry that imports everything, and tests that import the entry. */
const SOURCES = Object.entries({
  'index.js': "export { TGP } from './dist/kernel/tgp.js';\nexport * from './dist/sql/rules.js';",
  'js/kernel/tgp.ts': "import { rules } from '../sql/rules.js';",
  'js/sql/rules.ts': '',
  'js/cli/main.ts': "import { TGP } from '../kernel/tgp.js';",
  'bin/tgp.js': "await import('../dist/cli/main.js');",
  'scripts/limits.mjs': '',
  'tools/run_cli.mjs': "export const CLI = new URL('../bin/tgp.js', import.meta.url);",
  '__test__/helpers/kernel.js': "import { TGP } from '../../index.js';",
  '__test__/sql/exec.test.js': "import { kernel } from '../helpers/kernel.js';",
  '__test__/sql/rules.test.js': "import { rules } from '../../dist/sql/rules.js';",
  '__test__/git/push.test.js': "import { kernel } from '../helpers/kernel.js';",
  '__test__/cli/init.test.js': "import { CLI } from '../../tools/run_cli.mjs';",
  '__test__/package/limits.test.js': "import { a } from '../../scripts/limits.mjs';\nread('docs/limits.md');",
  '__test__/long/sql/soak.test.js': "import { kernel } from '../../helpers/kernel.js';",
  ...Object.fromEntries(SMOKE.map((path) => [path, ''])),
}).map(([path, text]) => ({ path, text }));

/**
 * @param {string[]} changed
 * @param {{ seconds?: Record<string, number>, budget?: number }} [more]
 */
const select = (changed, { seconds = {}, budget = 1000 } = {}) =>
  selectTests({ changed, packages: PACKAGES, sources: SOURCES, seconds, budget });

describe('the crates of a change', () => {
  it.each([
    ['a part', ['crates/sql/src/lib.rs'], ['tgp-core', 'tgp-sql']],
    ['a crate that all parts use', ['crates/base/src/lib.rs'], ['tgp-core', 'tgp-git', 'tgp-sql', 'tgp-base']],
    ['the addon', ['src/kernel/kernel.rs'], ['tgp-core']],
    ['a manifest', ['crates/git/Cargo.toml'], ['tgp-core', 'tgp-git']],
    ['no Rust', ['js/sql/rules.ts', 'docs/limits.md'], []],
  ])('are those with changed files and those that depend on them: %s', (_, changed, crates) => {
    expect(changedCrates(changed, PACKAGES)).toEqual(crates);
  });
});

describe('the test files of a change', () => {
  it('are a changed test and the smoke set', () => {
    expect(select(['__test__/git/push.test.js'])).toEqual({
      crates: [],
      files: ['__test__/git/push.test.js', ...SMOKE],
      leftOut: [],
      rebuild: false,
    });
  });

  it('are those that import a changed helper or script', () => {
    expect(select(['scripts/limits.mjs']).files).toContain('__test__/package/limits.test.js');
    const { files } = select(['__test__/helpers/kernel.js']);
    expect(files).toEqual(expect.arrayContaining(['__test__/sql/exec.test.js', '__test__/git/push.test.js']));
    expect(files).not.toContain('__test__/cli/init.test.js');
  });

  it('are those that name a changed document', () => {
    const { files } = select(['docs/limits.md']);
    expect(files).toEqual(['__test__/package/limits.test.js', ...SMOKE]);
  });

  it('are ordered by their distance from the change', () => {
    const { files, rebuild } = select(['js/sql/rules.ts']);
    expect(rebuild).toBe(true);
    expect(files[0]).toBe('__test__/sql/rules.test.js');
    expect(files.slice(1, 1 + SMOKE.length)).toEqual(SMOKE);
    expect(files.indexOf('__test__/sql/exec.test.js')).toBeLessThan(files.indexOf('__test__/git/push.test.js'));
    expect(files).toContain('__test__/cli/init.test.js');
  });

  it('need a build after a change of the compiler options', () => {
    expect(select(['tsconfig.build.json']).rebuild).toBe(true);
  });

  it('of a change in Rust are those of its part first, and then all', () => {
    const { files } = select(['crates/git/src/push.rs']);
    expect(files.slice(0, SMOKE.length + 1)).toEqual([...SMOKE, '__test__/git/push.test.js']);
    expect(files).toContain('__test__/cli/init.test.js');
  });

  it('are left out and listed if they do not fit into the time, except changed tests', () => {
    const seconds = {
      '__test__/git/push.test.js': 40,
      '__test__/sql/exec.test.js': 400,
      '__test__/cli/init.test.js': 1,
    };
    const changed = ['__test__/sql/exec.test.js', 'crates/git/src/push.rs'];
    const budget = RUST_SECONDS + 400 + UNKNOWN_SECONDS * SMOKE.length + 39;
    const { files, leftOut } = select(changed, { seconds, budget });
    expect(files).toContain('__test__/sql/exec.test.js');
    expect(files).toContain('__test__/cli/init.test.js');
    expect(leftOut).toContain('__test__/git/push.test.js');
  });

  it('are never those of npm run test:long', () => {
    for (const changed of ['package.json', 'js/sql/rules.ts', '__test__/long/sql/soak.test.js']) {
      const { files, leftOut } = select([changed]);
      expect([...files, ...leftOut]).not.toContain('__test__/long/sql/soak.test.js');
    }
  });
});

it('programs that a test starts count as imported', () => {
  expect(importsOf(SOURCES).get('tools/run_cli.mjs')).toEqual(['bin/tgp.js']);
});

it('the files of the smoke set exist', async () => {
  const { existsSync } = await import('node:fs');
  expect(SMOKE.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
});

it('the slowest tests are read from the report of nextest', () => {
  const xml =
    '<testcase name="a" classname="x" timestamp="t" time="0.5"><testcase name="b" classname="y" time="12.25">';
  expect(slowest(timingsOfJunit(xml), 1)).toEqual([{ name: 'b', seconds: 12.25 }]);
});
