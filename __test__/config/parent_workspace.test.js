/** A kernel in a folder below a workspace: it works in a folder of its own, and says so. */

import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const INDEX = JSON.stringify(new URL('../../index.js', import.meta.url).href);

/**
 * The warnings of two boots in a folder.
 * @param {string} folder
 * @param {string} [options] of the kernels
 * @returns {Promise<string[]>}
 */
async function warningsIn(folder, options = '{}') {
  return runProgram(
    folder,
    `const warnings = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (text) => warnings.push(text) };
    for (let boot = 0; boot < 2; boot += 1) {
      const kernel = new TGP({ logger, ...${options} });
      await kernel.boot();
      await kernel.shutdown();
    }
    console.log(JSON.stringify(warnings.filter((text) => text.includes('parent folder'))));`,
  );
}

/** A project with a workspace, and a folder in it. */
async function project() {
  const folder = await tempRoot();
  const inner = join(folder, 'packages/server');
  await mkdir(inner, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"name":"app"}');
  await runCli(folder, ['init', '--yes']);
  return { folder, inner };
}

describe('a kernel below a workspace', () => {
  it('warns once, when it creates a second one, with both paths and the option to choose', async () => {
    const { inner } = await project();
    const [warning = '', ...more] = await warningsIn(inner);
    expect(more).toEqual([]);
    expect(warning).toContain('creates a workspace at ./.tgp');
    expect(warning).toContain('../../.tgp');
    expect(warning).toContain("new TGP({ configFile: '../../tgp.config.ts' })");
    expect(existsSync(join(inner, '.tgp/.git'))).toBe(true);
  });

  it('uses the workspace of the parent folder with the option that the warning names', async () => {
    const { inner } = await project();
    expect(await warningsIn(inner, "{ configFile: '../../tgp.config.ts' }")).toEqual([]);
    expect(await readdir(inner)).toEqual([]);
  });

  it('warns with an inline configuration without rootDir, and not with one', async () => {
    const { inner } = await project();
    const [warning = ''] = await warningsIn(inner, '{ config: { sandbox: { warm: 0 } } }');
    expect(warning).toContain("new TGP({ config: { rootDir: '../../.tgp' } })");
    const other = await project();
    expect(await warningsIn(other.inner, "{ config: { rootDir: './mine' } }")).toEqual([]);
    expect(await warningsIn(other.inner, `{ vfs: (await import(${INDEX})).createMemoryVFS() }`)).toEqual([]);
  });

  it('does not warn in a repository of its own, or without a workspace above', async () => {
    const { inner } = await project();
    await mkdir(join(inner, '.git'));
    expect(await warningsIn(inner)).toEqual([]);
    expect(await warningsIn(await tempRoot())).toEqual([]);
  });
});
