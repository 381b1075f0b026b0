import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryVFS } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { forgeServer } from '../helpers/forge_server.js';
import { bareRemote, clone, filesOf, git, SOUND, soundness } from '../helpers/git_remote.js';

const LIB = '/** Doubles. */\nexport const double = (n: number) => n * 2;\n';
const USER =
  "import { double } from './lib/double';\n/** Doubles twice. */\nexport default (args: { n: number }) => double(double(args.n));\n";

async function withRemote() {
  const { folder, remote } = await bareRemote();
  return { folder, remote, ...(await createKernel({ git: { repo: remote } })) };
}

const subject = (folder) => git(folder, 'log', '-1', '--format=%s', 'main');
const tree = (folder) => git(folder, 'ls-tree', '-r', '--name-only', 'main').split('\n');
const paths = async (kernel) => (await kernel.registry.list()).map(({ path }) => path);

describe('delete_file', () => {
  it('makes one commit, pushes it, and updates the registry and meta.json', async () => {
    const { kernel, tools, rootDir, remote } = await withRemote();
    await tools.write_file.execute({ path: 'tools/a.ts', content: LIB });
    await tools.write_file.execute({ path: 'tools/b.ts', content: LIB.replace('Doubles', 'Adds') });
    const removed = await tools.delete_file.execute({ path: 'tools/a.ts' });
    expect(removed).toMatchObject({ success: true, path: 'tools/a.ts', persisted: true });
    expect(removed.commit).toBe(git(remote, 'rev-parse', 'main'));
    expect(subject(remote)).toBe('Remove: tools/a.ts');
    expect(tree(remote)).toEqual(['meta.json', 'tools/b.ts']);
    expect(git(remote, 'show', 'main:meta.json')).not.toContain('tools/a.ts');
    expect(await paths(kernel)).toEqual(['tools/b.ts']);
    expect(existsSync(join(rootDir, 'tools/a.ts'))).toBe(false);
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('refuses a file that other files import, and names them', async () => {
    const { tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/lib/double.ts', content: LIB });
    await tools.write_file.execute({ path: 'tools/use.ts', content: USER });
    const head = git(rootDir, 'rev-parse', 'HEAD');
    await expect(tools.delete_file.execute({ path: 'tools/lib/double.ts' })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringContaining('tools/use.ts'),
      details: { importers: ['tools/use.ts'] },
    });
    expect(git(rootDir, 'rev-parse', 'HEAD')).toBe(head);
    expect(existsSync(join(rootDir, 'tools/lib/double.ts'))).toBe(true);
  });

  it('names files that mention the path', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: LIB });
    await tools.write_file.execute({
      path: 'tools/runs.ts',
      content: "/** Runs it. */\nexport default () => tgp.exec_tool('tools/a.ts', {});\n",
    });
    expect(await tools.delete_file.execute({ path: 'tools/a.ts' })).toMatchObject({ mentions: ['tools/runs.ts'] });
    expect(await tools.delete_file.execute({ path: 'tools/runs.ts' })).not.toHaveProperty('mentions');
  });

  it('removes only files that agents may write', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await kernel.boot();
    writeFileSync(join(rootDir, 'package.json'), '{}');
    for (const [path, code] of [
      ['package.json', 'ERR_SECURITY_VIOLATION'],
      ['meta.json', 'ERR_SECURITY_VIOLATION'],
      ['.git/config', 'ERR_SECURITY_VIOLATION'],
      ['../x.json', 'ERR_SECURITY_VIOLATION'],
      ['tools/none.ts', 'ERR_NOT_FOUND'],
    ]) {
      await expect(tools.delete_file.execute({ path }), path).rejects.toMatchObject({ code });
    }
    mkdirSync(join(rootDir, 'tools/folder'), { recursive: true });
    await expect(tools.delete_file.execute({ path: 'tools/folder' })).rejects.toBeInstanceOf(Error);
    expect(existsSync(join(rootDir, 'package.json'))).toBe(true);
  });
});

describe('revert_file', () => {
  it('restores a committed version, also of a removed file', async () => {
    const { tools, rootDir } = await createKernel();
    const path = 'tools/a.ts';
    await tools.write_file.execute({ path, content: LIB });
    await tools.write_file.execute({ path, content: LIB.replace('* 2', '* 3') });
    const [, first] = await tools.file_history.execute({ path });
    expect(await tools.revert_file.execute({ path, commit: String(first?.commit) })).toMatchObject({ persisted: true });
    expect(readFileSync(join(rootDir, path), 'utf8')).toBe(LIB);
    await tools.delete_file.execute({ path });
    await tools.revert_file.execute({ path, commit: String(first?.commit) });
    expect(readFileSync(join(rootDir, path), 'utf8')).toBe(LIB);
    await expect(tools.revert_file.execute({ path, commit: 'HEAD~1' })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    });
    expect(soundness(rootDir)).toEqual(SOUND);
  });
});

