import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryVFS, createNodeVFS, TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @typedef {import('../../index.js').VFSAdapter} VFSAdapter */

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** An adapter of an application, for example over the rows of a table. */
function ownAdapter(initial = {}) {
  const rows = new Map(Object.entries(initial));
  const read = (path) => {
    if (!rows.has(path)) throw new Error(`no row ${path}`);
    return rows.get(path);
  };
  /** @type {VFSAdapter & { rows: Map<string, string> }} */
  const adapter = {
    rows,
    readFile: async (path) => read(path),
    readSync: read,
    writeFile: async (path, content) => void rows.set(path, content),
    remove: async (path) => void rows.delete(path),
    exists: async (path) => rows.has(path),
    listFiles: async (dir, recursive) =>
      [...rows.keys()].filter(
        (path) => path.startsWith(dir) && (recursive || !path.slice(dir.length + 1).includes('/')),
      ),
  };
  return adapter;
}

/** @type {Record<string, () => Promise<VFSAdapter>>} */
const ADAPTERS = {
  createNodeVFS: async () => createNodeVFS(await tempRoot()),
  createMemoryVFS: async () => createMemoryVFS(),
  'an application adapter': async () => ownAdapter(),
};

/** @param {VFSAdapter} vfs */
function kernelOn(vfs) {
  const warnings = [];
  const logger = { debug: () => {}, info: () => {}, warn: (text) => warnings.push(text), error: () => {} };
  const kernel = new TGP({ vfs, logger });
  onTestFinished(() => kernel.shutdown());
  return { kernel, tools: tgpTools(kernel), warnings };
}

const SOURCE = '/** Doubles a number. */\nexport default (args: { n: number }) => args.n * 2;\n';

describe.each(Object.entries(ADAPTERS))('a kernel on %s', (_, create) => {
  it('writes, patches, finds, checks and runs tools there', async () => {
    const vfs = await create();
    await vfs.writeFile('tools/lib/base.ts', 'export const base = 40;\n');
    const { kernel, tools } = kernelOn(vfs);
    expect(await tools.list_files.execute({ dir: 'tools' })).toEqual(['tools/lib/base.ts']);
    await tools.write_file.execute({ path: 'tools/double.ts', content: SOURCE });
    expect(await vfs.readFile('tools/double.ts')).toBe(SOURCE);
    await tools.patch_file.execute({ path: 'tools/double.ts', search: '* 2', replace: '* 2 + base' });
    const diff = "@@ -1,1 +1,2 @@\n+import { base } from './lib/base';\n /** Doubles a number. */\n";
    await tools.apply_diff.execute({ path: 'tools/double.ts', diff });
    expect(await vfs.readFile('tools/double.ts')).toBe(
      `import { base } from './lib/base';\n${SOURCE.replace('* 2', '* 2 + base')}`,
    );
    expect((await kernel.exec('tools/double.ts', { n: 1 })).result).toBe(42);
    expect((await kernel.check('tools/double.ts')).valid).toBe(true);
    expect((await kernel.find('double a number'))[0]?.path).toBe('tools/double.ts');
    expect(Object.keys(JSON.parse(await vfs.readFile('meta.json')).tools)).toEqual([
      'tools/double.ts',
      'tools/lib/base.ts',
    ]);
    expect(await kernel.vfs.exists('tools/double.ts')).toBe(true);
  });

  it('sees external changes immediately', async () => {
    const vfs = await create();
    await vfs.writeFile('tools/a.ts', 'return 1');
    const { kernel, tools } = kernelOn(vfs);
    expect((await kernel.exec('tools/a.ts')).result).toBe(1);
    await vfs.writeFile('tools/a.ts', 'return 2');
    await vfs.writeFile('tools/b.ts', SOURCE);
    expect((await kernel.exec('tools/a.ts')).result).toBe(2);
    expect(await tools.read_file.execute({ path: 'tools/a.ts' })).toBe('return 2');
    expect((await tools.search_files.execute({ pattern: 'Doubles' })).matches).toHaveLength(1);
    expect((await kernel.check('tools/b.ts')).valid).toBe(true);
    await vfs.remove('tools/a.ts');
    expect(await tools.list_files.execute({ dir: 'tools' })).toEqual(['tools/b.ts']);
    await expect(kernel.exec('tools/a.ts')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    const patch = { path: 'tools/b.ts', search: '* 2', replace: '* 3' };
    await vfs.writeFile('tools/b.ts', SOURCE.replace('number }', 'number; m?: 1 }'));
    await tools.patch_file.execute(patch);
    expect(await vfs.readFile('tools/b.ts')).toBe(SOURCE.replace('number }', 'number; m?: 1 }').replace('* 2', '* 3'));
  });

  it('repairs and reverts change the files', async () => {
    const vfs = await create();
    const { kernel, tools } = kernelOn(vfs);
    const first = "let unit = 'km';\n/** Names. */\nexport default (): string => unit;\n";
    await tools.write_file.execute({ path: 'tools/a.ts', content: first });
    expect((await kernel.fix('tools/a.ts')).applied).toBe(1);
    expect(await vfs.readFile('tools/a.ts')).toBe(first.replace('let', 'const'));
    const [, forged] = await kernel.git.log('tools/a.ts');
    await kernel.git.revert('tools/a.ts', forged?.commit ?? '');
    expect(await vfs.readFile('tools/a.ts')).toBe(first);
  });

  it('refuses the same operations without changing files', async () => {
    const vfs = await create();
    const { tools } = kernelOn(vfs);
    for (const path of ['../x.ts', '/etc/x.ts', '.git/config', 'meta.json', 'x.ts']) {
      await expect(tools.write_file.execute({ path, content: 'x' }), path).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
      });
    }
    const large = { path: 'tools/a.ts', content: 'x'.repeat(1024 * 1024 + 1) };
    await expect(tools.write_file.execute(large)).rejects.toMatchObject({ code: 'ERR_LIMIT' });
    expect(await vfs.listFiles('', true)).toEqual([]);
  });
});

