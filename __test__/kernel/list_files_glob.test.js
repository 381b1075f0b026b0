import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const FILES = [
  '.results/r1.json',
  'data.json',
  'notes/a b.md',
  'notes/[x].md',
  'tools/a.test.ts',
  'tools/a.ts',
  'tools/b.js',
  'tools/deep/a.ts',
  'tools/deep/er/c1.ts',
  'tools/deep/er/ü😀.ts',
  'tools/deep/er/{z}.ts',
];

const GLOBS = [
  '*.ts',
  '*.json',
  'a.*',
  'tools/*.ts',
  'tools/**',
  'tools/**/*.ts',
  '**/*.ts',
  '**',
  '**/deep/**',
  'tools/**/er/*',
  'tools/*/a.ts',
  'tools/**/**/a.ts',
  'tools/?.ts',
  '*.{js,json}',
  'tools/{a,{b,c}}.{ts,js}',
  '{tools/deep,notes}/*',
  'tools/**/[a-c]*.ts',
  'tools/**/[!a]*.ts',
  'tools/**/c[0-9].ts',
  'notes/[[]x].md',
  'notes/\\[x\\].md',
  'tools/**/\\{z\\}.ts',
  'notes/a b.md',
  '*a*.t*',
  'tools**',
  'tools/**b.js',
  'TOOLS/*.ts',
  'none/*.ts',
  '.results/*',
  'tools/a{,.test}.ts',
  './tools/*.ts',
];

const REFUSED = [
  ['[', "missing ']'"],
  ['a{b', "missing '}'"],
  ['a}', "missing '{'"],
  ['a\\', "dangling '\\'"],
  ['[z-a]', "'z' > 'a'"],
  ['{a,b}'.repeat(20), 'too many braces'],
  ['{'.repeat(1_000), 'too many braces'],
  ['*'.repeat(5_000), 'too long'],
];

async function workspace() {
  const { kernel, tools, rootDir } = await createKernel();
  await kernel.boot();
  for (const path of FILES) {
    mkdirSync(dirname(join(rootDir, path)), { recursive: true });
    writeFileSync(join(rootDir, path), 'one line\n');
  }
  return { tools, rootDir, list: (/** @type {any} */ args) => tools.list_files.execute({ dir: '', ...args }) };
}

describe('list_files with a glob', () => {
  test('lists the same files as search_files with the glob', async () => {
    const { tools, list } = await workspace();
    for (const glob of GLOBS) {
      const { matches } = await tools.search_files.execute({ pattern: '^one line$', glob });
      const listed = await list({ glob });
      expect(
        listed.filter((path) => FILES.includes(path)),
        glob,
      ).toEqual(matches.map(({ path }) => path));
    }
  });

  test('accepts globs relative to the root or the folder, and returns sorted pages', async () => {
    const { list } = await workspace();
    const all = ['tools/deep/a.ts', 'tools/deep/er/c1.ts', 'tools/deep/er/{z}.ts', 'tools/deep/er/ü😀.ts'];
    expect(await list({ dir: 'tools/deep', glob: '*.ts' })).toEqual(all);
    expect(await list({ dir: './tools/deep/', glob: 'er/*.ts' })).toEqual(all.slice(1));
    expect(await list({ dir: 'tools', glob: 'tools/deep/*.ts' })).toEqual(['tools/deep/a.ts']);
    const [first, note] = await list({ glob: 'tools/deep/**', limit: 1 });
    expect([first, note]).toEqual([all[0], expect.stringContaining('[1 of 4 paths.')]);
    expect(await list({ glob: 'tools/deep/**', after: first })).toEqual(all.slice(1));
  });

  test('refuses an invalid glob with advice, and matches an expensive one fast', async () => {
    const { list, rootDir } = await workspace();
    for (const [glob, why] of REFUSED) {
      const message = expect.stringMatching(/Write it as "tools\/\*\*\/\*\.ts"/);
      const refused = await list({ glob }).catch((error) => error);
      expect(refused, glob).toMatchObject({ code: 'ERR_VALIDATION', details: { field: 'glob' }, message });
      expect(refused.message).toContain(why);
    }
    for (let at = 0; at < 50; at += 1) writeFileSync(join(rootDir, `${'a'.repeat(240)}${at}`), '');
    const evil = `{${'*,'.repeat(100)}*}${'a'.repeat(100)}b`;
    expect(await list({ glob: evil })).toEqual([]);
  });

  test('is recorded with the glob', async () => {
    const { kernel, tools } = await createKernel();
    await tools.list_files.execute({ dir: 'tools', glob: '*.ts' });
    const events = await kernel.ledger.query({ type: 'CALL' });
    const args = events.filter(({ tool }) => tool === 'list_files').map(({ args }) => args);
    expect(args).toEqual([{ dir: 'tools', glob: '*.ts' }]);
  });

  test('is denied if a rule denies reading', async () => {
    const rules = { version: 1, default: 'allow', rules: [{ id: 'closed', deny: ['read'], paths: ['notes/**'] }] };
    const { tools } = await createKernel({ policy: /** @type {any} */ (rules) });
    await expect(tools.list_files.execute({ dir: '', glob: 'tools/**' })).rejects.toMatchObject({ code: 'ERR_DENIED' });
  });
});
