/** Code blocks of documents are valid programs or parts of one, and name existing scripts. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const pages = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  ...readdirSync(`${ROOT}/docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));

/** @param {string} page */
function blocks(page) {
  const text = readFileSync(`${ROOT}/${page}`, 'utf8');
  return [...text.matchAll(/^( *)```(\w+).*\n([\s\S]*?)^\1```/gm)].map(([, , language = '', code = '']) => ({
    language,
    code,
  }));
}

/**
 * Whether it is TypeScript: as a module, inside a function, or as members of an object.
 * @param {string} code
 */
async function isTypeScript(code) {
  const forms = [code, `async function* f() {\n${code}\n}`, `const o = {\n${code}\n};`];
  const options = { loader: /** @type {const} */ ('tsx'), logLevel: /** @type {const} */ ('silent') };
  const results = await Promise.allSettled(forms.map((form) => transform(form, options)));
  return results.some(({ status }) => status === 'fulfilled');
}

describe.each(pages)('%s', (page) => {
  it('has valid TypeScript and JavaScript', async () => {
    const code = blocks(page).filter(({ language }) => ['ts', 'tsx', 'js', 'mjs'].includes(language));
    const broken = [];
    for (const block of code) if (!(await isTypeScript(block.code))) broken.push(block.code);
    expect(broken).toEqual([]);
  });

  it('has valid JSON', () => {
    for (const { code } of blocks(page).filter(({ language }) => language === 'json')) {
      expect(() => JSON.parse(code), code).not.toThrow();
    }
  });

  it('names existing scripts', () => {
    const text = readFileSync(`${ROOT}/${page}`, 'utf8');
    const named = [...text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map((match) => String(match[1]));
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

it('invalid code is detected', async () => {
  expect(await isTypeScript('const a = (;')).toBe(false);
  expect(await isTypeScript("git: { provider: 'github' }")).toBe(true);
  expect(await isTypeScript('return await tgp.exec_sql(x);')).toBe(true);
});
