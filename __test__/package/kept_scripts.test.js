/** The packed scripts of the sandbox are those of the installed packages. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { KEPT, keptScripts } from '../../scripts/kept_scripts.mjs';

it('are up to date (`npm run kept-scripts`)', async () => {
  const { texts, licenses } = await keptScripts();
  expect(Object.keys(texts)).toEqual(['temporal', 'url_pattern']);
  for (const [name, text] of Object.entries(texts)) {
    const packed = readFileSync(join(KEPT, `${name}.deflate`));
    // Not `toBe`: it would print both texts.
    expect([name, inflateRawSync(packed).toString() === text]).toEqual([name, true]);
  }
  expect(readFileSync(join(KEPT, 'LICENSES.txt'), 'utf8')).toBe(licenses);
});
