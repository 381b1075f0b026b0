import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const TOOL = '/** Doubles. */\nexport default (args: { n: number }): number => args.n * 2;\n';
const TEST = `import { expect, test } from '@tgp/std/test';
import twice from './twice';

test('doubles', () => {
  expect(twice({ n: 2 })).toBe(4);
});
`;

test('tgp exec --mode strict runs only tools with passing tests', async () => {
  const folder = await tempRoot();
  const configFile = join(folder, 'tgp.config.json');
  await writeFile(configFile, JSON.stringify({ policy: 'allow' }));
  const kernel = new TGP({ configFile });
  const { write_file, test_tool } = tgpTools(kernel);
  await write_file.execute({ path: 'tools/untested.ts', content: TOOL });
  await write_file.execute({ path: 'tools/twice.test.ts', content: TEST });
  await test_tool.execute({ path: 'tools/twice.ts' });
  await write_file.execute({ path: 'tools/twice.ts', content: TOOL });
  await test_tool.execute({ path: 'tools/twice.ts' });
  await kernel.shutdown();

  const exec = (/** @type {string[]} */ ...more) => runCli(folder, ['exec', ...more, '--args', '{"n":4}']);
  expect(await exec('twice', '--mode', 'strict')).toMatchObject({ code: 0, stdout: '8\n' });
  expect(await exec('untested'), 'people are not restricted').toMatchObject({ code: 0, stdout: '8\n' });
  expect(await exec('untested', '--mode', 'strict')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('[ERR_STATE]'),
  });
  expect(await exec('twice', '--mode', 'tdd')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('explore, strict, debug'),
  });
});
