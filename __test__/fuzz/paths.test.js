import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { TGPError } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { forAll, TIMEOUT_MS, texts } from '../helpers/for_all.js';

const PIECES = [
  '/',
  '..',
  '.',
  'tools',
  'a',
  'b.ts',
  '\\',
  '\0',
  'C:',
  '.git',
  'git~1',
  '/../',
  '//',
  ' ',
  '%2e',
  'nul',
  '\u202e',
  '~',
  ':',
  '.tgp',
];
const CODES = ['ERR_VALIDATION', 'ERR_SECURITY_VIOLATION', 'ERR_NOT_FOUND', 'ERR_IO', 'ERR_LIMIT'];

it('no path of an agent leaves the root, and every refusal has a code', { timeout: TIMEOUT_MS }, async () => {
  const { tools, kernel, rootDir } = await createKernel({ check: 'off', sandbox: { warm: 0 } });
  await kernel.boot();
  const outside = dirname(rootDir);
  writeFileSync(join(outside, 'b.ts'), 'kept');
  const gitBefore = readFileSync(join(rootDir, '.git', 'config'), 'utf8');
  const listOutside = () => readdirSync(outside).sort();
  const before = listOutside();
  await forAll('paths', texts(PIECES, 8), async (path) => {
    const calls = [
      () => tools.write_file.execute({ path, content: '/** x */\nexport default () => 1;\n' }),
      () => tools.read_file.execute({ path }),
      () => tools.list_files.execute({ dir: path }),
      () => tools.delete_file.execute({ path }),
    ];
    for (const call of calls) {
      const found = await call().catch((/** @type {unknown} */ error) => error);
      if (!(found instanceof Error)) continue;
      expect(found).toBeInstanceOf(TGPError);
      expect(CODES).toContain(/** @type {TGPError} */ (found).code);
      expect(found.message).not.toContain(outside);
    }
    expect(listOutside()).toEqual(before);
    expect(readFileSync(join(outside, 'b.ts'), 'utf8')).toBe('kept');
    expect(readFileSync(join(rootDir, '.git', 'config'), 'utf8')).toBe(gitBefore);
  });
});
