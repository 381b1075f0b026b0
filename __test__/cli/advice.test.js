/** Messages of commands about what they did or refused are correct and recommend commands. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { agentWorkspace, NOTES } from '../helpers/providers/agent_workspace.js';
import { tempRoot } from '../helpers/temp_root.js';

const TWICE = '/** Twice a number. */\nexport default (args: { n: number }): number => args.n * 2;\n';
const USER =
  "import twice from '../lib/twice.ts';\n/** Four times. */\nexport default (args: { n: number }): number => twice(twice(args));\n";
const TEST = `import { expect, test } from '@tgp/std/test';
import twice from './twice.ts';
test('doubles', () => { expect(twice({ n: 2 })).toBe(4); });
`;

/** @param {Record<string, string>} files */
async function workspace(files) {
  const folder = await tempRoot();
  await writeFile(join(folder, 'tgp.config.json'), '{"memory":"off"}');
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
  for (const [path, content] of Object.entries(files)) await tgpTools(kernel).write_file.execute({ path, content });
  await kernel.shutdown();
  return folder;
}

test('move names a test that it did not move, with the command that moves it', async () => {
  const folder = await workspace({ 'tools/lib/twice.ts': TWICE, 'tools/lib/twice.test.ts': TEST });
  const { code, stdout } = await runCli(folder, ['move', 'lib/twice', 'lib/double', '--yes']);
  expect(code).toBe(0);
  expect(stdout).toContain('also move its test: tgp move tools/lib/twice.test.ts tools/lib/double.test.ts\n');
  const [, ...args] = (/also move its test: (.*)\n/.exec(stdout)?.[1] ?? '').split(' ');
  expect((await runCli(folder, [...args, '--yes'])).stdout).not.toContain('also move');
  expect((await runCli(folder, ['test', '--yes'])).code).toBe(0);
});

test('remove names the importers of a file, and exits as failed, not as wrong usage', async () => {
  const files = { 'tools/lib/twice.ts': TWICE, 'tools/a/four.ts': USER };
  const folder = await workspace(files);
  const { code, stderr } = await runCli(folder, ['remove', 'lib/twice', '--yes']);
  expect(stderr).toContain('tools/lib/twice.ts was not removed: tools/a/four.ts imports it. Remove the import first');
  expect(stderr).toContain('"tgp move"');
  expect(stderr).not.toContain('move_file');
  expect(code).toBe(1);
  const preview = await runCli(folder, ['remove', 'lib/twice', '--dry-run', '--json']);
  expect(preview.code).toBe(1);
  expect(preview.json()).toMatchObject({ error: { details: { importers: ['tools/a/four.ts'] } } });
});

test('a dry run of a move requests no approval, also for the importers that follow it', async () => {
  const folder = await workspace({ 'tools/lib/twice.ts': TWICE, 'tools/a/four.ts': USER });
  const { code, stdout, stderr } = await runCli(folder, ['move', 'lib/twice', 'lib/double', '--dry-run']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain("+import twice from '../lib/double.ts';");
  // The move itself needs one.
  expect((await runCli(folder, ['move', 'lib/twice', 'lib/double'])).code).toBe(1);
});

test('check counts tests separately from tools', async () => {
  const folder = await workspace({ 'tools/lib/twice.ts': TWICE, 'tools/lib/twice.test.ts': TEST });
  expect((await runCli(folder, ['check'])).stdout).toBe('1 tool and 1 test file checked, all valid\n');
  expect((await runCli(folder, ['check', 'lib/twice.test'])).stdout).toBe('1 test file checked, all valid\n');
});

test('exec --dry-run prints the result', async () => {
  const folder = await workspace({ 'tools/lib/twice.ts': TWICE });
  const { stdout } = await runCli(folder, ['exec', 'lib/twice', '--args', '{"n":21}', '--dry-run', '--yes']);
  expect(stdout).toBe('This is a dry run: nothing was changed.\nThe call would change nothing.\nIts result: 42\n');
});

test('ledger show names the command that lists calls', async () => {
  const folder = await workspace({ 'tools/lib/twice.ts': TWICE });
  const numbered = await runCli(folder, ['ledger', 'show', '1']);
  expect(numbered).toMatchObject({ code: 1, stderr: expect.stringContaining('no event #1 that belongs to a call') });
  const named = await runCli(folder, ['ledger', 'show', 'none']);
  expect(named.stderr).toContain('The ledger has no call "none". "tgp ledger tail --type CALL" lists calls');
  expect(`${numbered.stderr}${named.stderr}`).not.toContain('kernel.');
});

test('a closed session is not offered for resume', async () => {
  const { folder, env } = await agentWorkspace(NOTES);
  await runCli(folder, ['Note it down.', '--yes'], { env });
  const [{ session }] = (await runCli(folder, ['sessions', '--json'])).json();
  await runCli(folder, ['sessions', 'close', session]);
  const { code, stderr } = await runCli(folder, ['And more of it.', '--resume', session, '--yes'], { env });
  expect(stderr).toContain('is closed. Start a new session.');
  expect(stderr).not.toContain('resume it with');
  expect(code).toBe(1);
});

test('the error for a money budget without prices names the option for prices', async () => {
  const { folder, env } = await agentWorkspace(NOTES);
  const { code, stderr } = await runCli(folder, ['Note it down.', '--budget', 'money=1'], { env });
  expect(stderr).toContain('--price <in/out>');
  expect(code).toBe(2);
});
