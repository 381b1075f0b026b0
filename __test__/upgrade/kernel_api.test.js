import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryVFS, TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { git } from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

const TOOL = '/** Adds one. */\nexport default (args: { a: number }) => args.a + 1;\n';
const PATH = 'tools/math/add_one.ts';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** @param {() => unknown} call */
const codeOf = async (call) => {
  try {
    await call();
    return 'done';
  } catch (error) {
    return /** @type {any} */ (error).code;
  }
};

describe('the registry', () => {
  it('lists the tools synchronously after boot, and can still be awaited', async () => {
    const { kernel, tools } = await createKernel();
    await kernel.boot();
    expect(kernel.registry.list()).toEqual([]);
    await tools.write_file.execute({ path: PATH, content: TOOL });
    const listed = kernel.registry.list();
    expect(Array.isArray(listed)).toBe(true);
    expect(listed.map(({ name, description, path }) => ({ name, description, path }))).toEqual([
      { name: 'add_one', description: 'Adds one.', path: PATH },
    ]);
    expect(await kernel.registry.list()).toEqual(listed);
  });

  it('lists an empty array before boot, and boots when it is awaited', async () => {
    const { kernel, rootDir } = await createKernel();
    expect(kernel.registry.list()).toEqual([]);
    expect(kernel.registry.list().map((tool) => tool.path)).toEqual([]);
    expect(await kernel.registry.list()).toEqual([]);
    expect(readFileSync(join(rootDir, '.git/HEAD'), 'utf8')).toContain('main');
  });

  it('lists tools synchronously with files in memory, and refreshes the list when it is awaited', async () => {
    const vfs = createMemoryVFS({ [PATH]: TOOL });
    const kernel = new TGP({ vfs, logger: QUIET });
    onTestFinished(() => kernel.shutdown());
    const paths = () => kernel.registry.list().map(({ path }) => path);
    await kernel.boot();
    expect(paths()).toEqual([PATH]);
    await kernel.registry.register('tools/b.ts', 'return 1');
    expect(paths()).toEqual(['tools/b.ts', PATH]);
    expect((await kernel.registry.list()).map(({ path }) => path)).toEqual(['tools/b.ts', PATH]);
  });

  it('registers a path with its code', async () => {
    const { kernel } = await createKernel();
    expect(await kernel.registry.register(PATH, TOOL)).toMatchObject({ path: PATH, name: 'add_one' });
    expect((await kernel.exec(PATH, { a: 1 })).result).toBe(2);
    expect(await kernel.registry.register(PATH, TOOL)).toMatchObject({ path: PATH });
    const refused = kernel.registry.register(PATH, 'export default 1');
    await expect(refused).rejects.toMatchObject({ code: 'ERR_VALIDATION', details: { field: 'code' } });
    expect(await kernel.vfs.readFile(PATH)).toBe(TOOL);
    expect(await kernel.registry.register('notes.md', '# Notes')).toBeUndefined();
    expect(await kernel.vfs.exists('notes.md')).toBe(false);
  });

  it('writes entries with their path into meta.json', async () => {
    const { tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: PATH, content: TOOL });
    const meta = JSON.parse(await readFile(join(rootDir, 'meta.json'), 'utf8'));
    expect(meta.tools[PATH]).toMatchObject({ path: PATH, name: 'add_one', description: 'Adds one.' });
  });
});

