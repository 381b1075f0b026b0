import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeVFS, TGP, tgpTools } from '../../index.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** An application with a config file and the given files. */
async function application(config = {}, files = {}) {
  // Deep enough that `../..` stays in the folder of the test.
  const app = join(await tempRoot(), 'one/two/app');
  const all = { 'package.json': '{"name":"app"}', 'src/index.js': 'run();', ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(app, name)), { recursive: true });
    await writeFile(join(app, name), String(text));
  }
  const configFile = join(app, 'tgp.config.json');
  await writeFile(configFile, JSON.stringify(config));
  return {
    app,
    start: (options = {}) => {
      const kernel = new TGP({ configFile, logger: QUIET, ...options });
      onTestFinished(() => kernel.shutdown());
      return kernel;
    },
  };
}

const refusedAs = (key) => ({ code: 'ERR_CONFIG', details: { key } });

describe('a root that contains the application', () => {
  it.each(['.', './', '..', '../', '../..', 'src/..', '../app', './src/../../app/.'])(
    'is refused with the reason: %s',
    async (rootDir) => {
      const { app, start } = await application({ rootDir });
      const before = readdirSync(app);
      const error = await start()
        .boot()
        .catch((error) => error);
      expect(error).toMatchObject(refusedAs('rootDir'));
      expect(error.message).toMatch(/rootDir .*application's folder.*\.\/\.tgp/s);
      expect(error.message).not.toContain(app);
      expect(readdirSync(app)).toEqual(before);
    },
  );

  it('is refused for the home folder and the temporary folder', async () => {
    // Substitutes for the real folders: a build that fails to refuse them must not write to them.
    const folder = await tempRoot();
    for (const name of ['home', 'temporary', 'work']) await mkdir(join(folder, name));
    const env = { HOME: join(folder, 'home'), USERPROFILE: join(folder, 'home'), TMPDIR: join(folder, 'temporary') };
    const code = `const codes = [];
      for (const rootDir of ['../home', '../temporary']) {
        const kernel = new TGP({ config: { rootDir } });
        codes.push(await kernel.boot().then(() => 'booted', (error) => error.code + ' ' + error.details.key));
      }
      console.log(JSON.stringify(codes));`;
    const { child, ended } = startProgram(join(folder, 'work'), code, env);
    const [printed] = await Promise.all([text(child.stdout), ended]);
    expect(JSON.parse(printed)).toEqual(['ERR_CONFIG rootDir', 'ERR_CONFIG rootDir']);
    expect(readdirSync(join(folder, 'home'))).toEqual([]);
  });

  it('is refused through symlinks and in other spellings too', async () => {
    const { app } = await application();
    await symlink(app, join(app, '../link'));
    await symlink('..', join(app, 'up'));
    await mkdir(join(app, 'folder'));
    for (const rootDir of [join(app, '../link'), './up/app', join(app, 'folder/../../link'), `${app}/./`]) {
      const kernel = new TGP({ config: { rootDir }, logger: QUIET });
      const named = new TGP({ configFile: join(app, 'tgp.config.json'), logger: QUIET });
      await writeFile(join(app, 'tgp.config.json'), JSON.stringify({ rootDir }));
      await expect(named.boot(), rootDir).rejects.toMatchObject(refusedAs('rootDir'));
      if (rootDir.startsWith('/')) await expect(kernel.boot(), rootDir).rejects.toMatchObject(refusedAs('rootDir'));
    }
    expect(existsSync(join(app, '.git'))).toBe(false);
  });

  it.each([
    'package.json',
    'node_modules/x/index.js',
    'tgp.config.ts',
    'tgp.config.json',
    'pnpm-lock.yaml',
    'yarn.lock',
    '.env',
    '.env.local',
    '.npmrc',
    'deno.json',
  ])('is recognised by a file in it: %s', async (name) => {
    const { app, start } = await application({ rootDir: './agent' }, { [`agent/${name}`]: '{}' });
    const error = await start()
      .boot()
      .catch((error) => error);
    expect(error).toMatchObject({ code: 'ERR_CONFIG', details: { key: 'rootDir', found: [name.split('/')[0]] } });
    expect(readdirSync(join(app, 'agent'))).toHaveLength(1);
  });

  it('is refused as a VFS adapter as well', async () => {
    const { app, start } = await application();
    await expect(start({ vfs: createNodeVFS(app) }).boot()).rejects.toMatchObject(refusedAs('rootDir'));
    const inside = createNodeVFS(join(app, 'node_modules/tools'));
    await expect(start({ vfs: inside }).boot()).rejects.toMatchObject(refusedAs('rootDir'));
  });

  it('a separate folder works, named or default', async () => {
    for (const config of [{}, { rootDir: './.tgp' }, { rootDir: 'agent/root' }]) {
      const { app, start } = await application(config, {
        'agent/root/README.md': '# Tools',
        'agent/root/tsconfig.json': '{}',
      });
      const kernel = start();
      await tgpTools(kernel).write_file.execute({ path: 'tools/one.ts', content: 'return 1' });
      expect((await kernel.exec('tools/one.ts')).result).toBe(1);
      expect(readFileSync(join(app, 'package.json'), 'utf8')).toBe('{"name":"app"}');
    }
  });
});

describe('an agent cannot write files that programs execute or read as settings', () => {
  const NAMES = [
    'package.json',
    'tools/package.json',
    'tools/lib/PACKAGE.json',
    'package-lock.json',
    'tsconfig.json',
    'tools/tsconfig.json',
    'tgp.config.json',
    'tools/tgp.config.js',
    'tools/next.config.ts',
    'docker-compose.yml',
    'bitbucket-pipelines.yml',
    'azure-pipelines.yml',
    'vercel.json',
    'tools/Makefile',
    'tools/Dockerfile',
    'tools/node_modules/x/index.js',
    '.npmrc',
    '.env',
    '.env.json',
    '.github/workflows/run.yml',
    '.vscode/tasks.json',
    '.husky/pre-commit',
    '.gitattributes',
    '.git/hooks/post-commit',
    'tools/.git/config',
    'meta.json',
  ];

  it('by any tool', async () => {
    const { app, start } = await application();
    const kernel = start();
    const tools = tgpTools(kernel);
    await kernel.boot();
    const rootDir = join(app, '.tgp');
    const before = readdirSync(rootDir);
    for (const path of NAMES) {
      const refused = { code: 'ERR_SECURITY_VIOLATION' };
      await expect(tools.write_file.execute({ path, content: '{}' }), path).rejects.toMatchObject(refused);
      await expect(tools.patch_file.execute({ path, search: 'a', replace: 'b' }), path).rejects.toMatchObject(refused);
      await expect(tools.apply_diff.execute({ path, diff: '@@\n-a\n+b\n' }), path).rejects.toMatchObject(refused);
      await expect(kernel.git.revert(path, 'HEAD'), path).rejects.toMatchObject({ code: expect.any(String) });
    }
    expect(readdirSync(rootDir)).toEqual(before);
  });

  it('files from a remote are kept, reported once, and never executed', async () => {
    const remote = join(await tempRoot(), 'remote.git');
    const seed = join(await tempRoot(), 'seed');
    const git = (cwd, ...args) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, stdio: 'pipe' });
    await mkdir(join(seed, 'tools'), { recursive: true });
    const marker = join(seed, '../executed');
    const evil = `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`;
    await writeFile(join(seed, 'package.json'), JSON.stringify({ scripts: { postinstall: 'exit 1' } }));
    await writeFile(join(seed, 'tgp.config.cjs'), evil);
    await writeFile(join(seed, 'tools/one.ts'), 'return 1');
    git(dirname(seed), 'init', '-q', '--bare', '-b', 'main', remote);
    git(seed, 'init', '-q', '-b', 'main');
    git(seed, 'add', '-A');
    git(seed, 'commit', '-qm', 'seed');
    git(seed, 'push', '-q', remote, 'main');
    /** @type {string[]} */
    const warnings = [];
    const logger = { ...QUIET, warn: (/** @type {string} */ text) => warnings.push(text) };
    const { start, app } = await application({ git: { repo: remote } });
    for (const _ of [1, 2]) {
      const kernel = start({ logger });
      expect((await kernel.exec('tools/one.ts')).result).toBe(1);
      await expect(tgpTools(kernel).write_file.execute({ path: 'package.json', content: '{}' })).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
      });
      await kernel.shutdown();
    }
    expect(warnings.filter((text) => text.includes('package.json, tgp.config.cjs'))).toHaveLength(1);
    expect(readFileSync(join(app, '.tgp/package.json'), 'utf8')).toContain('postinstall');
    expect(existsSync(marker)).toBe(false);
  });
});

