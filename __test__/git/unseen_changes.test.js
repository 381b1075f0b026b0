import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';

const PATH = 'tools/pay.ts';
const CLEAN = '/** Charges. */\nexport default (args: { key: string }) => args.key.length;\n';
const THEIRS = CLEAN.replace('Charges', 'Charges cards');
const FIXED = CLEAN.replace('Charges', 'Charges people');
const LEAKY = "/** Charges. */\nexport default () => 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'.length;\n";

/** Commits a file to the remote as a colleague would; without content, its removal. */
function push(folder, remote, path, content) {
  const work = clone(folder, remote);
  mkdirSync(join(work, path, '..'), { recursive: true });
  if (content === undefined) rmSync(join(work, path));
  else writeFileSync(join(work, path), content);
  git(work, 'add', '-A');
  git(work, 'commit', '-q', '-m', 'by a colleague');
  git(work, 'push', '-q', 'origin', 'HEAD:main');
}

/** A kernel, and `warned()`, which returns and clears its warnings. */
async function kernelWithWarnings(config) {
  const warnings = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (text) => warnings.push(text) };
  const made = await createKernel(config, { logger });
  return { ...made, warned: () => warnings.splice(0).join('\n') };
}

/** A tool with an uncommitted secret on disk and a newer version in the remote. */
async function unseenUpdate() {
  const { folder, remote } = await bareRemote();
  const made = await kernelWithWarnings({ git: { repo: remote } });
  await made.tools.write_file.execute({ path: PATH, content: CLEAN });
  writeFileSync(join(made.rootDir, PATH), LEAKY);
  push(folder, remote, PATH, THEIRS);
  await made.kernel.sync();
  const read = () => readFileSync(join(made.rootDir, PATH), 'utf8');
  expect(read()).toBe(LEAKY);
  return { ...made, folder, remote, read, theirs: () => `${git(remote, 'show', `main:${PATH}`)}\n` };
}

const keptIn = (rootDir) => git(rootDir, 'branch', '--list', 'tgp/kept-*', '--format=%(refname:short)').split('\n');

