/** `npm run build:js`: `dist/` is replaced only by a complete build, and a stale one is recognised. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { swapFolder } from '../../scripts/javascript.mjs';
import { recordSources, sourcesDigest, staleBuild } from '../../tools/built_sources.mjs';
import { tempRoot } from '../helpers/temp_root.js';

test('a build is stale if a source was changed, added or removed since', async () => {
  const [sources, output] = [await tempRoot(), await tempRoot()];
  mkdirSync(join(sources, 'sql'));
  writeFileSync(join(sources, 'sql', 'rules.ts'), 'export const a = 1;');
  expect(staleBuild(sources, output)).toContain('dist/ is missing');
  recordSources(output, sourcesDigest(sources));
  expect(staleBuild(sources, output)).toBeUndefined();

  writeFileSync(join(sources, 'sql', 'rules.ts'), 'export const a = 2;');
  expect(staleBuild(sources, output)).toContain('run "npm run build:js"');
  writeFileSync(join(sources, 'sql', 'rules.ts'), 'export const a = 1;');
  writeFileSync(join(sources, 'index.ts'), '');
  expect(staleBuild(sources, output)).toContain('run "npm run build:js"');
  rmSync(join(sources, 'index.ts'));
  expect(staleBuild(sources, output)).toBeUndefined();
});

test('a folder is replaced as a whole', async () => {
  const folder = await tempRoot();
  const [fresh, target] = [join(folder, 'dist.new'), join(folder, 'dist')];
  for (const text of ['first', 'second']) {
    mkdirSync(fresh);
    writeFileSync(join(fresh, `${text}.js`), text);
    swapFolder(fresh, target);
    expect(readFileSync(join(target, `${text}.js`), 'utf8')).toBe(text);
  }
  expect(() => readFileSync(join(target, 'first.js'))).toThrow('ENOENT');
  expect(() => swapFolder(fresh, target)).toThrow('ENOENT');
  expect(readFileSync(join(target, 'second.js'), 'utf8')).toBe('second');
});