describe('a folder for tools to write in', () => {
  it.each([
    '.',
    '..',
    '../app',
    './node_modules',
    './node_modules/x',
    './packages/ui',
    './linked',
    './.git',
    '.tgp',
    '.tgp/tools',
  ])('must not be one whose files are executed: %s', async (folder) => {
    const { app, start } = await application(
      { fs: { allowedDirs: ['data', folder] } },
      { 'packages/ui/package.json': '{}', 'node_modules/x/index.js': '' },
    );
    await symlink('src/..', join(app, 'linked'));
    await expect(start().boot()).rejects.toMatchObject(refusedAs('fs.allowedDirs'));
    expect(readFileSync(join(app, 'package.json'), 'utf8')).toBe('{"name":"app"}');
  });

  it('may contain data, and tools cannot add files that mark it as a project', async () => {
    const { app, start } = await application({ fs: { allowedDirs: ['./data'] } });
    const kernel = start();
    const content = `const refused = [];
      for (const name of ['package.json', 'node_modules/x.js', 'tgp.config.json', '.env']) {
        try { tgp.write_file('./data/' + name, '{}'); } catch (error) { refused.push(error.code); }
      }
      tgp.write_file('./data/made/package.json', '{}');
      return refused;`;
    await tgpTools(kernel).write_file.execute({ path: 'tools/w.ts', content });
    expect((await kernel.exec('tools/w.ts')).result).toEqual(Array(4).fill('ERR_SECURITY_VIOLATION'));
    expect(readdirSync(join(app, 'data'))).toEqual(['made']);
    await kernel.shutdown();
    await start().boot();
  });
});
