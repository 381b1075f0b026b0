import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { git } from '../helpers/git_remote.js';
import { howOften } from '../helpers/how_often.js';
import { tempRoot } from '../helpers/temp_root.js';

const INDEX = new URL('../../index.js', import.meta.url).href;

/** @param {number} at */
const sourceOf = (at) =>
  `/** Makes report ${at}. */\nexport default (args: { n: number }): number => args.n + ${at};\n`;

/**
 * A root with a history of loose objects.
 * @param {number} commits
 */
async function looseRoot(commits) {
  const root = join(await tempRoot(), '.tgp');
  mkdirSync(root);
  git(root, 'init', '-q', '-b', 'main');
  const steps = Array.from({ length: commits }, (_, at) => {
    const text = sourceOf(at);
    const file = `M 100644 inline tools/group${(at % 40) % 7}/report_${at % 40}.ts\ndata ${text.length}\n${text}\n`;
    return `commit refs/heads/main\ncommitter a <a@b.c> ${1_700_000_000 + at} +0000\ndata 4\nstep\n${file}`;
  });
  execFileSync('git', ['-C', root, '-c', 'fastimport.unpackLimit=1000000', 'fast-import', '--quiet'], {
    input: steps.join(''),
  });
  git(root, 'reset', '-q', '--hard');
  return root;
}

/**
 * Adds unreachable loose objects, and returns their ids.
 * @param {string} root
 * @param {number} count
 */
