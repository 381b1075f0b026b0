/** The differences that docs/upgrading.md lists: the behaviour, and the row on the page. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as core from '../../index.js';
import { createMemoryVFS, createNodeVFS, createSqlTools, formatTools, GitConfigSchema, tgpTools } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { git } from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

const page = await readFile(new URL('../../docs/upgrading.md', import.meta.url), 'utf8');
const row = (/** @type {string} */ label) => page.split('\n').find((line) => line.startsWith(`| ${label}`)) ?? '';

it('check_tool rejects a missing file', async () => {
  const { tools } = await createKernel();
  await expect(tools.check_tool.execute({ path: 'tools/none.ts' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  expect(row('`check_tool` of a file that is not there')).toContain('ERR_NOT_FOUND');
});

it.each([
  ['`process.env.NODE_ENV` in a tool', 'export default () => process.env.NODE_ENV;', false],
  [
    'a text of 24 letters or more',
    "export default (args: { of: string }): boolean => 'abcdefghijklmnopqrstuvwxyz'.includes(args.of);",
    true,
  ],
])('the check of %s differs', async (label, content, valid) => {
  const { tools } = await createKernel();
  await tools.write_file.execute({ path: 'tools/a.ts', content });
  expect(await tools.check_tool.execute({ path: 'tools/a.ts' })).toMatchObject({ valid });
  expect(row(label)).toContain(valid ? 'valid' : 'Violation [Standard 4]');
});

it('tgp.log formats objects in the text of a log line', async () => {
  const { forge } = await createKernel();
  const { logs } = await forge("tgp.log('hello', { a: 1 });");
  expect(logs).toEqual([{ level: 'log', message: 'hello { a: 1 }' }]);
  expect(row('text of `tgp.log')).toContain('`hello { a: 1 }`');
});

it('write_file refuses package.json', async () => {
  const { tools } = await createKernel();
  const written = tools.write_file.execute({ path: 'package.json', content: '{}' });
  await expect(written).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  expect(row('`write_file` of `package.json`')).toContain('ERR_SECURITY_VIOLATION');
});

it('formatTools returns a new object, and calls after shutdown are refused', async () => {
  const { kernel } = await createKernel();
  const tools = tgpTools(kernel);
  expect(formatTools(tools)).not.toBe(tools);
  expect(row('`formatTools(tools) === tools`')).toContain('false');
  await kernel.shutdown();
  await expect(kernel.exec('tools/a.ts')).rejects.toMatchObject({ code: 'ERR_SHUTDOWN' });
  expect(row('calls after `kernel.shutdown()`')).toContain('ERR_SHUTDOWN');
});

it('a tool has no `global`, and imports tools by a relative path or from /lib', async () => {
  const { kernel, tools, forge } = await createKernel();
  await tools.write_file.execute({ path: 'tools/a.ts', content: 'export default () => 1;' });
  expect((await forge('return typeof globalThis["global"]')).result).toBe('undefined');
  expect(row('`global` in a tool')).toContain('undefined');
  for (const name of ['/tools/a', 'tools/a'])
    await expect(kernel.run(`return require('${name}').default()`)).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
    });
  expect((await kernel.run("return require('/lib/a').default()")).result).toBe(1);
  expect(row("`require('/tools/a')`")).toContain("'/lib/a'");
});

it('code outside tools/ is refused, data is not', async () => {
  const { tools } = await createKernel();
  await expect(tools.write_file.execute({ path: 'lib/a.ts', content: '' })).rejects.toMatchObject({
    code: 'ERR_SECURITY_VIOLATION',
  });
  expect(await tools.write_file.execute({ path: 'lib/a.json', content: '{}' })).toMatchObject({ success: true });
  expect(row('code outside `tools/`')).toContain('ERR_SECURITY_VIOLATION');
});

it('a missing file has one error in every file system, and / is not the root of files in memory', async () => {
  for (const files of [createMemoryVFS(), createNodeVFS(await tempRoot())])
    await expect(files.readFile('none.ts')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  expect(row("the text of a missing file's error")).toContain('ERR_NOT_FOUND');
  expect(() => createMemoryVFS({ '/a.ts': '' })).toThrow('Security Violation');
  expect(row("`createMemoryVFS({ '/a.ts'")).toContain('ERR_SECURITY_VIOLATION');
});

it('createSqlTools(fn) returns rows', async () => {
  const answers = [
    { rows: [{ a: 1 }], rowCount: 1, fields: [] },
    { changes: 2, lastInsertRowid: 5 },
  ];
  const { exec_sql } = createSqlTools(async () => answers.shift());
  expect(await exec_sql.execute({ sql: 'SELECT a FROM t' })).toEqual([{ a: 1 }]);
  expect(await exec_sql.execute({ sql: 'UPDATE t SET a = 1' })).toEqual([{ affected: 2 }]);
  expect(row('`createSqlTools(fn)`, what `fn` returns')).toContain('[{ affected }]');
});

it('the message of a commit ends with the position of the ledger, if there is one', async () => {
  const [logged, bare] = await Promise.all([createKernel(), createKernel({ ledger: false })]);
  for (const { tools } of [logged, bare])
    await tools.write_file.execute({ path: 'tools/a.ts', content: 'export default () => 1;' });
  expect(git(logged.rootDir, 'log', '-1', '--format=%B')).toMatch(/^Forge: tools\/a\.ts\n\nTGP-Ledger: /);
  expect(git(bare.rootDir, 'log', '-1', '--format=%B')).toBe('Forge: tools/a.ts');
  expect(row('message of a commit')).toContain('TGP-Ledger');
});

it('git.auth.email may be any text, and factories of parts are not exported', () => {
  expect(GitConfigSchema.parse({ provider: 'local', auth: { email: 'bot@localhost' } }).auth.email).toBe(
    'bot@localhost',
  );
  expect(row('`git.auth.email`')).toContain('any text');
  const names = row('`createKernel`, `createGitBackend`').split(' | ')[0]?.match(/\w+/g) ?? [];
  expect(names).toHaveLength(6);
  for (const name of names) expect(core).not.toHaveProperty(name);
});

it('the command line rejects an unknown command with exit code 2, and init writes a short config', async () => {
  const folder = await tempRoot();
  const { code, stdout, stderr } = await runCli(folder, ['frobnicate']);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining("error: unknown command 'frobnicate'")]);
  expect(row('an unknown command')).toContain('exit code 2');
  await runCli(folder, ['init', '--yes']);
  const config = await readFile(join(folder, 'tgp.config.ts'), 'utf8');
  expect(config).toContain("rootDir: './.tgp'");
  expect(config).not.toMatch(/git:|fs:|allowedImports:|allowedFetchUrls:/);
  expect(row('config that `tgp init` writes')).toContain('api/config.md');
});
