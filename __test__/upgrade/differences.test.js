/** The differences that docs/upgrading.md lists: the behaviour, and the row on the page. */

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { formatTools, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

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
