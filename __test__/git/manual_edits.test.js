import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { forgeServer } from '../helpers/forge_server.js';
import { bareRemote, clone, git, SOUND, soundness } from '../helpers/git_remote.js';

const LIB = '/** Doubles. */\nexport const double = (n: number) => n * 2;\n';
const BY_HAND = '/** Doubles, by hand. */\nexport const double = (n: number) => n + n;\n';
const OTHER = '/** Doubles, by shift. */\nexport const double = (n: number) => n << 1;\n';
const SECRET = "export default () => 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';\n";
const FAULTY = 'export default (a: any) => a;\n';
const PATH = 'tools/a.ts';

const subjects = (folder) => git(folder, 'log', '--format=%s', 'main').split('\n');
/** Writes to the disk as a person does, without the kernel. */
function byHand(rootDir, path, text) {
  mkdirSync(join(rootDir, path, '..'), { recursive: true });
  writeFileSync(join(rootDir, path), text);
}

/** A workspace with a manual edit: the text of a file on disk differs from the committed one. */
async function edited(config = {}) {
  const made = await createKernel(config);
  await made.tools.write_file.execute({ path: PATH, content: LIB });
  const first = git(made.rootDir, 'rev-parse', 'main');
  byHand(made.rootDir, PATH, BY_HAND);
  return { ...made, first };
}

