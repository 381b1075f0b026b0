import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apiReference, readDeclarations, readModule } from '../../scripts/api_reference.mjs';
import { ENTRIES } from '../../scripts/javascript.mjs';

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

test('docs/api.md matches the declarations', async () => {
  expect(read('docs/api.md')).toBe(await apiReference());
});
