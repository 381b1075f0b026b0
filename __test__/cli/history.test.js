import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { cliWorkspace } from '../helpers/cli_workspace.js';
import { git } from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

describe('tgp log', () => {
  test('lists the commits of a tool by its short name, of any file, and of all files', async () => {
    const folder = await cliWorkspace({ 'tools/math/sum.ts': 'return 1', 'notes.md': 'hello' });
    const of = async (/** @type {string[]} */ ...args) => (await runCli(folder, ['log', ...args, '--json'])).json();
    expect(await of('math/sum')).toMatchObject([
      {
        message: 'Forge: tools/math/sum.ts',
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        author: expect.any(String),
      },
    ]);
    expect(await of('notes.md')).toMatchObject([{ message: 'Forge: notes.md' }]);
    expect((await of()).map((/** @type {any} */ { message }) => message)).toEqual([
      'Forge: notes.md',
      'Forge: tools/math/sum.ts',
    ]);
    expect(await of('--limit', '1')).toHaveLength(1);
    const { code, stdout } = await runCli(folder, ['log']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[0-9a-f]{7} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}Forge: notes\.md {2}\S/);
    expect(await runCli(folder, ['log', 'none'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ERR_NOT_FOUND'),
    });
  });
});

describe('tgp remove, move and revert', () => {
  const LIB = 'export const one = 1;\n';
  const USER = "import { one } from './lib';\n/** One. */\nexport default (): number => one;\n";

  test('change files as commits, with a reason', async () => {
    const folder = await cliWorkspace({ 'tools/lib.ts': LIB, 'tools/use.ts': USER, 'notes.md': 'hello' });
    const root = join(folder, '.tgp');
    const moved = await runCli(folder, ['move', '--yes', 'lib', 'tools/math/one.ts', '--why', 'a better place']);
    expect(moved).toMatchObject({ code: 0 });
    expect(moved.stdout).toMatch(
      /^moved {2}tools\/lib\.ts -> tools\/math\/one\.ts {2}[0-9a-f]{7}\nrelinked {2}tools\/use\.ts\n$/,
    );
    expect((await runCli(folder, ['exec', '--yes', 'use'])).stdout.trim()).toBe('1');
    expect((await runCli(folder, ['log', '--limit', '1'])).stdout).toContain(
      'Move: tools/lib.ts -> tools/math/one.ts (a better place)',
    );
    expect(await runCli(folder, ['remove', '--yes', 'math/one'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('tools/use.ts'),
    });
    const removed = (await runCli(folder, ['remove', '--yes', 'notes.md', '--json'])).json();
    expect(removed).toMatchObject({ path: 'notes.md', persisted: true, commit: git(root, 'rev-parse', 'HEAD') });
    const [, written] = (await runCli(folder, ['log', '--json']))
      .json()
      .filter((/** @type {any} */ { message }) => message.endsWith('notes.md'));
    expect(await runCli(folder, ['revert', '--yes', 'notes.md', written.commit])).toMatchObject({ code: 0 });
    expect(git(root, 'show', 'HEAD:notes.md')).toBe('hello');
    expect(git(root, 'status', '--porcelain')).toBe('');
    expect(await runCli(folder, ['remove', '--yes', 'none'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ERR_NOT_FOUND'),
    });
  });
});

describe('removed files and short names', () => {
  test('log and revert find a removed file by its path and by its short name', async () => {
    const folder = await cliWorkspace({ 'tools/math/sum.ts': 'return 1', 'notes.md': 'hello' });
    for (const [name, path] of [
      ['math/sum', 'tools/math/sum.ts'],
      ['notes.md', 'notes.md'],
    ]) {
      expect(await runCli(folder, ['remove', '--yes', name])).toMatchObject({ code: 0 });
      const commits = (await runCli(folder, ['log', name, '--json'])).json();
      expect(commits[0]).toMatchObject({ message: `Remove: ${path}` });
      const back = (await runCli(folder, ['revert', '--yes', name, commits[1].commit, '--json'])).json();
      expect(back).toMatchObject({ path, persisted: true });
      expect(git(join(folder, '.tgp'), 'ls-files', path)).toBe(path);
    }
    expect(await runCli(folder, ['revert', '--yes', 'none', 'abcd'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Use a path as listed there, such as tools/reports/revenue.ts.'),
    });
  });

  test('move accepts a short name as the target of a tool', async () => {
    const folder = await cliWorkspace({ 'tools/sum.ts': 'return 1', 'notes.md': 'hello' });
    for (const [from, to, path] of [
      ['sum', 'math/sum', 'tools/math/sum.ts'],
      ['math/sum', 'add.ts', 'tools/add.ts'],
      ['add', './tools/plus', 'tools/plus.ts'],
      ['notes.md', 'data/notes.md', 'data/notes.md'],
    ])
      expect((await runCli(folder, ['move', '--yes', from, to, '--json'])).json()).toMatchObject({
        path,
        persisted: true,
      });
    expect(await runCli(folder, ['move', '--yes', 'plus', '../plus'])).not.toMatchObject({ code: 0 });
    expect(git(join(folder, '.tgp'), 'ls-files', 'tools', 'data').split('\n')).toEqual([
      'data/notes.md',
      'tools/plus.ts',
    ]);
  });

  test('revert to an unknown commit suggests a command, not a model tool', async () => {
    const folder = await cliWorkspace({ 'tools/sum.ts': 'return 1' });
    const { code, stderr } = await runCli(folder, ['revert', '--yes', 'sum', 'HEAD']);
    expect(code).toBe(1);
    expect(stderr).toContain('tgp log tools/sum.ts');
    expect(stderr).not.toContain('file_history');
  });

  test('remove first commits a file unknown to Git, warns if it cannot, and lists mentions', async () => {
    const folder = await cliWorkspace({
      'tools/sum.ts': 'return 1',
      'tools/runs.ts': "/** Runs. */\nexport default () => tgp.exec_tool('tools/mine.ts', {});\n",
    });
    const root = join(folder, '.tgp');
    await writeFile(join(root, 'tools/mine.ts'), 'return 2\n');
    const removed = await runCli(folder, ['remove', '--yes', 'mine']);
    expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('tools/runs.ts') });
    expect(git(root, 'show', 'HEAD~1:tools/mine.ts')).toBe('return 2');
    await writeFile(join(root, 'tools/leak.ts'), "return 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'\n");
    expect(await runCli(folder, ['remove', '--yes', 'leak'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('cannot be restored'),
    });
  });
});

test('tgp check --fix makes the repairs, commits them, and reports the remaining findings', async () => {
  const source = `/** Runs a tool. */
export default async (args: { path: string }): Promise<number> => {
  tgp.exec_tool(args.path, {});
  return 1;
};
`;
  const folder = await cliWorkspace({
    'tools/runs.ts': source,
    'tools/fine.ts': '/** One. */\nexport default (): number => 1;\n',
  });
  const plain = (await runCli(folder, ['check', '--json'])).json();
  const fixable = plain
    .flatMap((/** @type {any} */ tool) => tool.diagnostics)
    .filter((/** @type {any} */ { fix }) => fix);
  expect(fixable.length, 'there is something to repair').toBeGreaterThan(0);
  const { stdout } = await runCli(folder, ['check', '--fix', '--yes']);
  expect(stdout).toMatch(/^tools\/runs\.ts {2}fixed {2}\d repairs?, commit [0-9a-f]{7}$/m);
  expect(stdout).not.toContain('tools/fine.ts  fixed');
  const [, runs] = (await runCli(folder, ['check', '--fix', '--yes', '--json'])).json();
  expect(runs).toMatchObject({ path: 'tools/runs.ts', fixed: { applied: 0 } });
  expect(execFileSync('git', ['-C', join(folder, '.tgp'), 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
});

describe('tgp mcp', () => {
  test.each([
    [['mcp', '--http', 'soon'], 2, 'port from 0 to 65535'],
    [['mcp', '--token', 'x'], 2, 'require --http'],
    [['mcp', '--http', '--host', '0.0.0.0'], 2, 'token'],
  ])('%j is wrong usage', async (args, code, hint) => {
    const folder = await cliWorkspace({});
    expect(await runCli(folder, args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(hint) });
  });

  test('creates no workspace, and names the missing SDK', async () => {
    const empty = await tempRoot();
    expect(await runCli(empty, ['mcp'])).toMatchObject({ code: 1, stderr: expect.stringContaining('tgp init') });
    const folder = await cliWorkspace({});
    const loader = join(folder, 'hide.mjs');
    const hooks = `export const resolve = (name, context, next) =>
      next(name.startsWith('@modelcontextprotocol/') ? '@tgp/hidden' : name, context);`;
    const source = `data:text/javascript,${encodeURIComponent(hooks)}`;
    await writeFile(loader, `import { register } from 'node:module'; register(${JSON.stringify(source)});`);
    const env = { NODE_OPTIONS: `--import ${loader}` };
    const { code, stderr } = await runCli(folder, ['mcp'], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('npm install @modelcontextprotocol/sdk');
  });
});