describe("THREAT: a user's edit is overwritten and lost", () => {
  const DIFF =
    '<<<<<<< SEARCH\nexport const double = (n: number) => n + n;\n=======\nexport const double = (n: number) => n << 1;\n>>>>>>> REPLACE\n';
  /** @type {[string, string, (tools: any, first: string) => Promise<any>][]} */
  const writes = [
    ['write_file', 'Forge', (tools) => tools.write_file.execute({ path: PATH, content: OTHER })],
    ['patch_file', 'Refactor', (tools) => tools.patch_file.execute({ path: PATH, search: 'n + n', replace: 'n << 1' })],
    ['apply_diff', 'Refactor', (tools) => tools.apply_diff.execute({ path: PATH, diff: DIFF })],
    ['revert_file', 'Revert', (tools, first) => tools.revert_file.execute({ path: PATH, commit: first })],
  ];
  it.each(writes)('%s commits the edit first, and pushes both commits', async (_, verb, write) => {
    const { remote } = await bareRemote();
    const { tools, rootDir, first } = await edited({ git: { repo: remote } });
    const written = await write(tools, first);
    expect(written).toMatchObject({ persisted: true, commit: git(remote, 'rev-parse', 'main') });
    expect(written).not.toHaveProperty('problem');
    expect(subjects(remote).slice(0, 3)).toEqual([
      expect.stringContaining(`${verb}: ${PATH}`),
      `Keep: ${PATH}`,
      `Forge: ${PATH}`,
    ]);
    expect(git(remote, 'show', `main~1:${PATH}`)).toBe(BY_HAND.trim());
    expect(git(remote, 'show', `main:${PATH}`)).toBe(readFileSync(join(rootDir, PATH), 'utf8').trim());
    const [, kept] = await tools.file_history.execute({ path: PATH });
    await tools.revert_file.execute({ path: PATH, commit: kept.commit });
    expect(readFileSync(join(rootDir, PATH), 'utf8')).toBe(BY_HAND);
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('an untracked file is committed first: data, text and bytes', async () => {
    const { tools, rootDir } = await edited();
    const bytes = Buffer.from([0, 255, 254, 10]);
    byHand(rootDir, 'data/mine.json', '{"by":"hand"}');
    byHand(rootDir, 'data/mine.txt', bytes);
    for (const [path, kept] of [
      ['data/mine.json', Buffer.from('{"by":"hand"}')],
      ['data/mine.txt', bytes],
    ]) {
      await tools.write_file.execute({ path, content: 'new' });
      expect(subjects(rootDir).slice(0, 2)).toEqual([`Forge: ${path}`, `Keep: ${path}`]);
      expect(execFileSync('git', ['-C', rootDir, 'show', `main~1:${path}`])).toEqual(kept);
    }
  });

  it('an edited importer is committed before a move changes it', async () => {
    const { tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/lib.ts', content: LIB });
    const user =
      "import { double } from './lib';\n/** Doubles. */\nexport default (args: { n: number }) => double(args.n);\n";
    byHand(rootDir, 'tools/user.ts', user);
    expect(await tools.move_file.execute({ from: 'tools/lib.ts', to: 'tools/lib/double.ts' })).toMatchObject({
      relinked: ['tools/user.ts'],
    });
    expect(subjects(rootDir).slice(0, 2)).toEqual(['Move: tools/lib.ts -> tools/lib/double.ts', 'Keep: tools/user.ts']);
    expect(git(rootDir, 'show', 'main~1:tools/user.ts')).toBe(user.trim());
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('texts that the kernel wrote, committed texts and identical texts are not backed up', async () => {
    const { tools, kernel, rootDir } = await createKernel({ check: 'strict' });
    await tools.write_file.execute({ path: PATH, content: LIB });
    await tools.write_file.execute({ path: PATH, content: FAULTY });
    await tools.write_file.execute({ path: PATH, content: SECRET });
    expect(await tools.write_file.execute({ path: PATH, content: OTHER })).not.toHaveProperty('problem');
    byHand(rootDir, PATH, BY_HAND);
    await tools.write_file.execute({ path: PATH, content: BY_HAND });
    const before = subjects(rootDir);
    expect(before).toEqual([`Forge: ${PATH}`, `Forge: ${PATH}`, `Forge: ${PATH}`]);
    await kernel.shutdown();
    // A new kernel, which has not written yet.
    const next = await createKernel({ check: 'strict', rootDir });
    await next.tools.write_file.execute({ path: PATH, content: LIB });
    expect(subjects(rootDir)).toEqual([`Forge: ${PATH}`, ...before]);
    expect(git(rootDir, 'branch', '--list', 'tgp/*')).toBe('');
  });

  it('a draft does not change the branch, and the replaced file is backed up on its own branch', async () => {
    const { tools, rootDir, first } = await edited({ check: 'strict' });
    const draft = await tools.write_file.execute({ path: PATH, content: FAULTY });
    expect(draft).toMatchObject({ persisted: false, problem: expect.stringMatching(/kept as a draft.*tgp\/kept-/s) });
    expect(git(rootDir, 'rev-parse', 'main')).toBe(first);
    const kept = git(rootDir, 'branch', '--list', 'tgp/kept-*', '--format=%(refname:short)');
    expect(draft.problem).toContain(kept);
    expect(git(rootDir, 'show', `${kept}:${PATH}`)).toBe(BY_HAND.trim());
    const commit = String(/kept in commit ([0-9a-f]{40}) /.exec(draft.problem)?.[1]);
    await tools.revert_file.execute({ path: PATH, commit });
    expect(readFileSync(join(rootDir, PATH), 'utf8')).toBe(BY_HAND);
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('an edit with a secret is never committed, and the answer reports the loss', async () => {
    const { tools, rootDir } = await edited();
    byHand(rootDir, PATH, SECRET);
    const written = await tools.patch_file.execute({
      path: PATH,
      search: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
      replace: '',
    });
    expect(written).toMatchObject({
      persisted: true,
      commit: git(rootDir, 'rev-parse', 'main'),
      problem: expect.stringContaining('contained a secret and was never committed'),
    });
    expect(subjects(rootDir)).toEqual([`Refactor: ${PATH}`, `Forge: ${PATH}`]);
    expect(git(rootDir, 'log', '--all', '-p')).not.toContain('sk_live');
  });

  it('an edit that cannot be committed is not overwritten; files that the kernel wrote may change', async () => {
    const { tools, rootDir } = await edited();
    await tools.write_file.execute({ path: 'tools/own.ts', content: LIB });
    byHand(rootDir, PATH, OTHER);
    git(rootDir, 'checkout', '-q', '--detach');
    await expect(tools.write_file.execute({ path: PATH, content: LIB })).rejects.toMatchObject({
      message: expect.stringContaining(`${PATH} was not changed`),
      details: { path: PATH },
    });
    expect(readFileSync(join(rootDir, PATH), 'utf8')).toBe(OTHER);
    const own = await tools.write_file.execute({ path: 'tools/own.ts', content: OTHER });
    expect(own).toMatchObject({ persisted: false });
    expect(readFileSync(join(rootDir, 'tools/own.ts'), 'utf8')).toBe(OTHER);
  });
});

describe("THREAT: a user's edit is lost while it is backed up", () => {
  const kept = (rootDir) => git(rootDir, 'branch', '--list', 'tgp/kept-*', '--format=%(refname:short)');

  it.each(['looking', 'working'])('a process is killed while the journal is in the state "%s"', async (state) => {
    const { kernel, rootDir } = await edited();
    await kernel.shutdown();
    byHand(rootDir, 'tools/new.ts', OTHER);
    writeFileSync(join(rootDir, '.git/tgp-writer'), [state, PATH, 'tools/new.ts', 'meta.json'].join('\0'));
    const next = await createKernel({ rootDir });
    await next.kernel.boot();
    if (state === 'looking') {
      expect(readFileSync(join(rootDir, PATH), 'utf8')).toBe(BY_HAND);
      expect(readFileSync(join(rootDir, 'tools/new.ts'), 'utf8')).toBe(OTHER);
      expect(kept(rootDir)).toBe('');
    } else {
      expect(readFileSync(join(rootDir, PATH), 'utf8')).toBe(LIB);
      const branch = kept(rootDir);
      expect(git(rootDir, 'show', `${branch}:${PATH}`)).toBe(BY_HAND.trim());
      expect(git(rootDir, 'show', `${branch}:tools/new.ts`)).toBe(OTHER.trim());
      await next.tools.revert_file.execute({ path: PATH, commit: git(rootDir, 'rev-parse', branch) });
      expect(readFileSync(join(rootDir, PATH), 'utf8')).toBe(BY_HAND);
    }
    expect(soundness(rootDir)).toMatchObject({ fsck: '', locks: [] });
  });

  it('a write of a committed file is not refused, even with a detached HEAD', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: PATH, content: LIB });
    await kernel.shutdown();
    git(rootDir, 'checkout', '-q', '--detach');
    const next = await createKernel({ rootDir });
    expect(await next.tools.write_file.execute({ path: PATH, content: OTHER })).toMatchObject({
      persisted: false,
      problem: expect.stringContaining('detached HEAD'),
    });
    expect(readFileSync(join(rootDir, PATH), 'utf8')).toBe(OTHER);
  });

  it("another kernel's draft is backed up once, on its own branch", async () => {
    const { kernel, tools, rootDir, first } = await edited({ check: 'strict' });
    byHand(rootDir, PATH, LIB);
    for (const _ of [1, 2]) {
      byHand(rootDir, PATH, FAULTY);
      expect(await tools.write_file.execute({ path: PATH, content: OTHER })).toMatchObject({
        persisted: true,
        problem: expect.stringContaining(kept(rootDir)),
      });
      expect(git(rootDir, 'show', `${kept(rootDir)}:${PATH}`)).toBe(FAULTY.trim());
    }
    expect(git(rootDir, 'log', '--format=%s', `${first}..main`)).toBe(`Forge: ${PATH}`);
    await kernel.shutdown();
  });

  it('a file above fs.fileBytes is neither committed nor overwritten', async () => {
    const { kernel, tools, rootDir } = await createKernel({ fs: { fileBytes: 1000 } });
    const large = 'x'.repeat(1001);
    byHand(rootDir, 'data/large.txt', large);
    await expect(kernel.git.persist('Large', ['data/large.txt'])).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringContaining('fs.fileBytes'),
      details: { path: 'data/large.txt' },
    });
    await expect(tools.write_file.execute({ path: 'data/large.txt', content: 'small' })).rejects.toMatchObject({
      message: expect.stringMatching(/data\/large\.txt was not changed.*fs\.fileBytes/s),
    });
    expect(readFileSync(join(rootDir, 'data/large.txt'), 'utf8')).toBe(large);
  });

  it('a hard-linked file is replaced, and the other name keeps its content', async () => {
    const { tools, rootDir } = await edited();
    linkSync(join(rootDir, PATH), join(rootDir, 'tools/twin.ts'));
    expect(await tools.write_file.execute({ path: PATH, content: OTHER })).toMatchObject({ persisted: true });
    expect(readFileSync(join(rootDir, PATH), 'utf8')).toBe(OTHER);
    expect(readFileSync(join(rootDir, 'tools/twin.ts'), 'utf8')).toBe(BY_HAND);
  });

  it('with pull requests a move puts an edited importer on no second branch', async () => {
    const { folder, remote, config } = await forgeServer('github');
    const work = clone(folder, remote);
    const user =
      "import { double } from './lib';\n/** Doubles. */\nexport default (args: { n: number }) => double(args.n);\n";
    byHand(work, 'tools/lib.ts', LIB);
    byHand(work, 'tools/user.ts', user);
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'Start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const { kernel, tools, rootDir } = await createKernel({ git: config });
    await kernel.boot();
    const mine = user.replace('Doubles', 'Doubles, by hand');
    byHand(rootDir, 'tools/user.ts', mine);
    const moved = await tools.move_file.execute({ from: 'tools/lib.ts', to: 'tools/lib/double.ts' });
    expect(moved).toMatchObject({ relinked: ['tools/user.ts'], problem: expect.stringContaining(kept(rootDir)) });
    expect(moved.problem).toMatch(/previous text of tools\/user\.ts/);
    expect(git(rootDir, 'show', `${kept(rootDir)}:tools/user.ts`)).toBe(mine.trim());
    const requests = git(rootDir, 'branch', '--list', 'tgp/feat-*', '--format=%(refname:short)').split('\n');
    expect(requests).toEqual([expect.stringContaining('tgp/feat-lib-')]);
  });
});

describe('kernel.git.uncommitted', () => {
  it('lists the same files as git status, and none after a commit', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    expect(await kernel.git.uncommitted()).toEqual([]);
    for (const path of ['tools/same.ts', 'tools/gone.ts', PATH]) {
      await tools.write_file.execute({ path, content: LIB });
    }
    expect(await kernel.git.uncommitted()).toEqual([]);
    byHand(rootDir, PATH, BY_HAND);
    byHand(rootDir, 'tools/deep/er/new.ts', BY_HAND);
    byHand(rootDir, 'data/ünï code.json', '{}');
    byHand(rootDir, 'ignored/.gitignore', '*\n');
    byHand(rootDir, 'ignored/deep/file.txt', 'x');
    byHand(rootDir, '.results/long.json', '{}');
    rmSync(join(rootDir, 'tools/gone.ts'));
    const found = await kernel.git.uncommitted();
    expect(found).toEqual([
      { path: 'data/ünï code.json', state: 'new' },
      { path: PATH, state: 'changed' },
      { path: 'tools/deep/er/new.ts', state: 'new' },
      { path: 'tools/gone.ts', state: 'missing' },
    ]);
    const status = execFileSync('git', ['-C', rootDir, 'status', '--porcelain', '-z', '-uall'], { encoding: 'utf8' });
    const named = status.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)]));
    expect(found.map(({ path }) => path)).toEqual(named.filter((path) => path !== 'meta.json').sort());
    const message = 'By hand';
    expect(await kernel.git.persist(message, named)).toMatchObject({ persisted: true });
    expect(await kernel.git.uncommitted()).toEqual([]);
    expect(subjects(rootDir)[0]).toBe(message);
  });

  it('lists drafts and files with a secret, and ignores a .gitignore that is a pipe', async () => {
    const { kernel, tools, rootDir } = await createKernel({ check: 'strict' });
    await tools.write_file.execute({ path: PATH, content: FAULTY });
    await tools.write_file.execute({ path: 'data/key.json', content: JSON.stringify({ key: SECRET }) });
    mkdirSync(join(rootDir, 'data/pipe'));
    execFileSync('mkfifo', [join(rootDir, 'data/pipe/.gitignore')]);
    byHand(rootDir, 'data/pipe/file.txt', 'x');
    expect((await kernel.git.uncommitted()).map(({ path }) => path)).toEqual([
      'data/key.json',
      'data/pipe/file.txt',
      PATH,
    ]);
  });

  it('skips files of pending pull requests', async () => {
    const { folder, remote, config } = await forgeServer('github');
    const work = clone(folder, remote);
    writeFileSync(join(work, 'README.md'), 'tools');
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'Start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const { kernel, tools, rootDir } = await createKernel({ git: config });
    for (const path of [PATH, 'tools/b.ts']) await tools.write_file.execute({ path, content: LIB });
    expect(await kernel.git.uncommitted()).toEqual([]);
    byHand(rootDir, PATH, BY_HAND);
    byHand(rootDir, 'README.md', 'mine');
    expect(await kernel.git.uncommitted()).toEqual([
      { path: 'README.md', state: 'changed' },
      { path: PATH, state: 'changed' },
    ]);
  });
});
