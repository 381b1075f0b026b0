import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryVFS, createNodeVFS, TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @typedef {import('../../index.js').VFSAdapter} VFSAdapter */

/** What an application might bring: rows of a table, say. */
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

  it('refuses the same things, and nothing reaches the files', async () => {
    const vfs = await create();
    const { tools } = kernelOn(vfs);
    for (const path of ['../x.ts', '/etc/x.ts', '.git/config', 'meta.json', 'x.ts']) {
      await expect(tools.write_file.execute({ path, content: 'x' }), path).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
      });
    }
    const large = { path: 'tools/a.ts', content: 'x'.repeat(1024 * 1024 + 1) };
    await expect(tools.write_file.execute(large)).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    expect(await vfs.listFiles('', true)).toEqual([]);
  });
});

describe('files that are not on disk', () => {
  it('are not in Git, and a write says so', async () => {
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
    const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('tgp-vfs-'));
    const before = new Set(folders());
    const { kernel } = kernelOn(createMemoryVFS({ 'tools/a.ts': SOURCE }));
    await kernel.boot();
    const own = folders().filter((name) => !before.has(name));
    await kernel.shutdown();
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((name) => existsSync(join(tmpdir(), name)))).toEqual([]);
  });

  it('a write that the adapter refuses did not happen', async () => {
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

  it('a hostile path of an adapter is left out, with a warning', async () => {
    const { tools, warnings } = kernelOn(
      ownAdapter({ '../../escape.ts': 'x', '.git/hooks/x': 'x', 'tools/a.ts': 'return 1' }),
    );
    expect(await tools.list_files.execute({ dir: '.' })).toEqual(['tools/a.ts']);
    expect(warnings).toHaveLength(2);
  });

  it('an adapter that cannot be read is a failed boot, and the next one tries again', async () => {
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
});
