/** The unit test plan of the TypeScript package, line by line. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeVFS } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

describe('the virtual file system on disk', () => {
  it('writes a nested file into real folders', async () => {
    const root = await tempRoot();
    await createNodeVFS(root).writeFile('deep/nested/file.txt', 'text');
    expect(await readFile(join(root, 'deep/nested/file.txt'), 'utf8')).toBe('text');
  });

  it('reads back exactly what was written', async () => {
    const vfs = createNodeVFS(await tempRoot());
    const text = 'ä\r\n\t"\u{1f600}"\n';
    await vfs.writeFile('deep/nested/file.txt', text);
    expect(await vfs.readFile('deep/nested/file.txt')).toBe(text);
  });

  it('lists the same files as find', async () => {
    const root = await tempRoot();
    const vfs = createNodeVFS(root);
    for (const path of ['deep/b.txt', 'deep/a/c.txt', 'deep/a/d/e.txt', 'other.txt']) await vfs.writeFile(path, path);
    const found = execFileSync('find', ['deep', '-type', 'f'], { cwd: root, encoding: 'utf8' });
    expect((await vfs.listFiles('deep', true)).toSorted()).toEqual(found.trim().split('\n').toSorted());
  });

  it('writes nothing outside its root', async () => {
    const root = join(await tempRoot(), 'root');
    await expect(createNodeVFS(root).writeFile('../outside.txt', 'x')).rejects.toMatchObject({
      name: 'SecurityViolation',
      code: 'ERR_SECURITY_VIOLATION',
    });
    expect(existsSync(join(root, '../outside.txt'))).toBe(false);
  });

  it('does not follow a symbolic link out of its root', async () => {
    const root = await tempRoot();
    await symlink('/etc/passwd', join(root, 'link'));
    await expect(createNodeVFS(root).readFile('link')).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  });
});

describe('the sandbox', () => {
  it('compiles and runs TypeScript with a default export', async () => {
    const { forge } = await createKernel();
    expect((await forge('export default (args: { a: number }) => args.a * 2;', { a: 21 })).result).toBe(42);
  });

  it('reports the line of a syntax error', async () => {
    const { forge } = await createKernel();
    await expect(forge('const y = 1;\nconst x = ;')).rejects.toMatchObject({ name: 'CompilationError', line: 2 });
  });

  it('refuses a buffer of 100 MB', async () => {
    const { forge } = await createKernel();
    await expect(forge('return new Uint8Array(100 * 1024 * 1024).length')).rejects.toMatchObject({
      code: 'ERR_ISOLATE_MEMORY',
    });
  });

  it('ends an endless loop', async () => {
    const { forge } = await createKernel();
    await expect(forge('while (true) {}')).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
  });

  it('gives the same random numbers for the same seed', async () => {
    const { forge } = await createKernel();
    const source = 'return [Math.random(), Math.random()]';
    const [first, again, other] = [
      (await forge(source, {}, { seed: 7 })).result,
      (await forge(source, {}, { seed: 7 })).result,
      (await forge(source, {}, { seed: 8 })).result,
    ];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

describe('the check', () => {
  it.each([
    ['process.exit()', "Global 'process' is forbidden"],
    ["import fs from 'fs';\nexport default () => fs", "'fs'"],
  ])('refuses %s', async (content, phrase) => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/bad.ts', content });
    const { valid, errors } = await tools.check_tool.execute({ path: 'tools/bad.ts' });
    expect(valid).toBe(false);
    expect(errors.join('\n')).toContain(phrase);
  });
});
