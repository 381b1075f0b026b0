import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const PAGE = readFileSync(new URL('../../docs/threats.md', import.meta.url), 'utf8');
const ROWS = [...PAGE.matchAll(/^\|([^|]*)\| `([^`]+\.test\.js)`\s*\| (.+?)\s*\|$/gm)].map(
  ([, promise = '', file = '', title = '']) => ({ promise: promise.trim(), file, title }),
);

it('every test that docs/threats.md names exists', () => {
  expect(ROWS.length).toBeGreaterThan(40);
  for (const { file, title } of ROWS) {
    const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    expect(source, `${file}: ${title}`).toContain(title);
  }
});

it('every promise has a test that runs with npm test', () => {
  /** @type {Map<string, string[]>} */
  const promises = new Map();
  let current = '';
  for (const { promise, file } of ROWS) {
    current = promise || current;
    promises.set(current, [...(promises.get(current) ?? []), file]);
  }
  expect(promises.size).toBeGreaterThan(20);
  expect([...promises].filter(([, files]) => files.every((file) => file.startsWith('long/')))).toEqual([]);
});
