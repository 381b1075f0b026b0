import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import {
  bareRemote,
  clone,
  commitsOf,
  filesOf,
  git,
  lockFiles,
  MAX_REGISTRY_COMMITS_OF_A_SYNC,
  SOUND,
  soundness,
} from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @param {string} remote */
const agent = (remote, more = {}) => createKernel({ git: { repo: remote }, ...more });

/** Commits files to the remote as a person would. */
function push(folder, remote, files, message = 'by hand') {
  const work = clone(folder, remote);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(work, path, '..'), { recursive: true });
    writeFileSync(join(work, path), content);
  }
  git(work, 'add', '-A');
  git(work, 'commit', '-q', '-m', message);
  git(work, 'push', '-q', 'origin', 'HEAD:main');
  return work;
}

describe('a branch that the remote has replaced', () => {
  it('is reported, and files of the old history can be restored', async () => {
    const { folder, remote } = await bareRemote();
    const warnings = [];
    const logger = { info() {}, debug() {}, error() {}, warn: (text) => warnings.push(text) };
    const { kernel, tools, rootDir } = await createKernel({ git: { repo: remote } }, { logger });
    await tools.write_file.execute({ path: 'tools/old.ts', content: 'return 1' });
    const before = git(remote, 'rev-parse', 'main');
    const work = clone(folder, remote);
    git(work, 'checkout', '-q', '--orphan', 'other');
    git(work, 'rm', '-rfq', '.');
    mkdirSync(join(work, 'tools'), { recursive: true });
    writeFileSync(join(work, 'tools/new.ts'), 'return 2');
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'another history');
    git(work, 'push', '-q', '--force', 'origin', 'HEAD:main');
    await kernel.sync();
    expect(filesOf(rootDir)).toEqual({ 'tools/new.ts': 'return 2' });
    expect(warnings.join('\n')).toContain(`kept in the commit ${before}`);
    expect(await kernel.git.revert('tools/old.ts', before)).toMatchObject({ persisted: true });
    expect(git(remote, 'show', 'main:tools/old.ts')).toBe('return 1');
    expect(git(remote, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(soundness(rootDir)).toEqual(SOUND);
  });
});

describe('hydration', () => {
  it('fetches and runs tools committed with git', async () => {
    const { folder, remote } = await bareRemote();
    push(folder, remote, { 'tools/hello.ts': 'export default () => "hello"', 'data/x.bin': 'a\0b' });
    const { kernel, tools, rootDir } = await agent(remote);
    expect(await tools.read_file.execute({ path: 'tools/hello.ts' })).toBe('export default () => "hello"');
    expect((await kernel.exec('tools/hello.ts')).result).toBe('hello');
    expect(soundness(rootDir)).toEqual(SOUND);
    expect(git(rootDir, 'rev-parse', 'HEAD')).toBe(git(remote, 'rev-parse', 'main'));
  });

  it('works with file:// and relative paths, and configures the remote for git', async () => {
    const { folder, remote } = await bareRemote();
    push(folder, remote, { 'tools/a.ts': 'return 1' });
    const first = await agent(`file://${remote}`);
    expect(await first.tools.list_files.execute({ dir: '.' })).toEqual(['tools/a.ts']);
    expect(git(first.rootDir, 'remote', 'get-url', 'origin')).toBe(remote);
    writeFileSync(
      join(folder, 'tgp.config.json'),
      JSON.stringify({ rootDir: './root', git: { repo: './remote.git' } }),
    );
    const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
    onTestFinished(() => kernel.shutdown());
    expect((await kernel.exec('tools/a.ts')).result).toBe(1);
  });

  it('accepts an empty remote, and the first write creates the branch', async () => {
    const { remote } = await bareRemote();
    const { kernel, tools } = await agent(remote);
    await kernel.boot();
    const written = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    expect(written).toMatchObject({ persisted: true, commit: git(remote, 'rev-parse', 'main') });
  });

  it('starts a missing branch from the default branch', async () => {
    const { folder, remote } = await bareRemote();
    push(folder, remote, { 'tools/a.ts': 'return 1' });
    const { tools, rootDir } = await createKernel({ git: { repo: remote, branch: 'agents' } });
    expect(await tools.read_file.execute({ path: 'tools/a.ts' })).toBe('return 1');
    expect(git(remote, 'branch', '--list', 'agents')).toBe('');
    expect((await tools.write_file.execute({ path: 'tools/b.ts', content: 'return 2' })).persisted).toBe(true);
    expect(git(remote, 'log', '--format=%s', 'agents').split('\n')).toEqual(['Forge: tools/b.ts', 'by hand']);
    expect(git(remote, 'rev-list', '--count', 'main')).toBe('1');
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('follows a rewritten remote branch', async () => {
    const { folder, remote } = await bareRemote();
    const work = push(folder, remote, { 'tools/a.ts': 'return 1', 'tools/old.ts': 'return 0' });
    const { kernel, tools, rootDir } = await agent(remote);
    await kernel.boot();
    git(work, 'rm', '-q', 'tools/old.ts');
    git(work, 'commit', '-q', '--amend', '-m', 'rewritten');
    git(work, 'push', '-q', '--force', 'origin', 'HEAD:main');
    expect(await kernel.git.hydrate()).toEqual({ changed: ['tools/old.ts'] });
    expect(await tools.list_files.execute({ dir: '.' })).toEqual(['tools/a.ts']);
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('backs up uncommitted files on a branch before it overwrites them', async () => {
    const { folder, remote } = await bareRemote();
    push(folder, remote, { 'tools/a.ts': 'return 1' });
    const rootDir = join(await tempRoot(), 'root');
    mkdirSync(join(rootDir, 'tools'), { recursive: true });
    writeFileSync(join(rootDir, 'tools/a.ts'), 'mine');
    const { kernel } = await agent(remote, { rootDir });
    await kernel.boot();
    expect(readFileSync(join(rootDir, 'tools/a.ts'), 'utf8')).toBe('return 1');
    const kept = git(rootDir, 'branch', '--list', 'tgp/kept-*', '--format=%(refname)');
    expect(git(rootDir, 'show', `${kept}:tools/a.ts`)).toBe('mine');
  });
});

describe('writes', () => {
  it('are committed with exactly the changed files and pushed', async () => {
    const { folder, remote } = await bareRemote();
    push(folder, remote, { 'tools/hello.ts': 'return 1' });
    const { kernel, tools, rootDir } = await agent(remote);
    await tools.write_file.execute({ path: 'tools/new.ts', content: 'return 2' });
    await tools.patch_file.execute({ path: 'tools/hello.ts', search: '1', replace: '3' });
    await kernel.sync();
    expect(git(remote, 'log', '--format=%s|%an', 'main').split('\n')).toEqual([
      'Refactor: tools/hello.ts|tgp-bot[bot]',
      'Forge: tools/new.ts|tgp-bot[bot]',
      'by hand|Person',
    ]);
    expect(git(remote, 'show', '--name-only', '--format=', 'main').split('\n')).toContain('tools/hello.ts');
    expect(git(remote, 'show', '--name-only', '--format=', 'main')).not.toContain('tools/new.ts');
    expect(soundness(rootDir)).toEqual(SOUND);
    expect(filesOf(clone(folder, remote))).toEqual({ 'tools/hello.ts': 'return 3', 'tools/new.ts': 'return 2' });
  });

  it('of chosen files with persist are one commit', async () => {
    const { remote } = await bareRemote();
    const { kernel, rootDir } = await agent(remote);
    await kernel.boot();
    mkdirSync(join(rootDir, 'data'));
    writeFileSync(join(rootDir, 'data/a.json'), '1');
    writeFileSync(join(rootDir, 'data/b.json'), '2');
    expect(await kernel.git.persist('Two files', ['data/a.json', 'data/b.json'])).toEqual({
      persisted: true,
      commit: git(remote, 'rev-parse', 'main'),
    });
    rmSync(join(rootDir, 'data/a.json'));
    await kernel.git.persist('One less', ['data/a.json']);
    expect(git(remote, 'ls-tree', '-r', '--name-only', 'main')).toBe('data/b.json');
  });

  it('during a push share the next push', async () => {
    const { remote } = await bareRemote();
    const { tools } = await agent(remote);
    const paths = Array.from({ length: 40 }, (_, index) => `tools/t${index}.ts`);
    const results = await Promise.all(paths.map((path) => tools.write_file.execute({ path, content: path })));
    expect(results.every(({ persisted }) => persisted === true)).toBe(true);
    expect(git(remote, 'rev-list', '--count', 'main')).toBe('40');
    const pushes = readFileSync(join(remote, 'logs/refs/heads/main'), { encoding: 'utf8', flag: 'a+' });
    expect(pushes.split('\n').length).toBeLessThan(40);
  });
});

describe('two kernels on one remote', () => {
  it('keep the files of both when they sync at the same time', async () => {
    const { folder, remote } = await bareRemote();
    const [a, b] = [await agent(remote), await agent(remote)];
    await Promise.all([a.kernel.boot(), b.kernel.boot()]);
    const writes = [];
    for (let index = 0; index < 8; index++) {
      writes.push(a.tools.write_file.execute({ path: `tools/a${index}.ts`, content: 'a' }));
      writes.push(b.tools.write_file.execute({ path: `tools/b${index}.ts`, content: 'b' }));
    }
    const results = await Promise.all(writes);
    expect(results.every(({ persisted }) => persisted === true)).toBe(true);
    for (const { commit } of results) expect(git(remote, 'branch', '--contains', commit)).toContain('main');
    await Promise.all([a.kernel.sync(), b.kernel.sync()]);
    const { registry, ...commits } = commitsOf(remote);
    expect(commits).toEqual({ writes: 16, others: [] });
    expect(registry).toBeLessThanOrEqual(2 * MAX_REGISTRY_COMMITS_OF_A_SYNC);
    for (const { rootDir } of [a, b]) {
      expect(soundness(rootDir)).toEqual(SOUND);
      expect(filesOf(rootDir)).toEqual(filesOf(clone(folder, remote)));
    }
  });

  it('report a conflict and keep both versions when they change the same file', async () => {
    const { folder, remote } = await bareRemote();
    push(folder, remote, { 'tools/x.ts': 'base' });
    const [a, b] = [await agent(remote), await agent(remote)];
    await Promise.all([a.kernel.boot(), b.kernel.boot()]);
    await a.tools.write_file.execute({ path: 'tools/x.ts', content: 'by a' });
    const error = await b.tools.write_file.execute({ path: 'tools/x.ts', content: 'by b' }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_GIT_CONFLICT', details: { path: 'tools/x.ts' } });
    expect(error.message).toMatch(/tools\/x\.ts was changed in the remote repository.*Read the file again/s);
    const { branch, commit } = error.details;
    expect(git(remote, 'show', 'main:tools/x.ts')).toBe('by a');
    expect(git(remote, 'show', `${branch}:tools/x.ts`)).toBe('by b');
    expect(git(b.rootDir, 'show', `${commit}:tools/x.ts`)).toBe('by b');
    expect(await b.tools.read_file.execute({ path: 'tools/x.ts' })).toBe('by a');
    expect(soundness(b.rootDir)).toEqual(SOUND);
    const retried = await b.tools.patch_file.execute({ path: 'tools/x.ts', search: 'by a', replace: 'by a and b' });
    expect(retried.persisted).toBe(true);
    await b.kernel.git.revert('tools/x.ts', commit);
    expect(git(remote, 'show', 'main:tools/x.ts')).toBe('by b');
  });

  it('find the tools of each other after a sync', async () => {
    const { remote } = await bareRemote();
    const [a, b] = [await agent(remote), await agent(remote)];
    await b.kernel.boot();
    expect(await b.kernel.find('weigh a parcel')).toEqual([]);
    const content = '/** Weigh a parcel. */\nexport default (args: { grams: number }) => args.grams\n';
    await a.tools.write_file.execute({ path: 'tools/weigh.ts', content });
    await b.kernel.sync();
    expect((await b.kernel.find('weigh a parcel'))[0]?.path).toBe('tools/weigh.ts');
    expect((await b.kernel.exec('tools/weigh.ts', { grams: 7 })).result).toBe(7);
    // Tools that arrive during a push are found too.
    await a.tools.write_file.execute({
      path: 'tools/peel.ts',
      content: content.replace('Weigh a parcel', 'Peel an onion'),
    });
    await b.tools.write_file.execute({ path: 'tools/own.ts', content: 'return 1' });
    const found = async () => (await b.kernel.find('peel an onion'))[0]?.path;
    await expect.poll(found, { timeout: 30_000 }).toBe('tools/peel.ts');
  });

  it('never conflict in meta.json', async () => {
    const { remote } = await bareRemote();
    const [a, b] = [await agent(remote), await agent(remote)];
    await Promise.all([a.kernel.boot(), b.kernel.boot()]);
    for (const [{ kernel, rootDir }, name] of [
      [a, 'a'],
      [b, 'b'],
    ]) {
      mkdirSync(join(rootDir, 'tools'), { recursive: true });
      writeFileSync(join(rootDir, `tools/${name}.ts`), name);
      writeFileSync(join(rootDir, 'meta.json'), `{"tools":["${name}"]}`);
      expect(await kernel.git.persist(`Forge: tools/${name}.ts`, [`tools/${name}.ts`, 'meta.json'])).toMatchObject({
        persisted: true,
      });
    }
    expect(git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n')).toEqual([
      'meta.json',
      'tools/a.ts',
      'tools/b.ts',
    ]);
  });
});

describe('an unreachable remote', () => {
  it('without a local copy prevents the boot', async () => {
    const { remote } = await bareRemote();
    renameSync(remote, `${remote}.away`);
    const { kernel } = await agent(remote);
    const error = await kernel.boot().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/of git\.repo cannot be reached/) });
    expect(error.message).toMatch(/no local copy of it yet.*git\.provider/);
    expect(error.message).not.toMatch(/pushed later/);
    expect(error.message).not.toContain(remote);
    renameSync(`${remote}.away`, remote);
    await kernel.boot();
  });

  it('with a local copy boots with a warning, writes locally, and pushes later', async () => {
    const { folder, remote } = await bareRemote();
    push(folder, remote, { 'tools/a.ts': 'return 1' });
    const first = await agent(remote);
    await first.kernel.boot();
    await first.kernel.shutdown();
    renameSync(remote, `${remote}.away`);
    const warnings = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (message) => warnings.push(message) };
    const kernel = new TGP({ config: { rootDir: first.rootDir, git: { repo: remote } }, logger });
    onTestFinished(() => kernel.shutdown());
    const tools = tgpTools(kernel);
    expect((await kernel.exec('tools/a.ts')).result).toBe(1);
    expect(warnings.join()).toContain('cannot be reached');
    const written = await tools.write_file.execute({ path: 'tools/b.ts', content: 'return 2' });
    expect(written).toMatchObject({
      success: true,
      persisted: 'local',
      problem: expect.stringContaining('pushed later'),
    });
    await expect(kernel.sync()).rejects.toMatchObject({ code: 'ERR_GIT' });
    renameSync(`${remote}.away`, remote);
    const deadline = Date.now() + 20_000;
    while (git(remote, 'rev-list', '--count', 'main') !== '2' && Date.now() < deadline) {
      await new Promise((done) => setTimeout(done, 50));
    }
    expect(git(remote, 'rev-parse', 'main')).toBe(written.commit);
  });

  it('without a local copy does not prevent a later boot', async () => {
    const { folder, remote } = await bareRemote();
    renameSync(remote, `${remote}.away`);
    const { kernel, tools } = await agent(remote);
    await expect(kernel.boot()).rejects.toMatchObject({
      code: 'ERR_GIT',
      message: expect.not.stringContaining(folder),
    });
    renameSync(`${remote}.away`, remote);
    expect((await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' })).persisted).toBe(true);
  });
});

describe('a damaged local repository', () => {
  it('is repaired if possible, otherwise moved aside and cloned again', async () => {
    const { folder, remote } = await bareRemote();
    push(folder, remote, { 'tools/a.ts': 'return 1' });
    /** @type {[(root: string) => void, 'repaired' | 'aside'][]} */
    const damages = [
      [(root) => writeFileSync(join(root, '.git/HEAD'), ''), 'repaired'],
      [(root) => rmSync(join(root, '.git/objects'), { recursive: true }), 'aside'],
      [(root) => writeFileSync(join(root, '.git/refs/heads/main'), `${'1'.repeat(40)}\n`), 'aside'],
    ];
    for (const [damage, outcome] of damages) {
      const first = await agent(remote);
      await first.kernel.boot();
      await first.kernel.shutdown();
      damage(first.rootDir);
      const second = await agent(remote, { rootDir: first.rootDir });
      expect((await second.kernel.exec('tools/a.ts')).result).toBe(1);
      expect((await second.tools.write_file.execute({ path: 'tools/b.ts', content: String(damage) })).persisted).toBe(
        true,
      );
      expect(soundness(first.rootDir)).toEqual(SOUND);
      const kept = readdirSync(join(first.rootDir, '..')).some((name) => name.includes('broken-git'));
      expect(kept).toBe(outcome === 'aside');
    }
  });
});

describe('a remote with a work tree', () => {
  it('is not written to while its branch is checked out', async () => {
    const { folder, remote } = await bareRemote();
    const work = push(folder, remote, { 'tools/a.ts': 'return 1' });
    const { tools } = await agent(work);
    const written = await tools.write_file.execute({ path: 'tools/b.ts', content: 'return 2' });
    expect(written).toMatchObject({ persisted: 'local', problem: expect.stringContaining('bare') });
    expect(git(work, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(work, 'tools/b.ts'))).toBe(false);
  });
});

describe('locks', () => {
  it('in the remote are removed if stale, and waited for if live', async () => {
    const { remote } = await bareRemote();
    const { tools, rootDir } = await agent(remote);
    await tools.write_file.execute({ path: 'tools/a.ts', content: '1' });
    const lock = join(remote, 'refs/heads/main.lock');
    writeFileSync(lock, '');
    utimesSync(lock, new Date(0), new Date(0));
    expect((await tools.write_file.execute({ path: 'tools/b.ts', content: '2' })).persisted).toBe(true);
    writeFileSync(lock, '');
    setTimeout(() => rmSync(lock), 300);
    expect((await tools.write_file.execute({ path: 'tools/c.ts', content: '3' })).persisted).toBe(true);
    expect(lockFiles(remote)).toEqual([]);
    expect(soundness(rootDir)).toEqual(SOUND);
  });
});
