import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apiReference, readDeclarations, readModule } from '../../scripts/api_reference.mjs';
import { PRIVATE_PAGES, SECTIONS } from '../../scripts/doc_pages.mjs';
import { ENTRIES } from '../../scripts/javascript.mjs';
import { llmsIndex } from '../../scripts/llms.mjs';
import { sitePage } from '../../scripts/site.mjs';

const read = (/** @type {string} */ file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe.each(ENTRIES.map((name) => `dist/declarations/${name}.d.ts`))('%s', (file) => {
  test('documents every name that it exports, and every member of its classes, for hovering', async () => {
    const entries = await readModule(file);
    expect(entries.length).toBeGreaterThan(0);
    const bare = entries.filter(({ doc }) => doc === '').map(({ name }) => name);
    const bareMembers = entries.flatMap(({ name, members }) =>
      members.filter(({ doc }) => doc === '').map((member) => `${name}.${member.name}`),
    );
    expect([...bare, ...bareMembers]).toEqual([]);
  });

  test('names every parameter', async () => {
    const codes = (await readModule(file)).map(({ code }) => code);
    expect(codes.filter((code) => /[(,]\s*\{[\s\w,.]*\}\??:/.test(code))).toEqual([]);
  });

  test('shows all members of its classes: they extend no hidden class', async () => {
    const entries = await readModule(file);
    const names = ['Error', ...entries.map(({ name }) => name)];
    const bases = entries.flatMap(({ code }) => /^export declare class \w+ extends (\w+)/.exec(code)?.[1] ?? []);
    expect(bases.filter((name) => !names.includes(name))).toEqual([]);
  });

  test('links to names that exist', async () => {
    const entries = await readModule(file);
    const names = new Set(entries.map(({ name }) => name));
    const docs = entries.flatMap(({ doc, code }) => [doc, code]).join('\n');
    const links = [...docs.matchAll(/\{@link (\w+)/g)].map((match) => String(match[1]));
    expect(links.filter((name) => !names.has(name))).toEqual([]);
  });
});

test('a missing comment is detected', async () => {
  const [bare, documented] = await readDeclarations(
    'export type A = 1;\n/** Says it. */\nexport declare class B {\n  b: A;\n}\n',
  );
  expect(bare).toMatchObject({ name: 'A', doc: '' });
  expect(documented).toMatchObject({ name: 'B', doc: 'Says it.', members: [{ name: 'b', doc: '' }] });
});

test('docs/api.md and docs/api/ match the declarations, page by page', async () => {
  const pages = await apiReference();
  const written = readdirSync(new URL('../../docs/api', import.meta.url)).map((name) => `api/${name}`);
  expect(['api.md', ...written].sort()).toEqual(Object.keys(pages).sort());
  for (const [path, text] of Object.entries(pages)) expect(read(`docs/${path}`), path).toBe(text);
});

test('every exported name has one page, and every link of the reference leads to a heading', async () => {
  const pages = await apiReference();
  const anchors = new Set(
    Object.entries(pages).flatMap(([path, text]) =>
      [...text.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => `${path}#${name.toLowerCase()}`),
    ),
  );
  const names = new Set(
    (await Promise.all(ENTRIES.map((name) => readModule(`dist/declarations/${name}.d.ts`))))
      .flat()
      .map(({ name }) => name),
  );
  expect(anchors.size).toBeGreaterThanOrEqual(new Set([...names].map((name) => name.toLowerCase())).size);
  const broken = Object.entries(pages).flatMap(([path, text]) =>
    [...text.matchAll(/\]\(((?!https?:|\.\.\/)[^)]*)\)/g)]
      .map(([, link = '']) =>
        link.startsWith('#') ? `${path}${link}` : link.startsWith('api/') ? link : `api/${link}`,
      )
      .filter((link) => link.includes('#') && !anchors.has(link.replace(/-\d+$/, ''))),
  );
  expect(broken).toEqual([]);
  for (const [path, text] of Object.entries(pages)) expect(text.length, path).toBeLessThan(48_000);
});

test('docs/llms.txt and the site list every page for users, with a description', () => {
  expect(read('docs/llms.txt')).toBe(llmsIndex());
  const pages = readdirSync(new URL('../../docs', import.meta.url)).filter((name) => name.endsWith('.md'));
  const listed = Object.values(SECTIONS).flatMap((section) => Object.keys(section));
  expect([...listed, ...PRIVATE_PAGES].sort()).toEqual(pages.sort());
  const { files } = JSON.parse(read('package.json'));
  for (const page of PRIVATE_PAGES) expect(files).toContain(`!docs/${page}`);
});

test('pages of the site link only to pages of the site', () => {
  expect(
    sitePage('![Demo](docs/demo.svg) [a](docs/git.md#x), [b](CONTRIBUTING.md#y), [`c`](../LICENSE), [d](../api.md)'),
  ).toBe('![Demo](demo.svg) [a](git.md#x), b, `c`, [d](../api.md)');
  expect(sitePage('[a](parts/sql.md#x) [b](https://a.example/parts/CHANGELOG.md) [c](sql.md)')).toBe(
    'a [b](https://a.example/parts/CHANGELOG.md) [c](sql.md)',
  );
});
