import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

async function workspace() {
  const { kernel, tools, rootDir } = await createKernel();
  await kernel.boot();
  mkdirSync(join(rootDir, 'tools/deep'), { recursive: true });
  writeFileSync(join(rootDir, 'tools/a.ts'), 'const ä = fetch(url);\n// Fetch twice\nfetch(fetch);\n');
  writeFileSync(join(rootDir, 'tools/deep/b.ts'), 'no\nfetch(x)\r\n');
  writeFileSync(join(rootDir, 'data.json'), '{"fetch": 1}');
  return { rootDir, search: (query) => tools.search_files.execute(query) };
}

describe('search_files', () => {
  it('finds lines by regular expression, with path, line and column', async () => {
    const { search } = await workspace();
    expect(await search({ pattern: 'fetch\\((\\w+)\\)' })).toEqual({
      matches: [
        { path: 'tools/a.ts', line: 1, column: 11, text: 'const ä = fetch(url);' },
        { path: 'tools/a.ts', line: 3, column: 1, text: 'fetch(fetch);' },
        { path: 'tools/deep/b.ts', line: 2, column: 1, text: 'fetch(x)' },
      ],
      truncated: false,
      files: 3,
    });
  });

  it('narrows by glob and case', async () => {
    const { search } = await workspace();
    const places = async (query) => (await search(query)).matches.map(({ path, line }) => `${path}:${line}`);
    expect(await places({ pattern: 'fetch', glob: '*.json' })).toEqual(['data.json:1']);
    expect(await places({ pattern: 'fetch', glob: 'tools/*.ts' })).toEqual(['tools/a.ts:1', 'tools/a.ts:3']);
    expect(await places({ pattern: 'fetch', glob: 'tools/**/*.{ts,js}' })).toHaveLength(3);
    expect(await places({ pattern: 'FETCH TWICE' })).toEqual([]);
    expect(await places({ pattern: 'FETCH TWICE', case: 'insensitive' })).toEqual(['tools/a.ts:2']);
  });

  it('returns a limited number of matches with limited texts', async () => {
    const { search, rootDir } = await workspace();
    writeFileSync(join(rootDir, 'tools/many.ts'), 'needle\n'.repeat(5000));
    writeFileSync(join(rootDir, 'tools/wide.ts'), `needle ${'x'.repeat(100_000)}`);
    const some = await search({ pattern: 'needle', limit: 10 });
    expect([some.matches.length, some.truncated]).toEqual([10, true]);
    expect((await search({ pattern: 'needle' })).matches).toHaveLength(100);
    const wide = await search({ pattern: 'needle', glob: 'wide.ts' });
    expect(wide.matches[0].text.length).toBeLessThanOrEqual(300);
    await expect(search({ pattern: 'needle', limit: 1001 })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
  });

  it('refuses an invalid or oversized pattern, and names the field', async () => {
    const { search } = await workspace();
    for (const [query, field] of [
      [{ pattern: '(' }, 'pattern'],
      [{ pattern: '(?:a{1000}){1000}' }, 'pattern'],
      [{ pattern: 'a', glob: '[' }, 'glob'],
      [{ pattern: '' }, 'pattern'],
    ]) {
      await expect(search(query)).rejects.toMatchObject({ code: 'ERR_VALIDATION', details: { field } });
    }
  });

  it('matches a pattern with nested repetitions in linear time', async () => {
    const { search, rootDir } = await workspace();
    writeFileSync(join(rootDir, 'tools/evil.ts'), `${'a'.repeat(200_000)}!`);
    expect((await search({ pattern: '^(a+)+$', glob: 'evil.ts' })).matches).toEqual([]);
  });

  it('finds no files outside the root or in .git', async () => {
    const outside = await tempRoot();
    writeFileSync(join(outside, 'secret.txt'), 'fetch secret');
    const { search, rootDir } = await workspace();
    symlinkSync(join(outside, 'secret.txt'), join(rootDir, 'link.txt'));
    symlinkSync(outside, join(rootDir, 'tools/linked'));
    writeFileSync(join(rootDir, '.git/fetch.txt'), 'fetch secret');
    writeFileSync(join(rootDir, 'tools/binary.ts'), Buffer.from([0xff, 0xfe, 0x66]));
    const { matches, files } = await search({ pattern: 'secret|bare' });
    expect([matches, files]).toEqual([[], 3]);
  });

  it('searches ignored and hidden files, but not .git', async () => {
    const { tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'notes.md', content: 'needle' });
    writeFileSync(join(rootDir, '.gitignore'), 'ignored/\n*.log\n');
    mkdirSync(join(rootDir, 'ignored'));
    for (const path of ['ignored/a.txt', 'b.log', '.hidden']) writeFileSync(join(rootDir, path), 'needle');
    writeFileSync(join(rootDir, '.git', 'needle.txt'), 'needle');
    mkdirSync(join(rootDir, 'sub', '.git'), { recursive: true });
    writeFileSync(join(rootDir, 'sub', '.git', 'config'), 'needle');
    const { matches } = await tools.search_files.execute({ pattern: 'needle' });
    expect(matches.map(({ path }) => path)).toEqual(['.hidden', 'b.log', 'ignored/a.txt', 'notes.md']);
  });
});