describe('move_file', () => {
  it('updates imports of and in the file in one commit, and the tools still run', async () => {
    const { kernel, tools, rootDir, remote } = await withRemote();
    await tools.write_file.execute({ path: 'tools/lib/half.ts', content: 'export const half = 0.5;\n' });
    await tools.write_file.execute({
      path: 'tools/lib/double.ts',
      content: `import { half } from './half';\nexport const one = half * 2;\n${LIB}`,
    });
    await tools.write_file.execute({ path: 'tools/use.ts', content: USER });
    await tools.write_file.execute({
      path: 'tools/runs.ts',
      content: "/** Runs it. */\nexport default () => tgp.exec_tool('tools/lib/double.ts', {});\n",
    });
    const before = Number(git(remote, 'rev-list', '--count', 'main'));
    const moved = await tools.move_file.execute({ from: 'tools/lib/double.ts', to: 'tools/math/deep/twice.ts' });
    expect(moved).toMatchObject({
      success: true,
      path: 'tools/math/deep/twice.ts',
      persisted: true,
      relinked: ['tools/use.ts'],
      mentions: ['tools/runs.ts'],
    });
    expect(Number(git(remote, 'rev-list', '--count', 'main'))).toBe(before + 1);
    expect(subject(remote)).toBe('Move: tools/lib/double.ts -> tools/math/deep/twice.ts');
    expect(git(remote, 'show', 'main:tools/use.ts')).toContain("from './math/deep/twice'");
    expect(git(remote, 'show', 'main:tools/math/deep/twice.ts')).toContain("from '../../lib/half'");
    expect(git(remote, 'show', 'main:meta.json')).not.toContain('tools/lib/double.ts');
    expect(await paths(kernel)).toContain('tools/math/deep/twice.ts');
    expect((await kernel.exec('tools/use.ts', { n: 3 })).result).toBe(12);
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('updates imports with a strict check, which sees the files at their new paths', async () => {
    const { kernel, tools, rootDir } = await createKernel({ check: 'strict' });
    const lib = '/** Doubles. */\nexport function double(n: number): number {\n  return n + n;\n}\n';
    const user = USER.replace(') => double', '): number => double');
    expect(await tools.write_file.execute({ path: 'tools/lib/double.ts', content: lib })).toMatchObject({
      persisted: true,
    });
    expect(await tools.write_file.execute({ path: 'tools/use.ts', content: user })).toMatchObject({ persisted: true });
    const moved = await tools.move_file.execute({ from: 'tools/lib/double.ts', to: 'tools/twice.ts' });
    expect(moved).toMatchObject({ persisted: true, relinked: ['tools/use.ts'] });
    expect(await kernel.check('tools/use.ts')).toMatchObject({ valid: true });
    expect((await kernel.exec('tools/use.ts', { n: 1 })).result).toBe(4);
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('refuses an existing target, the same path, and paths that agents may not write', async () => {
    const { tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: LIB });
    await tools.write_file.execute({ path: 'tools/b.ts', content: LIB });
    const before = filesOf(rootDir);
    for (const [from, to, code] of [
      ['tools/a.ts', 'tools/b.ts', 'ERR_VALIDATION'],
      ['tools/a.ts', 'tools/./a.ts', 'ERR_VALIDATION'],
      ['tools/a.ts', 'a.ts', 'ERR_SECURITY_VIOLATION'],
      ['tools/a.ts', '../a.ts', 'ERR_SECURITY_VIOLATION'],
      ['tools/a.ts', 'tools/vite.config.ts', 'ERR_SECURITY_VIOLATION'],
      ['tools/none.ts', 'tools/c.ts', 'ERR_NOT_FOUND'],
    ]) {
      await expect(tools.move_file.execute({ from, to }), `${from} ${to}`).rejects.toMatchObject({ code });
    }
    await expect(tools.move_file.execute({ from: 'tools/a.ts', to: 'tools/b.ts/c.ts' })).rejects.toBeInstanceOf(Error);
    expect(filesOf(rootDir)).toEqual(before);
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('reports similar tools, but not the old path of the moved one', async () => {
    const { tools } = await createKernel();
    const tool = '/** Computes the value added tax of an invoice. */\nexport default (a: { net: number }) => a.net;\n';
    await tools.write_file.execute({ path: 'tools/vat.ts', content: tool });
    expect(await tools.move_file.execute({ from: 'tools/vat.ts', to: 'tools/tax/vat.ts' })).not.toHaveProperty(
      'similar',
    );
    await tools.write_file.execute({ path: 'tools/other/vat.ts', content: tool });
    expect(await tools.move_file.execute({ from: 'tools/tax/vat.ts', to: 'tools/vat.ts' })).toMatchObject({
      similar: [{ path: 'tools/other/vat.ts' }],
    });
  });

  it('refuses a file with a secret', async () => {
    const { tools, rootDir } = await createKernel();
    const content = "export default () => 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';\n";
    await tools.write_file.execute({ path: 'tools/a.ts', content });
    await expect(tools.move_file.execute({ from: 'tools/a.ts', to: 'tools/b.ts' })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringMatching(/^tools\/a\.ts was not moved: (?!.*on disk).* contains a secret: tools\/b\.ts:1:/),
    });
    expect(filesOf(rootDir)).toEqual({ 'tools/a.ts': content });
    expect(git(rootDir, 'log', '--all', '-p')).toBe('');
  });

  it('works on the VFS of the application', async () => {
    const vfs = createMemoryVFS({ 'tools/lib/double.ts': LIB, 'tools/use.ts': USER });
    const { tools, kernel } = await createKernel({}, { vfs });
    await tools.move_file.execute({ from: 'tools/lib/double.ts', to: 'tools/twice.ts' });
    expect(await vfs.exists('tools/lib/double.ts')).toBe(false);
    expect(await vfs.readFile('tools/twice.ts')).toBe(LIB);
    expect((await kernel.exec('tools/use.ts', { n: 1 })).result).toBe(4);
    await tools.delete_file.execute({ path: 'tools/use.ts' });
    expect(await vfs.exists('tools/use.ts')).toBe(false);
  });
});

describe('concurrent agents', () => {
  it('lose no write, move or removal, and git status is clean', async () => {
    const { remote, ...first } = await withRemote();
    const second = await createKernel({ git: { repo: remote } });
    const numbers = Array.from({ length: 8 }, (_, index) => index);
    await Promise.all(
      numbers.map((n) => first.tools.write_file.execute({ path: `tools/t${n}.ts`, content: `return ${n}` })),
    );
    await second.kernel.sync();
    await Promise.all(
      numbers.map((n) => {
        const { tools } = n % 2 === 0 ? first : second;
        if (n < 4) return tools.move_file.execute({ from: `tools/t${n}.ts`, to: `tools/moved/t${n}.ts` });
        if (n < 6) return tools.delete_file.execute({ path: `tools/t${n}.ts` });
        return tools.write_file.execute({ path: `tools/t${n}.ts`, content: `return ${n * 10}` });
      }),
    );
    await first.kernel.sync();
    await second.kernel.sync();
    await first.kernel.sync();
    const expected = {
      ...Object.fromEntries([0, 1, 2, 3].map((n) => [`tools/moved/t${n}.ts`, `return ${n}`])),
      'tools/t6.ts': 'return 60',
      'tools/t7.ts': 'return 70',
    };
    for (const { rootDir } of [first, second]) {
      expect(filesOf(rootDir)).toEqual(expected);
      expect(soundness(rootDir)).toEqual(SOUND);
    }
    expect(tree(remote)).toEqual(['meta.json', ...Object.keys(expected)].sort());
  });

  it('get a conflict for a move of a changed file, and keep both versions', async () => {
    const { remote, folder, tools, rootDir } = await withRemote();
    await tools.write_file.execute({ path: 'tools/a.ts', content: LIB });
    const person = clone(folder, remote);
    writeFileSync(join(person, 'tools/a.ts'), LIB.replace('* 2', '* 3'));
    git(person, 'commit', '-q', '-am', 'by hand');
    git(person, 'push', '-q', 'origin', 'HEAD:main');
    await expect(tools.move_file.execute({ from: 'tools/a.ts', to: 'tools/b.ts' })).rejects.toMatchObject({
      code: 'ERR_GIT_CONFLICT',
    });
    expect(git(remote, 'show', 'main:tools/a.ts')).toContain('* 3');
    expect(tree(remote)).not.toContain('tools/b.ts');
    const kept = git(rootDir, 'branch', '--list', 'tgp/kept-*', '--format=%(refname:short)');
    expect(git(rootDir, 'show', `${kept}:tools/b.ts`)).toBe(LIB.trim());
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('get a conflict for a move to a path that the remote has added, and keep the moved file', async () => {
    const { remote, folder, tools, rootDir } = await withRemote();
    await tools.write_file.execute({ path: 'tools/a.ts', content: LIB });
    const person = clone(folder, remote);
    writeFileSync(join(person, 'tools/b.ts'), 'return 1');
    git(person, 'add', '-A');
    git(person, 'commit', '-q', '-m', 'by hand');
    git(person, 'push', '-q', 'origin', 'HEAD:main');
    await expect(tools.move_file.execute({ from: 'tools/a.ts', to: 'tools/b.ts' })).rejects.toMatchObject({
      code: 'ERR_GIT_CONFLICT',
    });
    expect(git(remote, 'show', 'main:tools/a.ts')).toBe(LIB.trim());
    expect(git(remote, 'show', 'main:tools/b.ts')).toBe('return 1');
    expect(filesOf(rootDir)).toMatchObject({ 'tools/a.ts': LIB, 'tools/b.ts': 'return 1' });
    expect(soundness(rootDir)).toEqual(SOUND);
  });
});

describe('with pull requests', () => {
  async function forge(files = {}) {
    const server = await forgeServer('github');
    const work = clone(server.folder, server.remote);
    mkdirSync(join(work, 'tools/lib'), { recursive: true });
    for (const [path, text] of Object.entries({ 'README.md': 'tools', ...files }))
      writeFileSync(join(work, path), text);
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'Start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    return { ...server, ...(await createKernel({ git: server.config })) };
  }
  const branchFiles = ({ remote, requests }, number) =>
    git(remote, 'diff', '--name-status', '--no-renames', 'main', requests[number - 1].head)
      .split('\n')
      .sort();

  it('a removal opens its own pull request', async () => {
    const server = await forge({ 'tools/a.ts': LIB });
    const removed = await server.tools.delete_file.execute({ path: 'tools/a.ts' });
    expect(removed).toMatchObject({ persisted: true, pullRequest: { number: 1 } });
    expect(branchFiles(server, 1)).toEqual(['D\ttools/a.ts']);
    expect(server.requests[0].title).toBe('Remove: tools/a.ts');
    await server.kernel.sync();
    expect(existsSync(join(server.rootDir, 'tools/a.ts'))).toBe(false);
  });

  it('a move opens one that later writes update, and refuses a file with another pull request', async () => {
    const server = await forge({ 'tools/lib/double.ts': LIB, 'tools/use.ts': USER });
    const { tools, kernel, rootDir } = server;
    const moved = await tools.move_file.execute({ from: 'tools/lib/double.ts', to: 'tools/twice.ts' });
    expect(moved).toMatchObject({ persisted: true, pullRequest: { number: 1 }, relinked: ['tools/use.ts'] });
    expect(branchFiles(server, 1)).toEqual(['A\ttools/twice.ts', 'D\ttools/lib/double.ts', 'M\ttools/use.ts']);
    const later = await tools.patch_file.execute({ path: 'tools/twice.ts', search: '* 2', replace: '* 4' });
    expect(later).toMatchObject({ persisted: true, pullRequest: { number: 1 } });
    await kernel.sync();
    expect(readFileSync(join(rootDir, 'tools/twice.ts'), 'utf8')).toContain('* 4');
    expect((await kernel.exec('tools/use.ts', { n: 1 })).result).toBe(16);
    await tools.write_file.execute({ path: 'tools/own.ts', content: USER.replace('./lib/double', './twice') });
    await expect(tools.move_file.execute({ from: 'tools/twice.ts', to: 'tools/x.ts' })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringContaining('tools/own.ts'),
    });
  });

  it('a tool that was never merged is moved and removed in its own pull request', async () => {
    const server = await forge();
    const { tools, kernel, rootDir } = server;
    await tools.write_file.execute({ path: 'tools/a.ts', content: LIB });
    const moved = await tools.move_file.execute({ from: 'tools/a.ts', to: 'tools/b.ts' });
    expect(moved).toMatchObject({ persisted: true, pullRequest: { number: 1 } });
    expect(branchFiles(server, 1)).toEqual(['A\ttools/b.ts']);
    expect(await tools.delete_file.execute({ path: 'tools/b.ts' })).toMatchObject({ persisted: true });
    await kernel.sync();
    expect(filesOf(rootDir)).toEqual({ 'README.md': 'tools' });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0].title).toBe('Nothing left to merge');
  });
});