function looseBlobs(root, count) {
  const texts = Array.from({ length: count }, (_, at) => `export const unused = ${at};\n`);
  const blobs = texts.map((text) => `blob\ndata ${text.length}\n${text}\n`);
  execFileSync('git', ['-C', root, '-c', 'fastimport.unpackLimit=1000000', 'fast-import', '--quiet'], {
    input: blobs.join(''),
  });
  return texts.map((text) => createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex'));
}

/**
 * @param {string} root
 * @param {string} id
 */
const isLoose = (root, id) => existsSync(join(root, '.git/objects', id.slice(0, 2), id.slice(2)));

/** @param {string} root */
function objects(root) {
  const folders = readdirSync(join(root, '.git/objects'));
  const loose = folders.filter((name) => name.length === 2);
  const packs = readdirSync(join(root, '.git/objects/pack'));
  return {
    loose: loose.reduce((sum, name) => sum + readdirSync(join(root, '.git/objects', name)).length, 0),
    packs: packs.filter((name) => name.endsWith('.idx')).length,
    names: packs,
  };
}

/**
 * Expects no missing object. `git fsck` lists files before it reads them, so it is repeated while a packer still runs.
 * @param {string} root
 */
async function expectSound(root) {
  const check = () => {
    try {
      return git(root, 'fsck', '--full', '--strict', '--no-dangling');
    } catch (error) {
      return String(error);
    }
  };
  await expect.poll(check, { timeout: 20_000, interval: 50 }).toBe('');
  expect(git(root, 'status', '--porcelain')).toBe('');
}

/**
 * Waits until few loose objects are left.
 * @param {string} root
 */
const untilPacked = (root) =>
  expect.poll(() => objects(root).loose, { timeout: 30_000, interval: 20 }).toBeLessThan(1_024);

describe('packing in the background', () => {
  test('loses no object for git, this kernel and the next one', async () => {
    const rootDir = await looseRoot(400);
    const before = objects(rootDir);
    expect(before).toMatchObject({ packs: 0 });
    expect(before.loose).toBeGreaterThan(1_024);
    const log = git(rootDir, 'log', '--format=%H', '--', 'tools/group1/report_1.ts').split('\n');
    const { kernel, tools } = await createKernel({ rootDir });
    await tools.write_file.execute({ path: 'tools/own.ts', content: sourceOf(1) });
    await untilPacked(rootDir);
    expect(objects(rootDir).packs).toBeGreaterThan(0);
    await expectSound(rootDir);
    const history = await tools.file_history.execute({ path: 'tools/group1/report_1.ts', limit: 100 });
    expect(history.map(({ commit }) => commit)).toEqual(log);
    await kernel.git.revert('tools/group1/report_1.ts', log[2] ?? '');
    await tools.patch_file.execute({ path: 'tools/own.ts', search: '+ 1', replace: '+ 2' });
    await kernel.shutdown();
    await expectSound(rootDir);
    const next = await createKernel({ rootDir });
    expect(await next.kernel.exec('tools/own.ts', { n: 1 })).toMatchObject({ result: 3 });
  });

  test('loses no object beside git gc and other kernels that write and pack', async () => {
    const rootDir = await looseRoot(400);
    // `git gc` leaves these objects loose, or unpacks them again: only a kernel packs them.
    const unreachable = looseBlobs(rootDir, 1_500);
    const kernels = await Promise.all([createKernel({ rootDir }), createKernel({ rootDir })]);
    let isOver = false;
    const codes = /** @type {number[]} */ ([]);
    const collecting = (async () => {
      while (!isOver) {
        const gc = spawn('git', ['-C', rootDir, '-c', 'gc.cruftPacks=false', 'gc', '--quiet'], { stdio: 'ignore' });
        codes.push((await once(gc, 'exit'))[0]);
      }
    })();
    const writes = kernels.map(async ({ tools }, own) => {
      for (let at = 0; at < howOften({ usual: 10, long: 300 }); at++) {
        await tools.write_file.execute({ path: `tools/of_${own}/t${at}.ts`, content: sourceOf(at) });
      }
    });
    const isPacked = () => unreachable.some((id) => !isLoose(rootDir, id));
    await expect.poll(isPacked, { timeout: 30_000, interval: 5 }).toBe(true);
    await Promise.all(writes);
    isOver = true;
    await collecting;
    expect(codes).toContain(0);
    for (const { kernel } of kernels) await kernel.shutdown();
    const { tools } = await createKernel({ rootDir });
    await tools.write_file.execute({ path: 'tools/own.ts', content: sourceOf(1) });
    await untilPacked(rootDir);
    await expectSound(rootDir);
    const check = ['-C', rootDir, 'cat-file', '--batch-check=%(objecttype)'];
    const found = execFileSync('git', check, { input: `${unreachable.join('\n')}\n`, encoding: 'utf8' });
    expect(found.trimEnd().split('\n')).toEqual(unreachable.map(() => 'blob'));
    expect(git(rootDir, 'rev-list', '--count', 'HEAD', '--', 'tools/of_0', 'tools/of_1')).toBe(
      String(howOften({ usual: 20, long: 600 })),
    );
  });

  test('merges many small packs', async () => {
    const rootDir = await looseRoot(400);
    const log = git(rootDir, 'log', '--format=%H', '--', 'tools/group1/report_1.ts').split('\n');
    for (let at = 390; at > 0; at -= 30) {
      execFileSync('git', ['-C', rootDir, 'pack-objects', '--quiet', '--revs', '.git/objects/pack/pack'], {
        input: `HEAD~${at}\n^HEAD~${at + 9}\n`,
        stdio: ['pipe', 'ignore', 'inherit'],
      });
    }
    git(rootDir, 'prune-packed');
    const before = objects(rootDir).packs;
    expect(before).toBeGreaterThan(10);
    const { tools } = await createKernel({ rootDir });
    await tools.write_file.execute({ path: 'tools/own.ts', content: sourceOf(1) });
    await expect.poll(() => objects(rootDir).packs, { timeout: 30_000, interval: 20 }).toBeLessThan(4);
    await expectSound(rootDir);
    const history = await tools.file_history.execute({ path: 'tools/group1/report_1.ts', limit: 100 });
    expect(history.map(({ commit }) => commit)).toEqual(log);
  });

  test('loses no object when the process is killed', async () => {
    const rootDir = await looseRoot(400);
    const program = `
      const { TGP, tgpTools } = await import(${JSON.stringify(INDEX)});
      const kernel = new TGP({ config: { rootDir: ${JSON.stringify(rootDir)}, sandbox: { warm: 0 } } });
      const tools = tgpTools(kernel);
      for (let at = 0; ; at++) {
        const { commit } = await tools.write_file.execute({ path: 'tools/killed.ts', content: 'export default () => ' + Math.random() });
        console.log(commit);
      }`;
    for (let round = 0; round < howOften({ usual: 2, long: 40 }); round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let output = '';
      child.stdout.on('data', (text) => {
        output += text;
      });
      // At any moment after its first pack.
      const begun = () => objects(rootDir).names.length > 2 * round || objects(rootDir).loose < 1_024;
      while (output === '' || !(begun() || child.exitCode !== null)) await sleep(1);
      await sleep(round * 7);
      child.kill('SIGKILL');
      await once(child, 'close');
      const commits = output.split('\n').filter((line) => line.length === 40);
      expect(git(rootDir, 'fsck', '--full', '--strict', '--no-dangling')).toBe('');
      expect(git(rootDir, 'merge-base', '--is-ancestor', commits.at(-1) ?? '', 'HEAD')).toBe('');
    }
    const { tools } = await createKernel({ rootDir });
    await tools.write_file.execute({ path: 'tools/own.ts', content: sourceOf(1) });
    await untilPacked(rootDir);
    await expectSound(rootDir);
  });
});
