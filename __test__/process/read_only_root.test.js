/** A read-only root, as in a container image: writes fail with a reason, and everything else works. */

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const INDEX = new URL('../../index.js', import.meta.url).href;
const NOBODY = 65_534;
const SUM =
  '/** Adds numbers. */\nexport default (args: { of: number[] }): number => args.of.reduce((sum, next) => sum + next, 0);\n';

/** Runs the operations of a kernel and prints their outcomes. */
const PROGRAM = `
const { TGP, tgpTools } = await import(${JSON.stringify(INDEX)});
const warnings = [];
const logger = { debug() {}, info() {}, warn: (text) => warnings.push(text), error: (text) => warnings.push(text) };
const options = JSON.parse(process.argv[1]);
const kernel = new TGP({ config: { rootDir: process.cwd() + '/root', ...options }, logger });
const tools = tgpTools(kernel);
const outcome = async (work) => {
  try { return { value: await work() }; } catch ({ code, message }) { return { code, message }; }
};
const path = 'tools/math/sum.ts';
const outcomes = {
  boot: await outcome(() => kernel.boot()),
  list: await outcome(async () => (await kernel.registry.list()).map(({ path }) => path)),
  files: await outcome(() => tools.list_files.execute({ dir: 'tools' })),
  read: await outcome(() => tools.read_file.execute({ path })),
  find: await outcome(async () => (await kernel.find('add numbers'))[0]?.path),
  check: await outcome(async () => (await kernel.check(path)).valid),
  exec: await outcome(async () => (await kernel.exec(path, { of: [20, 22] })).result),
  again: await outcome(async () => (await kernel.exec(path, { of: [1] })).result),
  log: await outcome(async () => (await kernel.git.log(path)).length),
  prompt: await outcome(async () => kernel.getSystemPrompt().includes(path)),
  sync: await outcome(() => kernel.sync()),
  write: await outcome(() => tools.write_file.execute({ path: 'tools/new.ts', content: 'return 1' })),
  patch: await outcome(() => tools.patch_file.execute({ path, search: 'Adds', replace: 'Sums' })),
  registry: await outcome(() => kernel.registry.sync()),
  persist: await outcome(() => kernel.git.persist('x', [path])),
};
await kernel.shutdown();
console.log(JSON.stringify({ ...outcomes, warnings }));
`;

/** A folder with a workspace of one tool. */
async function bakedRoot() {
  const folder = await tempRoot();
  const kernel = new TGP({ config: { rootDir: join(folder, 'root') } });
  await tgpTools(kernel).write_file.execute({ path: 'tools/math/sum.ts', content: SUM });
  await kernel.shutdown();
  // A fresh clone or an image has no caches of kernels.
  await rm(join(folder, 'root', '.git', 'tgp'), { recursive: true, force: true });
  for (const name of await readdir(join(folder, 'root', '.git'))) {
    if (name.startsWith('tgp-')) await rm(join(folder, 'root', '.git', name));
  }
  return folder;
}

/** @param {string} folder @param {object} options */
async function runOnReadOnlyMount(folder, options) {
  const script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && shift && exec "$@"';
  const node = [process.execPath, '--input-type=module', '-e', PROGRAM, '--', JSON.stringify(options)];
  const { stdout } = await exec('unshare', ['-rm', 'bash', '-c', script, 'bash', folder, ...node]);
  return JSON.parse(stdout);
}

/** @param {string} folder @param {object} options */
async function runWithoutWriteAccess(folder, options) {
  const entries = await readdir(folder, { recursive: true });
  const paths = [folder, ...entries.map((name) => join(folder, name))];
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of paths) await chown(path, NOBODY, NOBODY);
  execFileSync('chmod', ['-R', 'a-w,a+rX', folder]);
  onTestFinished(() => chmod(folder, 0o755));
  const node = [process.execPath, '--input-type=module', '-e', PROGRAM, '--', JSON.stringify(options)];
  const [program = '', ...args] = isRoot
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...node]
    : node;
  try {
    // The user `nobody` cannot read the home folder of the user that runs the tests.
    const env = { ...process.env, HOME: folder };
    return JSON.parse((await exec(program, args, { cwd: folder, env })).stdout);
  } finally {
    execFileSync('chmod', ['-R', 'u+w', folder]);
  }
}

const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;

describe.each([
  ['a read-only mount', runOnReadOnlyMount, canMount],
  ['files that may not be written', runWithoutWriteAccess, process.platform !== 'win32'],
])('%s', (_name, run, isPossible) => {
  test.runIf(isPossible)('tools are listed, found, checked and run', async () => {
    const outcomes = await run(await bakedRoot(), {});
    expect(outcomes).toMatchObject({
      list: { value: ['tools/math/sum.ts'] },
      files: { value: ['tools/math/sum.ts'] },
      read: { value: SUM },
      find: { value: 'tools/math/sum.ts' },
      check: { value: true },
      exec: { value: 42 },
      again: { value: 1 },
      log: { value: 1 },
      prompt: { value: true },
    });
    expect(outcomes.boot).toEqual({});
    expect(outcomes.sync).toEqual({});
    expect(outcomes.warnings.join('\n')).toContain('The root is read-only');
  });

  test.runIf(isPossible)('a write fails with the reason and a remedy', async () => {
    const outcomes = await run(await bakedRoot(), {});
    for (const name of ['write', 'patch', 'registry', 'persist']) {
      expect(outcomes[name], name).toMatchObject({ code: 'ERR_IO' });
      expect(outcomes[name].message, name).toContain('the workspace is read-only');
      expect(outcomes[name].message, name).toContain('rootDir');
    }
  });

  test.runIf(isPossible)('a remote is not contacted, because nothing could be fetched', async () => {
    const outcomes = await run(await bakedRoot(), { git: { repo: '/nowhere/at/all' } });
    expect(outcomes.exec).toEqual({ value: 42 });
    expect(outcomes.write).toMatchObject({ code: 'ERR_IO' });
  });

  test.runIf(isPossible)('the error about a missing repository says how to add it', async () => {
    const folder = await bakedRoot();
    await rename(join(folder, 'root', '.git'), join(folder, 'elsewhere'));
    const { boot } = await run(folder, {});
    expect(boot).toMatchObject({ code: 'ERR_IO' });
    expect(boot.message).toContain('.dockerignore');
  });
});

describe('the warning about an empty workspace', () => {
  /** @param {NodeJS.ProcessEnv} env @param {string} [tool] */
  async function warnings(env, tool) {
    const folder = await tempRoot();
    if (tool !== undefined) {
      await mkdir(join(folder, 'root', 'tools'), { recursive: true });
      await writeFile(join(folder, 'root', 'tools', 't.ts'), tool);
    }
    const args = ['--input-type=module', '-e', PROGRAM, '--', '{}'];
    const { stdout } = await exec(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } });
    return JSON.parse(stdout).warnings.join('\n');
  }

  test('is logged with a remedy if NODE_ENV is production', async () => {
    expect(await warnings({ NODE_ENV: 'production' })).toMatch(/has no tools.*git\.repo/);
  });

  test('is not logged in development, or with a tool', async () => {
    expect(await warnings({ NODE_ENV: 'development' })).toBe('');
    expect(await warnings({ NODE_ENV: 'production' }, SUM)).toBe('');
  });
});
