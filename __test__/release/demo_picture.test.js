import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { shownLines, terminal } from '../../scripts/demo_picture.mjs';

const PRINTED = `
Kernel booted in 2.0 ms.

Forge: the model writes one
  user   Is 1 < 2 & 3?
  model  I write it.
       ✓ write_file      tools/a.ts  1.0 ms
         committed 0123abc

Extend: not shown
  model  Left out.

What is left: an ordinary Git repository
  0123abc  Forge: tools/a.ts

Done in 9 ms.
`;

it('draws the printed lines of the shown sections', () => {
  const lines = shownLines(PRINTED);
  expect(lines).toContain('Forge: the model writes one');
  expect(lines).not.toContain('  model  Left out.');
  expect(lines.at(-1)).toBe('Done in 9 ms.');
  const svg = terminal(lines);
  expect(svg).toContain('Is 1 &lt; 2 &amp; 3?');
  expect(svg.match(/<text /g)).toHaveLength(lines.length);
});

it('docs/demo.svg was drawn from a successful run', () => {
  const svg = readFileSync(new URL('../../docs/demo.svg', import.meta.url), 'utf8');
  for (const shown of ['result [44,576]', 'result [482]', 'ERR_ISOLATE_TIMEOUT', 'Done in '])
    expect(svg).toContain(shown);
});