describe('files that are not on disk', () => {
  it('are not in Git, which a write reports', async () => {
    const { tools } = kernelOn(createMemoryVFS());
    expect(await tools.write_file.execute({ path: 'tools/a.ts', content: SOURCE })).toEqual({
      success: true,
      path: 'tools/a.ts',
      persisted: false,
      problem: expect.stringContaining('vfs'),
    });
    const disk = kernelOn(createNodeVFS(await tempRoot()));
    expect((await disk.tools.write_file.execute({ path: 'tools/a.ts', content: SOURCE })).persisted).toBe(true);
  });

  it('leave no folder behind', async () => {
    // Other test files run at the same time.
    const folders = () =>
      readdirSync(tmpdir()).filter((name) => name.startsWith('tgp-vfs-') && name.includes(`-${process.pid}-`));
    const before = new Set(folders());
    const { kernel } = kernelOn(createMemoryVFS({ 'tools/a.ts': SOURCE }));
    await kernel.boot();
    const own = folders().filter((name) => !before.has(name));
    await kernel.shutdown();
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((name) => existsSync(join(tmpdir(), name)))).toEqual([]);
  });

  it('a write that the adapter refuses changes nothing', async () => {
    const vfs = ownAdapter({ 'tools/a.ts': 'return 1' });
    const { kernel, tools } = kernelOn(vfs);
    await kernel.boot();
    vfs.writeFile = async () => {
      throw new Error('read-only');
    };
    await expect(tools.write_file.execute({ path: 'tools/a.ts', content: 'return 2' })).rejects.toMatchObject({
      code: 'ERR_IO',
    });
    await expect(tools.write_file.execute({ path: 'tools/b.ts', content: 'return 2' })).rejects.toMatchObject({
      code: 'ERR_IO',
    });
    expect(await tools.read_file.execute({ path: 'tools/a.ts' })).toBe('return 1');
    expect(await tools.list_files.execute({ dir: 'tools' })).toEqual(['tools/a.ts']);
    expect((await kernel.exec('tools/a.ts')).result).toBe(1);
  });

  it('a partly refused change is rolled back', async () => {
    const vfs = ownAdapter({ 'tools/a.ts': 'return 1' });
    const { kernel, tools } = kernelOn(vfs);
    await kernel.boot();
    const { writeFile } = vfs;
    vfs.writeFile = async (path, content) => {
      if (path === 'meta.json') throw new Error('no');
      return writeFile(path, content);
    };
    const before = new Map(vfs.rows);
    for (const path of ['tools/a.ts', 'tools/b.ts']) {
      await expect(tools.write_file.execute({ path, content: 'return 2' }), path).rejects.toMatchObject({
        code: 'ERR_IO',
      });
      expect(vfs.rows, path).toEqual(before);
    }
    expect((await kernel.exec('tools/a.ts')).result).toBe(1);
    vfs.writeFile = writeFile;
    await tools.write_file.execute({ path: 'tools/b.ts', content: 'return 2' });
    expect([...vfs.rows.keys()].sort()).toEqual(['meta.json', 'tools/a.ts', 'tools/b.ts']);
  });

  it('an adapter that alters writes causes an error', async () => {
    const vfs = ownAdapter({});
    const { tools } = kernelOn(vfs);
    vfs.writeFile = async (path, content) => void vfs.rows.set(path, content.slice(1));
    await expect(tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' })).rejects.toMatchObject({
      code: 'ERR_IO',
      message: expect.stringMatching(/tools\/a\.ts/),
    });
    expect([...vfs.rows.keys()]).toEqual([]);
  });

  it('a file that was changed in between is not overwritten', async () => {
    const vfs = ownAdapter({ 'tools/a.ts': 'return 1' });
    const { kernel, tools } = kernelOn(vfs);
    await kernel.boot();
    const { exists } = vfs;
    vfs.exists = async (path) => {
      if (path === 'tools/a.ts') vfs.rows.set(path, 'return 3');
      return exists(path);
    };
    await expect(tools.write_file.execute({ path: 'tools/a.ts', content: 'return 2' })).rejects.toMatchObject({
      code: 'ERR_IO',
      message: expect.stringMatching(/changed in "vfs" meanwhile/),
    });
    expect(vfs.rows.get('tools/a.ts')).toBe('return 3');
    expect((await kernel.exec('tools/a.ts')).result).toBe(3);
  });

  it('a file whose stamp is known is not read again', async () => {
    const vfs = ownAdapter({ 'tools/a.ts': 'return 1', 'tools/b.ts': 'return 1' });
    const read = [];
    const { readFile } = vfs;
    vfs.readFile = async (path) => {
      read.push(path);
      return readFile(path);
    };
    let version = 1;
    vfs.stamp = async (path) => (path === 'tools/a.ts' ? version : 0);
    const { kernel } = kernelOn(vfs);
    await kernel.exec('tools/a.ts');
    expect(read.sort()).toEqual(['tools/a.ts', 'tools/b.ts']);
    vfs.rows.set('tools/a.ts', 'return 2');
    version = 2;
    expect((await kernel.exec('tools/a.ts')).result).toBe(2);
    expect(read).toHaveLength(3);
  });

  it('changes from Git, including removals, reach the adapter, and writes reach the remote', async () => {
    const remote = join(await tempRoot(), 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
    const other = new TGP({ config: { rootDir: await tempRoot(), git: { repo: remote } }, logger: quiet });
    onTestFinished(() => other.shutdown());
    const others = tgpTools(other);
    await others.write_file.execute({ path: 'tools/a.ts', content: SOURCE });
    await others.write_file.execute({ path: 'tools/gone.ts', content: 'return 1' });
    const vfs = ownAdapter({ 'notes.md': 'mine' });
    const kernel = new TGP({ vfs, config: { git: { repo: remote } }, logger: quiet });
    onTestFinished(() => kernel.shutdown());
    await kernel.boot();
    expect([...vfs.rows.keys()].sort()).toEqual(['meta.json', 'notes.md', 'tools/a.ts', 'tools/gone.ts']);
    await other.vfs.remove('tools/gone.ts');
    await other.git.persist('Remove', ['tools/gone.ts']);
    await others.patch_file.execute({ path: 'tools/a.ts', search: '* 2', replace: '* 4' });
    await kernel.sync();
    expect([...vfs.rows.keys()].sort()).toEqual(['meta.json', 'notes.md', 'tools/a.ts']);
    expect(vfs.rows.get('tools/a.ts')).toContain('* 4');
    const written = await tgpTools(kernel).write_file.execute({ path: 'tools/b.ts', content: 'return 2' });
    expect(written).toMatchObject({ persisted: true, commit: expect.any(String) });
    await other.sync();
    expect((await other.exec('tools/b.ts')).result).toBe(2);
  });

  it('a hostile path of an adapter is skipped with a warning', async () => {
    const { tools, warnings } = kernelOn(
      ownAdapter({ '../../escape.ts': 'x', '.git/hooks/x': 'x', 'tools/a.ts': 'return 1' }),
    );
    expect(await tools.list_files.execute({ dir: '.' })).toEqual(['tools/a.ts']);
    expect(warnings).toHaveLength(2);
  });

  it('an unreadable adapter fails the boot, and the next boot retries', async () => {
    const vfs = ownAdapter({ 'tools/a.ts': 'return 1' });
    const { readFile } = vfs;
    vfs.readFile = async () => {
      throw new Error('offline');
    };
    const { kernel } = kernelOn(vfs);
    await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_IO' });
    vfs.readFile = readFile;
    expect((await kernel.exec('tools/a.ts')).result).toBe(1);
  });

  it.runIf(process.platform === 'linux')('repeated boots that fail leave no threads', async () => {
    const vfs = ownAdapter({ 'tools/a.ts': 'return 1' });
    const { listFiles } = vfs;
    let lists = 0;
    // Listed once before the native boot, and once after it.
    vfs.listFiles = async (dir, recursive) => {
      if (++lists % 2 === 0) throw new Error('offline');
      return listFiles(dir, recursive);
    };
    const { kernel } = kernelOn(vfs);
    const threads = () => readdirSync('/proc/self/task').length;
    await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_IO' });
    const before = threads();
    for (let at = 0; at < 5; at++) await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_IO' });
    expect(threads()).toBeLessThan(before + 5);
    vfs.listFiles = listFiles;
    expect((await kernel.exec('tools/a.ts')).result).toBe(1);
  });
});
