import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryVFS, createNodeVFS, SecurityViolation } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @typedef {import('../../index.js').VFSAdapter} VFSAdapter */

/** @type {Record<string, () => Promise<VFSAdapter>>} */
const ADAPTERS = {
  createNodeVFS: async () => createNodeVFS(await tempRoot()),
  createMemoryVFS: async () => createMemoryVFS(),
};

describe.each(Object.entries(ADAPTERS))('%s', (_, create) => {
  it('reads what was written, synchronously and asynchronously', async () => {
    const vfs = await create();
    for (const content of ['', 'export default 1\n', '\u{feff}späth 日本 🦀\r\n\0']) {
      await vfs.writeFile('tools/deep/er/a.ts', content);
      expect(await vfs.readFile('./tools//deep/er/a.ts')).toBe(content);
      expect(vfs.readSync('tools/deep/er/a.ts')).toBe(content);
    }
    expect(await vfs.exists('tools/deep/er/a.ts')).toBe(true);
  });

  it('distinguishes missing files from empty ones', async () => {
    const vfs = await create();
    await vfs.writeFile('a/file', 'x');
    for (const missing of ['b', 'a/b', 'b/c', 'a/file/below']) {
      await expect(vfs.readFile(missing), missing).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
      expect(() => vfs.readSync(missing), missing).toThrow();
      expect(await vfs.exists(missing), missing).toBe(false);
      expect(await vfs.listFiles(missing, true), missing).toEqual([]);
      await vfs.remove(missing);
    }
    expect(await vfs.exists('a')).toBe(false);
    expect(await vfs.readFile('a/file')).toBe('x');
  });

  it('lists a folder, or everything below it', async () => {
    const vfs = await create();
    for (const path of ['tools/b.ts', 'tools/a/z.ts', 'tools/a.ts', 'tools-old/x', 'top.json'])
      await vfs.writeFile(path, 'x');
    expect(await vfs.listFiles('tools')).toEqual(['tools/a.ts', 'tools/b.ts']);
    for (const spelling of ['tools', 'tools/', './tools']) {
      expect(await vfs.listFiles(spelling, true), spelling).toEqual(['tools/a.ts', 'tools/a/z.ts', 'tools/b.ts']);
    }
    for (const root of ['', '.', './']) {
      expect(await vfs.listFiles(root), root).toEqual(['top.json']);
      expect(await vfs.listFiles(root, true), root).toHaveLength(5);
    }
  });

  it('removes files completely', async () => {
    const vfs = await create();
    await vfs.writeFile('a/b/c', 'x');
    await vfs.remove('a/b/c');
    await vfs.remove('a/b/c');
    await vfs.writeFile('a', 'a file where a folder was');
    expect(await vfs.listFiles('.', true)).toEqual(['a']);
  });

  it('files and folders are not confused', async () => {
    const vfs = await create();
    await vfs.writeFile('dir/file', 'x');
    for (const job of [
      () => vfs.readFile('dir'),
      () => vfs.writeFile('dir', 'y'),
      () => vfs.remove('dir'),
      () => vfs.writeFile('dir/file/a', 'y'),
    ]) {
      await expect(job()).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    }
    expect(await vfs.listFiles('.', true)).toEqual(['dir/file']);
  });

  it('no path escapes the root or reaches .git', async () => {
    const vfs = await create();
    const paths = [
      '../x',
      'a/../../x',
      '/etc/passwd',
      'C:\\x',
      'a\\..\\x',
      'a\0b',
      '.git/config',
      'a/.GIT/hooks/x',
      'git~1/x',
    ];
    for (const path of paths) {
      for (const job of [
        vfs.readFile(path),
        vfs.writeFile(path, 'x'),
        vfs.remove(path),
        vfs.exists(path),
        vfs.listFiles(path),
      ]) {
        await expect(job, path).rejects.toBeInstanceOf(SecurityViolation);
      }
      expect(() => vfs.readSync(path), path).toThrow(SecurityViolation);
    }
    expect(await vfs.listFiles('.', true)).toEqual([]);
  });

  it('a file above the size limit changes nothing', async () => {
    const vfs = await create();
    await vfs.writeFile('f', 'old');
    await expect(vfs.writeFile('f', 'x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({ code: 'ERR_LIMIT' });
    await expect(vfs.writeFile('new/g', 'x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({ code: 'ERR_LIMIT' });
    expect(await vfs.listFiles('.', true)).toEqual(['f']);
    expect(await vfs.readFile('f')).toBe('old');
  });

  it('parallel writers never tear a file', async () => {
    const vfs = await create();
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(50_000));
    await Promise.all(Array.from({ length: 60 }, (_, index) => vfs.writeFile('shared', texts[index % 3] ?? '')));
    expect(texts).toContain(await vfs.readFile('shared'));
  });
});

describe('createMemoryVFS', () => {
  it('starts with files, checked like any other', async () => {
    const vfs = createMemoryVFS({ 'tools/a.ts': 'return 1', 'b.json': '{}' });
    expect(await vfs.listFiles('.', true)).toEqual(['b.json', 'tools/a.ts']);
    expect(() => createMemoryVFS({ '../a': 'x' })).toThrow(SecurityViolation);
  });

  it('shares no files with another instance', async () => {
    const one = createMemoryVFS({ a: '1' });
    const two = createMemoryVFS();
    expect([await one.exists('a'), await two.exists('a')]).toEqual([true, false]);
  });
});

describe('createNodeVFS', () => {
  it('reads and writes files on disk, and follows no symlink outside', async () => {
    const root = await tempRoot();
    const outside = await tempRoot();
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(join(outside, 'secret'), join(root, 'link'));
    const vfs = createNodeVFS(root);
    await vfs.writeFile('tools/a.ts', 'return 1');
    expect(readFileSync(join(root, 'tools/a.ts'), 'utf8')).toBe('return 1');
    await expect(vfs.readFile('link')).rejects.toBeInstanceOf(SecurityViolation);
    await expect(vfs.writeFile('link', 'x')).rejects.toBeInstanceOf(SecurityViolation);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('touches the disk only when it is used', async () => {
    const root = join(await tempRoot(), 'not', 'yet');
    const vfs = createNodeVFS(root);
    expect(() => readFileSync(root)).toThrow(/ENOENT/);
    await vfs.writeFile('a', 'x');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('x');
  });
});
