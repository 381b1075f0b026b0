/** `npm run bench -- compare` in a small repository with a trivial build: the places and the number of builds. */

import { execFile, execFileSync } from 'node:child_process';
import { cp, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempRoot } from '../helpers/temp_root.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Each comparison starts many processes. */
const TEST_MS = 180_000;

const PACKAGE = `export class TGP {
  async exec(path, { n } = {}) { return { result: n + 1 }; }
  async shutdown() {}
}
export const tgpTools = () => ({ write_file: { execute: async () => ({}) }, check_tool: { execute: async () => ({ valid: true }) } });
`;
/** Records its environment, and creates the files that a comparison looks for. */
const BUILD = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
const { CARGO_TARGET_DIR, RUSTY_V8_MIRROR } = process.env;
appendFileSync('built.log', JSON.stringify({ CARGO_TARGET_DIR, RUSTY_V8_MIRROR }) + '\\n');
mkdirSync('dist', { recursive: true });
for (const name of ['tgp.test.node', 'tgp.snapshot', 'dist/index.js']) writeFileSync(name, '');
`;
const FILES = {
  'package.json': '{ "type": "module", "version": "1.0.0", "scripts": { "build": "node build.mjs" } }',
  'package-lock.json': '{}',
  'Cargo.toml': '[package]\nname = "tgp-core"\n',
  'index.js': PACKAGE,
  'build.mjs': BUILD,
  'vendor/v8/archive': 'one',
  '.gitignore': '/target\n/dist\nnode_modules\n*.node\n*.snapshot\nbuilt.log\n',
};

async function repository() {
  const folder = await tempRoot();
  for (const name of ['benches', 'scripts', 'tools'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await mkdir(join(folder, 'vendor', 'v8'), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) await writeFile(join(folder, path), text);
  await mkdir(join(folder, 'node_modules'));
  await writeFile(join(folder, 'node_modules', '.package-lock.json'), '{}');
  for (const name of ['.fingerprint', 'build', 'deps']) {
    await mkdir(join(folder, 'target', 'release', name, 'serde-1'), { recursive: true });
    await mkdir(join(folder, 'target', 'release', name, 'v8-1'));
    await mkdir(join(folder, 'target', 'release', name, 'tgp-core-1'));
  }
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, encoding: 'utf8' });
  const commit = () => {
    git('add', '-A');
    git('commit', '--quiet', '-m', 'A change');
    return git('rev-parse', 'HEAD').trim();
  };
  git('init', '--quiet');
  const compare = async (/** @type {string} */ ref) =>
    promisify(execFile)(process.execPath, ['benches/run.mjs', 'compare', ref, '--quick', '--rounds', '2', 'row_run'], {
      cwd: folder,
    });
  const builds = async (/** @type {string} */ tree) =>
    (await readFile(join(tree, 'built.log'), 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { folder, commit, compare, builds, cache: join(folder, 'target', 'bench-compare') };
}

test(
  'each tree is built once, and the base reuses npm packages and crates of the current tree',
  async () => {
    const { folder, commit, compare, builds, cache } = await repository();
    const base = commit();
    await writeFile(join(folder, 'README.md'), 'Later.');
    commit();
    const { stdout } = await compare(base.slice(0, 10));
    expect(stdout).toMatch(/\| run in a row, back to back +\|/);
    expect(stdout).toContain('No loss was found.');
    const tree = join(cache, base.slice(0, 12));
    expect((await lstat(join(tree, 'node_modules'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(tree, 'Cargo.toml'), 'utf8'), 'not part of the workspace above').toMatch(
      /^\[workspace\]$/m,
    );
    const [{ CARGO_TARGET_DIR: cargo, RUSTY_V8_MIRROR: mirror }] = await builds(tree);
    expect(mirror).toBe(join(folder, 'vendor', 'v8'));
    for (const name of ['.fingerprint', 'build', 'deps']) {
      expect(await readdir(join(cargo, 'release', name))).toEqual(['serde-1']);
    }

    const again = await compare(base);
    expect(again.stdout).not.toContain('Building');
    expect([await builds(folder), await builds(tree)].map((list) => list.length)).toEqual([1, 1]);

    await mkdir(join(folder, 'src'));
    await writeFile(join(folder, 'src', 'lib.rs'), '// newer than the addon');
    await compare(base);
    expect([await builds(folder), await builds(tree)].map((list) => list.length)).toEqual([2, 1]);
  },
  TEST_MS,
);

test(
  'a base with another archive of V8 or another lock file shares no folders',
  async () => {
    const { folder, commit, compare, builds, cache } = await repository();
    const base = commit();
    await writeFile(join(folder, 'vendor', 'v8', 'archive'), 'two');
    await writeFile(join(folder, 'package-lock.json'), '{ "version": "2" }');
    commit();
    await compare(base);
    const tree = join(cache, base.slice(0, 12));
    const [{ CARGO_TARGET_DIR: cargo, RUSTY_V8_MIRROR: mirror }] = await builds(tree);
    expect(mirror).toBe(join(tree, 'vendor', 'v8'));
    await expect(readdir(cargo)).rejects.toThrow('ENOENT');
    await expect(lstat(join(tree, 'node_modules'))).rejects.toThrow('ENOENT');
  },
  TEST_MS,
);

test(
  'a build that fails ends the comparison with 3, and is retried the next time',
  async () => {
    const { folder, commit, compare } = await repository();
    await writeFile(join(folder, 'build.mjs'), 'process.exit(1)');
    const base = commit();
    await writeFile(join(folder, 'build.mjs'), BUILD);
    commit();
    for (let time = 0; time < 2; time++) {
      await expect(compare(base)).rejects.toMatchObject({ code: 3, stderr: expect.stringContaining('failed') });
    }
  },
  TEST_MS,
);
