import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { shownLines, terminal } from '../../scripts/demo_picture.mjs';
import { PALETTE } from '../../tools/svg.mjs';

const PRINTED = `
Kernel booted in 2.0 ms.

Forge: the model writes one
  user   Is 1 < 2 & 3?
  model  I write it.
       ✓ write_file      tools/a.ts  1.0 ms
         committed 0123abc

Extend: not shown
  model  Left out.

Reuse: the model finds it
  model  It is there.

Done in 9 ms.
`;

it('draws the printed lines of the shown sections', () => {
  const lines = shownLines(PRINTED);
  expect(lines).toContain('Forge: the model writes one');
  expect(lines).not.toContain('  model  Left out.');
  expect(lines).toContain('… (not shown: Extend)');
  expect(lines.at(-1)).toBe('Done in 9 ms.');
  const svg = terminal(lines);
  expect(svg).toContain('Is 1 &lt; 2 &amp; 3?');
  expect(svg).toContain('(excerpt)');
  expect(svg.match(/<text /g)).toHaveLength(lines.length + 1);
});

it('docs/demo.svg was drawn from a successful run', () => {
  const svg = readFileSync(new URL('../../docs/demo.svg', import.meta.url), 'utf8');
  for (const shown of ['result [44,576]', 'result [482]', 'Done in ', '(excerpt)']) expect(svg).toContain(shown);
});

it('every picture of the documentation has the same palette, for light and for dark mode', () => {
  const docs = new URL('../../docs/', import.meta.url);
  const pictures = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.svg'));
  expect(pictures.length).toBeGreaterThan(7);
  for (const name of pictures) {
    const svg = readFileSync(new URL(name, docs), 'utf8');
    expect(svg, name).toContain(PALETTE);
    const own = svg.replace(PALETTE, '').match(/(?:fill|stroke)="(?!none)[^"]*"|#[0-9a-f]{6}\b/g);
    expect(own, name).toBeNull();
  }
});
