import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GitConfigSchema, loadTGPConfig, TGP, TGPConfigSchema, tgpTools } from '../../index.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

const CODE_OF = `const codeOf = (job: () => unknown) => { try { job(); return 'done' } catch (error: any) { return error.code } };`;

/** An application with a config file, and the warnings of its kernel. */
async function application(config = {}) {
  const folder = join(await tempRoot(), 'one/app');
  await mkdir(folder, { recursive: true });
  const configFile = join(folder, 'tgp.config.json');
  await writeFile(configFile, JSON.stringify(config));
  /** @type {string[]} */
  const warnings = [];
  const warn = (message) => void warnings.push(message);
  const kernel = new TGP({ configFile, logger: { debug() {}, info() {}, warn, error() {} } });
  onTestFinished(() => kernel.shutdown());
  const tools = tgpTools(kernel);
  const run = async (source, args) => {
    await tools.write_file.execute({ path: 'tools/t.ts', content: source });
    return (await kernel.exec('tools/t.ts', args)).result;
  };
  return { folder, configFile, kernel, tools, run, warnings };
}

describe('limits', () => {
  it('sandbox.timeoutMs alone raises sandbox.wallMs to the same value', async () => {
    const { kernel } = await application({ sandbox: { timeoutMs: 60_000 } });
    await kernel.boot();
    expect(kernel.config.sandbox).toMatchObject({ timeoutMs: 60_000, wallMs: 60_000 });
    const both = await application({ sandbox: { timeoutMs: 60_000, wallMs: 30_000 } });
    await expect(both.kernel.boot()).rejects.toMatchObject({ code: 'ERR_CONFIG', details: { key: 'sandbox.wallMs' } });
  });
});

describe("git.provider 'local' with writeStrategy 'pr'", () => {
  it('pushes a branch per tool, opens no pull request, and leaves main unchanged', async () => {
    const { folder, remote } = await bareRemote();
    const work = clone(folder, remote);
    await writeFile(join(work, 'README.md'), 'tools');
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'Start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const main = git(remote, 'rev-parse', 'main');
    const { tools, run, kernel } = await application({ git: { repo: remote, writeStrategy: 'pr' } });
    const written = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    expect(written).toMatchObject({ success: true, persisted: true });
    expect(written).not.toHaveProperty('pullRequest');
    const branches = git(remote, 'branch', '--format=%(refname:short)').split('\n');
    expect(branches).toEqual(['main', expect.stringMatching(/^tgp\/feat-a-[0-9a-f]{8}$/)]);
    expect(git(remote, 'rev-parse', branches[1])).toBe(written.commit);
    expect(git(remote, 'diff', '--name-only', `main...${branches[1]}`)).toBe('tools/a.ts');
    expect(git(remote, 'rev-parse', 'main')).toBe(main);
    expect(await run('return 2')).toBe(2);
    expect((await kernel.exec('tools/a.ts')).result).toBe(1);

    git(work, 'fetch', '-q', 'origin');
    git(work, 'merge', '-q', `origin/${branches[1]}`);
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    await kernel.sync();
    expect(await tools.list_files.execute({ dir: 'tools' })).toEqual(['tools/a.ts', 'tools/t.ts']);
  });

  it('works with an empty remote and without a remote', async () => {
    const { remote } = await bareRemote();
    for (const repo of [remote, undefined]) {
      const { tools, kernel, folder } = await application({ git: { repo, writeStrategy: 'pr' } });
      const written = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
      expect(written).toMatchObject({ persisted: true });
      expect((await kernel.exec('tools/a.ts')).result).toBe(1);
      const branches = git(repo ?? join(folder, '.tgp'), 'branch', '--format=%(refname:short)');
      expect(branches).toMatch(/^tgp\/feat-a-[0-9a-f]{8}$/m);
    }
  });
});

