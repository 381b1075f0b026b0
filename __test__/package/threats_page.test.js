import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const PAGE = readFileSync(new URL('../../docs/threats.md', import.meta.url), 'utf8');

it('every test that docs/threats.md names is there', () => {
  const rows = [...PAGE.matchAll(/^\|[^|]*\| `([^`]+\.test\.js)`\s*\| (.+?)\s*\|$/gm)];
  expect(rows.length).toBeGreaterThan(40);
  for (const [, file, title] of rows) {
    const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    expect(source, `${file}: ${title}`).toContain(title);
  }
});