describe('a kernel', () => {
  it('has the same service objects before and after boot', async () => {
    const { kernel } = await createKernel();
    const seen = () => [kernel.git, kernel.registry, kernel.vfs, kernel.config, kernel.logger];
    const before = seen();
    await kernel.boot();
    seen().forEach((object, index) => {
      expect(object).toBe(before[index]);
    });
    const { list } = kernel.registry;
    expect(list()).toEqual([]);
  });

  it('has a configuration with its defaults before boot, without secrets', async () => {
    expect(new TGP().config).toMatchObject({
      rootDir: './.tgp',
      git: { branch: 'main', writeStrategy: 'direct', auth: { user: 'tgp-bot[bot]' } },
      fs: { allowedDirs: ['./tmp'], blockUpwardTraversal: true },
      sandbox: { timeoutMs: 50, wallMs: 30_000 },
    });
    const rootDir = join(await tempRoot(), '.tgp');
    const kernel = new TGP({ config: { rootDir, git: { auth: { token: 's3cret' } }, sandbox: { timeoutMs: 60_000 } } });
    onTestFinished(() => kernel.shutdown());
    const before = structuredClone(kernel.config);
    expect(before).toMatchObject({ git: { auth: { token: '[hidden]' } }, sandbox: { wallMs: 60_000, memoryMb: 64 } });
    await kernel.boot();
    expect(kernel.config).toEqual(before);
  });

  it('boots again after a shutdown, and reads its config file again', async () => {
    const folder = await tempRoot();
    const configFile = join(folder, 'tgp.config.json');
    await writeFile(configFile, JSON.stringify({ sandbox: { timeoutMs: 100 } }));
    const kernel = new TGP({ configFile, logger: QUIET, sandboxAPI: { twice: (value) => value * 2 } });
    onTestFinished(() => kernel.shutdown());
    const tools = tgpTools(kernel);
    const changes = [];
    kernel.onToolsChanged((change) => changes.push(change));
    const live = await kernel.liveTools();
    for (const life of [1, 2, 3]) {
      await kernel.boot();
      const path = `tools/life_${life}.ts`;
      await tools.write_file.execute({ path, content: 'return tgp.twice(args.n)' });
      expect((await kernel.exec(path, { n: life })).result).toBe(life * 2);
      expect((await kernel.check(path)).errors).toEqual([]);
      expect(kernel.registry.list()).toHaveLength(life);
      expect(Object.keys(live)).toHaveLength(life);
      await kernel.shutdown();
      await writeFile(configFile, JSON.stringify({ sandbox: { timeoutMs: 100 + life } }));
      expect(kernel.config.sandbox.timeoutMs).toBe(99 + life);
    }
    expect(changes.map(({ added }) => added.length)).toEqual([1, 1, 1]);
  });

  it('refuses every call between a shutdown and the next boot, with a remedy', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: PATH, content: TOOL });
    await kernel.shutdown();
    const calls = [
      () => kernel.exec(PATH),
      () => kernel.check(PATH),
      () => kernel.fix(PATH),
      () => kernel.find('add'),
      () => kernel.sync(),
      () => kernel.confinement(),
      () => kernel.registry.list(),
      () => kernel.registry.register(PATH),
      () => kernel.registry.register(PATH, TOOL),
      () => kernel.registry.sync(),
      () => kernel.git.persist('nothing', []),
      () => kernel.git.log(),
      () => kernel.vfs.readFile(PATH),
      () => kernel.vfs.readSync(PATH),
      () => tools.read_file.execute({ path: PATH }),
    ];
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'ERR_SHUTDOWN'));
    await expect(kernel.exec(PATH)).rejects.toThrow(/Call boot\(\) to start it again/);
  });

  it('ends in the state of the last boot or shutdown call', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: PATH, content: TOOL });
    const stopped = kernel.shutdown();
    const again = [kernel.boot(), kernel.boot()];
    await Promise.all([stopped, ...again]);
    expect((await kernel.exec(PATH, { a: 1 })).result).toBe(2);
    const down = kernel.shutdown();
    const cancelled = kernel.boot();
    const last = kernel.shutdown();
    await expect(cancelled).rejects.toMatchObject({ code: 'ERR_SHUTDOWN' });
    await Promise.all([down, last]);
    expect(await codeOf(() => kernel.exec(PATH))).toBe('ERR_SHUTDOWN');
  });

  it('persists nothing for an empty list of files', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: PATH, content: TOOL });
    const head = git(rootDir, 'rev-parse', 'HEAD');
    expect(await kernel.git.persist('Nothing', [])).toEqual({ persisted: true });
    expect(git(rootDir, 'rev-parse', 'HEAD')).toBe(head);
  });
});
