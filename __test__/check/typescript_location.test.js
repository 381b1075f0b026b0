/** The location of a type checker that was not installed with this package, and the report of `tgp check` without one. */

import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const OWN = fileURLToPath(new URL('../../dist/types_check/typescript_location.js', import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;

/**
 * An application with these packages, as npm installs them: the version of each, and the program of its platform package.
 * @param {Record<string, string>} versions
 * @param {{ name: string, program: string }} native
 */
async function located(versions, native) {
  const app = await tempRoot();
  const put = async (/** @type {string} */ name, /** @type {string} */ text) => {
    await mkdir(dirname(join(app, name)), { recursive: true });
    await writeFile(join(app, name), text);
  };
  for (const [name, version] of Object.entries(versions)) {
    await put(`node_modules/${name}/package.json`, JSON.stringify({ name, version }));
  }
  await put(`node_modules/${native.name}/package.json`, JSON.stringify({ name: native.name, version: '7.0.2' }));
  await put(`node_modules/${native.name}/lib/${native.program}`, '');
  // A copy of the module that has no checker next to it.
  const elsewhere = await tempRoot();
  await cp(OWN, join(elsewhere, 'location.mjs'));
  const { locateTypeScript } = await import(join(elsewhere, 'location.mjs'));
  return locateTypeScript(app)?.slice(app.length + 'node_modules/'.length + 1);
}

const TSC = { name: `@typescript/typescript-${PLATFORM}`, program: 'tsc' };
const TSGO = { name: `@typescript/native-preview-${PLATFORM}`, program: 'tsgo' };

test.runIf(process.platform !== 'win32').each([
  ['TypeScript 7', { typescript: '7.0.2' }, TSC, `${TSC.name}/lib/tsc`],
  ['an alias beside TypeScript 5', { typescript: '5.9.3', 'typescript-7': '7.0.2' }, TSC, `${TSC.name}/lib/tsc`],
  ['the preview', { typescript: '5.9.3', '@typescript/native-preview': '7.0.0-dev' }, TSGO, `${TSGO.name}/lib/tsgo`],
  ['TypeScript 5 alone', { typescript: '5.9.3' }, TSC, undefined],
])('%s: the location in the application', async (_name, versions, native, expected) => {
  expect(await located(versions, native)).toBe(expected);
});

test('tgp check reports valid tools together with unchecked types', async () => {
  const folder = await tempRoot();
  await symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  await writeFile(join(folder, 'tgp.config.json'), '{"rules":{"types":"off"}}');
  await runCli(folder, ['init', '--yes']);
  const { code, stdout } = await runCli(folder, ['check']);
  expect(code).toBe(0);
  expect(stdout).toContain('1 tool checked, all valid; types not checked: tools/examples/greet.ts');
  expect(stdout).toContain('Types were not checked');
  await writeFile(join(folder, 'tgp.config.json'), '{}');
  expect((await runCli(folder, ['check'])).stdout).toBe('1 tool checked, all valid\n');
});