describe('a file with a secret that the remote has changed', () => {
  it('is named by every sync until its removal, and then replaced by the remote version', async () => {
    const { kernel, rootDir, read, theirs, warned } = await unseenUpdate();
    expect(warned()).toContain(PATH);
    await kernel.sync();
    expect(warned()).toMatch(/neither committed nor overwritten: tools\/pay\.ts\..*the next sync brings the remote's/s);
    rmSync(join(rootDir, PATH));
    await kernel.sync();
    expect(read()).toBe(THEIRS);
    expect(warned()).not.toContain(PATH);
    expect(await kernel.git.uncommitted()).toEqual([]);
    // Now it is an ordinary file.
    rmSync(join(rootDir, PATH));
    await kernel.sync();
    expect(await kernel.git.uncommitted()).toEqual([{ path: PATH, state: 'missing' }]);
    await kernel.git.persist('gone', [PATH]);
    expect(theirs).toThrow();
  });

  it('is backed up on a branch by the next sync after the secret is removed, also in another process', async () => {
    const { kernel, rootDir, remote, read, theirs } = await unseenUpdate();
    await kernel.shutdown();
    writeFileSync(join(rootDir, PATH), FIXED);
    const again = await kernelWithWarnings({ rootDir, git: { repo: remote } });
    await again.kernel.boot();
    const warning = again.warned();
    const [branch] = keptIn(rootDir);
    expect(warning).toContain(`git show ${branch}:${PATH}`);
    expect(git(rootDir, 'show', `${branch}:${PATH}`)).toBe(FIXED.trim());
    expect(read()).toBe(THEIRS);
    expect(theirs()).toBe(THEIRS);
    const [, path, commit] = warning.match(/tgp revert (\S+) ([0-9a-f]{40})/) ?? [];
    await again.kernel.git.revert(String(path), String(commit));
    expect(theirs()).toBe(FIXED);
  });

  it.each([
    ['a commit of the file', ({ kernel }) => kernel.git.persist('mine', [PATH])],
    ['a patch', ({ tools }) => tools.patch_file.execute({ path: PATH, search: 'people', replace: 'everybody' })],
    ['a write', ({ tools }) => tools.write_file.execute({ path: PATH, content: FIXED })],
  ])('%s that would overwrite an unseen remote version is a conflict', async (_, change) => {
    const held = await unseenUpdate();
    writeFileSync(join(held.rootDir, PATH), FIXED);
    const error = await Promise.resolve(change(held)).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_GIT_CONFLICT', details: { path: PATH } });
    expect(held.read()).toBe(THEIRS);
    expect(held.theirs()).toBe(THEIRS);
    const branch = String(/tgp\/kept-[0-9a-f]+/.exec(error.message)?.[0]);
    expect(git(held.rootDir, 'show', `${branch}:${PATH}`)).toContain('people');
    expect(keptIn(held.rootDir)).toEqual([branch]);
    const second = await held.tools.write_file.execute({ path: PATH, content: FIXED });
    expect(second).toMatchObject({ persisted: true });
    expect(await held.tools.write_file.execute({ path: PATH, content: CLEAN })).toMatchObject({ persisted: true });
    expect(held.theirs()).toBe(CLEAN);
  });

  it('cannot be overwritten or removed before the remote version was read', async () => {
    const held = await unseenUpdate();
    const write = held.tools.write_file.execute({ path: PATH, content: FIXED });
    const error = await Promise.resolve(write).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_GIT_CONFLICT' });
    expect(held.read()).toBe(THEIRS);
    const other = await unseenUpdate();
    rmSync(join(other.rootDir, PATH));
    await expect(other.kernel.git.persist('gone', [PATH])).rejects.toMatchObject({ code: 'ERR_GIT_CONFLICT' });
    expect(other.read()).toBe(THEIRS);
    expect(other.theirs()).toBe(THEIRS);
  });

  it('is not a conflict after the remote undoes its change, and is removed after the remote removes it', async () => {
    const held = await unseenUpdate();
    push(held.folder, held.remote, PATH, CLEAN);
    await held.kernel.sync();
    writeFileSync(join(held.rootDir, PATH), FIXED);
    expect(await held.kernel.git.persist('mine', [PATH])).toMatchObject({ persisted: true });
    expect(held.theirs()).toBe(FIXED);
    const other = await unseenUpdate();
    push(other.folder, other.remote, PATH, undefined);
    await other.kernel.sync();
    expect(other.read()).toBe(LEAKY);
    rmSync(join(other.rootDir, PATH));
    await other.kernel.sync();
    expect(existsSync(join(other.rootDir, PATH))).toBe(false);
    expect(await other.kernel.git.uncommitted()).toEqual([]);
  });
});

describe('a file with a secret, with pull requests', () => {
  it('does not overwrite or remove an unseen remote version', async () => {
    const { folder, remote } = await bareRemote();
    push(folder, remote, PATH, CLEAN);
    const { kernel, tools, rootDir } = await kernelWithWarnings({ git: { repo: remote, writeStrategy: 'pr' } });
    await kernel.boot();
    const file = join(rootDir, PATH);
    writeFileSync(file, LEAKY);
    push(folder, remote, PATH, THEIRS);
    await kernel.sync();
    expect(readFileSync(file, 'utf8')).toBe(LEAKY);
    writeFileSync(file, FIXED);
    await expect(kernel.git.persist('mine', [PATH])).rejects.toMatchObject({ code: 'ERR_GIT_CONFLICT' });
    expect(readFileSync(file, 'utf8')).toBe(THEIRS);
    expect(git(remote, 'branch', '--list', 'tgp/feat-*')).toBe('');
    writeFileSync(file, LEAKY);
    push(folder, remote, PATH, CLEAN);
    await kernel.sync();
    rmSync(file);
    await kernel.sync();
    expect(readFileSync(file, 'utf8')).toBe(CLEAN);
    expect(await tools.write_file.execute({ path: PATH, content: FIXED })).toMatchObject({ persisted: true });
  });
});

describe('warnings when the remote changes files', () => {
  it.each([
    ['a fetch', async ({ kernel }) => kernel.git.hydrate()],
    [
      'a push after another push',
      async ({ kernel, tools }) => {
        await tools.write_file.execute({ path: 'tools/other.ts', content: CLEAN });
        await kernel.sync();
      },
    ],
  ])('name a manual edit, with the command that restores it: %s', async (_, exchange) => {
    const { folder, remote } = await bareRemote();
    const made = await kernelWithWarnings({ git: { repo: remote } });
    await made.tools.write_file.execute({ path: PATH, content: CLEAN });
    writeFileSync(join(made.rootDir, PATH), FIXED);
    push(folder, remote, PATH, THEIRS);
    await exchange(made);
    const [branch] = keptIn(made.rootDir);
    const commit = git(made.rootDir, 'rev-parse', String(branch));
    const warning = made.warned();
    expect(warning).toContain(`git show ${branch}:${PATH}`);
    expect(warning).toContain(`tgp revert ${PATH} ${commit}`);
    expect(readFileSync(join(made.rootDir, PATH), 'utf8')).toBe(THEIRS);
  });

  it('report the switch of a workspace from another branch, whose commits are kept', async () => {
    const { remote } = await bareRemote();
    const made = await kernelWithWarnings({ git: { repo: remote } });
    await made.tools.write_file.execute({ path: PATH, content: CLEAN });
    await made.kernel.shutdown();
    git(made.rootDir, 'switch', '-q', '-c', 'experiment');
    writeFileSync(join(made.rootDir, PATH), FIXED);
    git(made.rootDir, 'commit', '-q', '-a', '-m', 'try');
    const again = await kernelWithWarnings({ rootDir: made.rootDir, git: { repo: remote } });
    await again.kernel.boot();
    expect(again.warned()).toMatch(/was on the branch 'experiment'/);
    expect(git(made.rootDir, 'branch', '--show-current')).toBe('main');
    expect(git(made.rootDir, 'show', `experiment:${PATH}`)).toBe(FIXED.trim());
    await again.kernel.sync();
    expect(again.warned()).not.toContain('experiment');
  });
});