describe('fs.allowedDirs', () => {
  it('may be /tmp, which then means the folder of the system', async () => {
    vi.stubEnv('TMPDIR', '/tmp');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { run, folder } = await application({ fs: { allowedDirs: ['/tmp'] }, rootDir: '../../root' }).catch((e) => e);
    // The application of this test is below /tmp: the boot is refused, and nothing was changed.
    await expect(run('return 1')).rejects.toMatchObject({ code: 'ERR_CONFIG', details: { key: 'fs.allowedDirs' } });
    expect(readdirSync(folder)).toEqual(['tgp.config.json']);

    const home = await tempRoot();
    // The working directory counts as the folder of the application, so it must not be below /tmp.
    const elsewhere = await mkdtemp('/var/tmp/tgp-elsewhere-');
    const here = process.cwd();
    process.chdir(elsewhere);
    const configFile = join(elsewhere, 'tgp.config.json');
    await writeFile(configFile, JSON.stringify({ rootDir: join(home, 'agent'), fs: { allowedDirs: ['/tmp'] } }));
    const kernel = new TGP({ configFile });
    onTestFinished(async () => {
      process.chdir(here);
      await kernel.shutdown();
      await rm(elsewhere, { recursive: true });
    });
    await writeFile(join(home, 'given.txt'), 'given');
    await tgpTools(kernel).write_file.execute({
      path: 'tools/t.ts',
      content: `${CODE_OF}
      tgp.write_file(args.home + '/made/by_tool.txt', 'made');
      return [tgp.read_file(args.home + '/given.txt'), ...['/agent/tools/t.ts', '/agent/new.ts', '/agent/.git/config', '/made/.git/config']
        .map((path) => codeOf(() => tgp.write_file(args.home + path, 'x'))), codeOf(() => tgp.read_file(args.home + '/agent/tools/t.ts')),
        tgp.list_files(args.home)];`,
    });
    const { result } = await kernel.exec('tools/t.ts', { home });
    expect(result).toEqual([
      'given',
      ...Array(5).fill('ERR_SECURITY_VIOLATION'),
      [`${home}/given.txt`, `${home}/made/by_tool.txt`],
    ]);
    expect(await readFile(join(home, 'made/by_tool.txt'), 'utf8')).toBe('made');
  });

  it('may be below /tmp, separate from the scratch folder', async () => {
    const exchange = join(await tempRoot(), 'exchange');
    const { run } = await application({ fs: { allowedDirs: [exchange] } });
    const source = `tgp.write_file('/tmp/scratch.txt', '1'); tgp.write_file(args.dir + '/kept.txt', '2'); return tgp.list_files('/tmp');`;
    expect(await run(source, { dir: exchange })).toEqual(['/tmp/scratch.txt']);
    expect(readdirSync(exchange)).toEqual(['kept.txt']);
    expect(existsSync('/tmp/scratch.txt')).toBe(false);
  });

  it('may contain the root, which stays inaccessible, also through links and other spellings', async () => {
    const { run, folder } = await application({ rootDir: './data/agent/.tgp', fs: { allowedDirs: ['./data'] } });
    await mkdir(join(folder, 'data'), { recursive: true });
    await writeFile(join(folder, 'data/given.txt'), 'given');
    await symlink('agent', join(folder, 'data/link'));
    await symlink('agent/.tgp', join(folder, 'data/straight'));
    const source = `${CODE_OF}
      const paths = ['data/agent/.tgp/tools/t.ts', 'data/agent/.tgp/x.ts', 'data/agent/.tgp/tools/../x.ts', 'data/link/.tgp/x.ts',
        'data/straight/x.ts', 'data/agent/.tgp/.git/config', 'data/agent/.tgp/.git/hooks/pre-commit'];
      return [tgp.read_file('data/given.txt'), codeOf(() => tgp.write_file('data/agent/beside.txt', 'x')), tgp.list_files('data'),
        paths.map((path) => codeOf(() => tgp.write_file(path, 'x'))), ['data/agent/.tgp', 'data/link/.tgp', 'data/straight'].map((root) => codeOf(() => tgp.read_file(root + '/tools/t.ts')))];`;
    const [given, beside, listed, writes, reads] = await run(source);
    expect([given, beside, listed]).toEqual(['given', 'done', ['data/agent/beside.txt', 'data/given.txt']]);
    expect(new Set([...writes, ...reads])).toEqual(new Set(['ERR_SECURITY_VIOLATION']));
    expect(await readFile(join(folder, 'data/agent/.tgp/tools/t.ts'), 'utf8')).toBe(source);
    expect(existsSync(join(folder, 'data/agent/.tgp/x.ts'))).toBe(false);
  });

  it("is './tmp' by default, which the first write creates", async () => {
    const { run, folder, kernel } = await application();
    expect(await run(`return tgp.list_files('tmp')`)).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['.tgp', 'tgp.config.json']);
    expect(await run(`tgp.write_file('./tmp/a/b.txt', '1'); return tgp.read_file('tmp/a/b.txt')`)).toBe('1');
    expect(await readFile(join(folder, 'tmp/a/b.txt'), 'utf8')).toBe('1');
    expect(kernel.config.fs.allowedDirs).toEqual(['./tmp']);
  });

  it('omits the default with a warning if it would be unsafe', async () => {
    const { kernel, folder, warnings } = await application();
    await mkdir(join(folder, 'tmp'));
    await writeFile(join(folder, 'tmp/package.json'), '{}');
    await kernel.boot();
    expect(kernel.config.fs.allowedDirs).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("Tools cannot use './tmp'")]);
  });
});

