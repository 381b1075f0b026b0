/**
 * What `console` and `node:util` print, compared with Node 24: the expectations in `fixtures/printed_values/` come from there
 * (`generate.mjs` beside them).
 */

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const FIXTURES = new URL('../fixtures/printed_values/', import.meta.url);
/** @param {string} name */
const fixture = async (name) => JSON.parse(await readFile(new URL(name, FIXTURES), 'utf8'));
const withoutFrames = (/** @type {string} */ text) => text.replaceAll(/\n\s+(?:at |\.{3} \d+ lines matching).*/g, '');

/** Separates the lines of statements. */
const MARK = '=== next ===';

describe('console', () => {
  it('prints values, tables and groups as Node does', async () => {
    const { forge } = await createKernel({ check: 'off', sandbox: { timeoutMs: 20_000, logBytes: 4 << 20 } });
    const pairs = await fixture('printed.json');
    const source = pairs.map(
      (/** @type {string[]} */ [statement]) =>
        `try { await (async () => { ${statement} })() } catch (error: any) { console.log('thrown: ' + error.message) } console.log('${MARK}');`,
    );
    const { logs } = await forge(`export default async () => {\n${source.join('\n')}\n}`);
    const text = logs.map(({ message }) => message).join('\n');
    const shown = withoutFrames(text).split(`\n${MARK}`);
    /** @type {Record<string, string>} */
    const [expected, actual] = [{}, {}];
    pairs.forEach((/** @type {string[]} */ [statement = '', output = ''], /** @type {number} */ i) => {
      expected[statement] = output;
      actual[statement] = (shown[i] ?? '').replace(/^\n/, '');
    });
    expect(actual).toEqual(expected);
  });
});

describe('parts of Node in a package', () => {
  it('inspect, compare, parse and pass contexts on as in Node', async () => {
    const folder = await tempRoot();
    const packageDir = join(folder, 'node_modules/kit');
    await mkdir(packageDir, { recursive: true });
    await writeFile(join(packageDir, 'package.json'), '{"name":"kit","main":"node_parts.cjs"}');
    for (const name of ['node_parts.cjs', 'node_values.cjs', 'inspected_values.cjs', 'module_values.cjs'])
      await copyFile(fileURLToPath(new URL(name, FIXTURES)), join(packageDir, name));
    const configFile = join(folder, 'tgp.config.json');
    await writeFile(configFile, JSON.stringify({ allowedImports: ['kit'], sandbox: { timeoutMs: 5000 } }));
    const kernel = new TGP({ configFile });
    onTestFinished(() => kernel.shutdown());
    const content =
      "import kit from 'kit';\nexport default async (name: string) => JSON.parse(JSON.stringify(await kit[name]()));";
    await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content });
    for (const [name, expected] of Object.entries(await fixture('node_parts.json')))
      expect((await kernel.exec('tools/t.ts', name)).result, name).toEqual(expected);
  });
});