describe('allowedImports', () => {
  it('are @tgp/std, zod and date-fns by default, if they are installed', async () => {
    const bare = await application();
    await bare.kernel.boot();
    expect(bare.kernel.config.allowedImports).toEqual(['@tgp/std']);
    const { folder, kernel, run } = await application();
    await mkdir(join(folder, 'node_modules/zod'), { recursive: true });
    await writeFile(
      join(folder, 'node_modules/zod/package.json'),
      '{"name":"zod","version":"1.0.0","main":"index.js"}',
    );
    await writeFile(join(folder, 'node_modules/zod/index.js'), 'exports.answer = 42;');
    expect(await run(`import { answer } from 'zod'; export default () => answer;`)).toBe(42);
    expect(kernel.config.allowedImports).toEqual(['@tgp/std', 'zod']);
  });
});

describe('unknown keys', () => {
  it('of the TypeScript package are ignored with one warning, misspelt ones are refused', async () => {
    const old = { db: { dialect: 'postgres', ddlSource: 'drizzle/schema.ts' } };
    const { kernel, warnings, configFile } = await application(old);
    await kernel.boot();
    await kernel.boot();
    expect(warnings.filter((text) => text.includes('"db"'))).toHaveLength(1);
    expect(await loadTGPConfig(configFile)).not.toHaveProperty('db');
    const misspelt = await application({ ...old, allowedImport: [] });
    await expect(misspelt.kernel.boot()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(/"allowedImport" is not known, did you mean "allowedImports"\?/),
    });
  });
});

describe('schemas', () => {
  it('fill in the defaults, as loadTGPConfig does', async () => {
    const parsed = TGPConfigSchema.parse({ git: { provider: 'github', repo: 'a/b', auth: { token: 't' } } });
    expect(parsed).toMatchObject({
      rootDir: './.tgp',
      git: {
        provider: 'github',
        repo: 'a/b',
        branch: 'main',
        auth: { token: 't', user: 'tgp-bot[bot]', email: 'tgp-bot@users.noreply.github.com' },
        writeStrategy: 'direct',
      },
      fs: { allowedDirs: ['./tmp'], blockUpwardTraversal: true },
      allowedImports: ['@tgp/std', 'zod', 'date-fns'],
    });
    expect(TGPConfigSchema.parse({}).fs.allowedDirs).not.toBe(TGPConfigSchema.parse({}).fs.allowedDirs);
    expect(TGPConfigSchema.parse({ sandbox: { timeoutMs: 60_000 } }).sandbox.wallMs).toBe(60_000);
    expect(GitConfigSchema.parse({ repo: 'a/b' })).toMatchObject({ provider: 'local', branch: 'main' });
    expect(TGPConfigSchema.safeParse({ git: { branch: 5 } }).success).toBe(false);

    const { configFile, kernel } = await application({ git: { auth: { token: 't' } } });
    const loaded = await loadTGPConfig(configFile);
    expect(loaded).toMatchObject({ rootDir: './.tgp', git: { branch: 'main', auth: { token: 't' } } });
    await kernel.boot();
    const { token: _, ...auth } = loaded.git.auth;
    expect(kernel.config).toMatchObject({ ...loaded, git: { ...loaded.git, auth } });
    const again = new TGP({ config: { ...loaded, rootDir: join(await tempRoot(), '.tgp') } });
    onTestFinished(() => again.shutdown());
    await again.boot();
  });
});
