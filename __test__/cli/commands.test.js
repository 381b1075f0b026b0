import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { CLI, runCli } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const SUM = `/** Adds numbers. */
export default function (args: { of: number[] }): number {
  console.log('adding', args.of.length);
  if (args.of.length === 0) throw new RangeError('nothing to add');
  return args.of.reduce((a, b) => a + b);
}
`;

/** @type {string} */
let folder;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tgp-test-'));
  await writeFile(join(folder, 'tgp.config.json'), '{"rootDir":"./.tgp","sandbox":{"warm":0}}');
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
  const { write_file } = tgpTools(kernel);
  await write_file.execute({ path: 'tools/math/sum.ts', content: SUM });
  await write_file.execute({ path: 'tools/broken.ts', content: 'export default (a: number) => a +;' });
  await write_file.execute({ path: 'tools/loop.ts', content: 'while (true) {}' });
  await kernel.shutdown();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('tgp', () => {
  test('no argument, help, --help and -h print the help and exit with 0', async () => {
    for (const args of [[], ['help'], ['--help'], ['-h']]) {
      const { code, stdout, stderr } = await runCli(folder, args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const word of [
        'init',
        'doctor',
        'list',
        'find',
        'show',
        'check',
        'exec',
        'log',
        'sync',
        'mcp',
        'demo',
        'Exit codes',
        '2  wrong usage',
      ]) {
        expect(stdout).toContain(word);
      }
    }
  });

  test('--version is the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect((await runCli(folder, ['--version'])).stdout).toBe(`${version}\n`);
  });

  test.each([
    [['lst'], 'Did you mean list?'],
    [['exec'], "missing required argument 'tool'"],
    [['list', '--jsn'], 'Did you mean --json?'],
    [['exec', 'math/sum', '--timeout-ms', 'soon'], 'positive whole number'],
    [['exec', 'math/sum', '--args', '[1]'], '--args is not a JSON object'],
    [['exec', 'math/sum', '--args', '@none.json'], 'none.json'],
    [
      ['exec', 'math/sum', '--args', '{"off":[1]}'],
      '"off" is not known, did you mean "of"? It takes { of: number[] }.',
    ],
  ])('%j is wrong usage', async (args, hint) => {
    const { code, stdout, stderr } = await runCli(folder, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
  });

  test.each([
    [['list', '--jsn', '--json'], 2],
    [['exec', '--json'], 2],
    [['exec', 'math/sum', '--timeout-ms', 'soon', '--json'], 2],
    [['exec', 'math/sum', '--args', '[1]', '--json'], 2],
    [['show', 'none', '--json'], 1],
    [['exec', '--yes', 'loop', '--json'], 1],
    [['exec', '--yes', 'broken', '--json'], 1],
  ])('%j prints one JSON document of the usual form', async (args, expected) => {
    const { code, stderr, ...printed } = await runCli(folder, args);
    expect(printed.json()).toEqual({
      error: { code: expect.stringMatching(/^ERR_/), message: expect.any(String), details: expect.any(Object) },
    });
    expect({ code, stderr }).toEqual({ code: expected, stderr: '' });
  });

  test('prints no control sequences into a pipe', async () => {
    for (const args of [['list'], ['check'], ['doctor'], ['show', 'math/sum']]) {
      const { stdout } = await runCli(folder, args);
      expect(stdout).not.toContain('\u001b');
    }
  });

  test('exits silently when its output is closed', async () => {
    const script = `"${process.execPath}" "${CLI}" list | true; exit "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
  });

  test('creates no workspace', async () => {
    const empty = await tempRoot();
    for (const command of [['list'], ['check'], ['exec', 'x'], ['show', 'x'], ['log'], ['sync'], ['mcp']]) {
      const { code, ...printed } = await runCli(empty, [...command, '--json']);
      expect(code).toBe(1);
      expect(printed.json().error).toMatchObject({
        code: 'ERR_NOT_FOUND',
        message: expect.stringContaining('tgp init'),
      });
    }
    expect(await runCli(empty, ['list', '-c', 'none.ts'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ERR_CONFIG'),
    });
  });
});

describe('tgp list, find and show', () => {
  test('list the tools with their descriptions', async () => {
    const listed = (await runCli(folder, ['list', '--json'])).json();
    expect(listed.map(({ path }) => path)).toEqual(['tools/broken.ts', 'tools/loop.ts', 'tools/math/sum.ts']);
    expect(listed[2]).toMatchObject({ description: 'Adds numbers.', parameters: { type: 'object', required: ['of'] } });
    expect((await runCli(folder, ['list'])).stdout).toContain('tools/math/sum.ts  Adds numbers.');
  });

  test('find a tool by what it does', async () => {
    const [best] = (await runCli(folder, ['find', 'add numbers', '--json', '--limit', '1'])).json();
    expect(best).toMatchObject({ path: 'tools/math/sum.ts', score: expect.any(Number) });
    expect((await runCli(folder, ['find', 'add numbers'])).stdout).toMatch(/^\d\.\d\d {2}tools\/math\/sum\.ts/);
  });

  test('show a tool by a short form of its path', async () => {
    for (const name of ['tools/math/sum.ts', 'math/sum.ts', 'math/sum', './tools/math/sum']) {
      expect((await runCli(folder, ['show', name, '--json'])).json()).toMatchObject({
        path: 'tools/math/sum.ts',
        source: SUM,
        check: { valid: true },
      });
    }
    expect((await runCli(folder, ['show', 'none'])).stderr).toContain('tgp list');
  });
});

describe('tgp check', () => {
  test('fails for an invalid tool, with its position', async () => {
    const { code, stdout } = await runCli(folder, ['check', 'math/sum', 'broken']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/tools\/broken\.ts:1:\d+ {2}error/);
    expect(stdout).toContain('2 tools checked, 1 not valid');
    const { code: failed, ...printed } = await runCli(folder, ['check', 'broken', '--json']);
    expect(failed).toBe(1);
    expect(printed.json()).toMatchObject([{ path: 'tools/broken.ts', valid: false, diagnostics: [{ line: 1 }] }]);
  });

  test('exits with 0 for valid tools', async () => {
    expect(await runCli(folder, ['check', 'math/sum'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 tool checked, all valid'),
    });
  });
});

describe('tgp exec', () => {
  test('prints only the result to standard output, and logs to standard error', async () => {
    const { code, stdout, stderr } = await runCli(folder, ['exec', '--yes', 'math/sum', '--args', '{"of":[1,2]}']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '3\n', stderr: 'log: adding 2\n' });
  });

  test('takes arguments from a file and from standard input', async () => {
    await writeFile(join(folder, 'args.json'), '{"of":[3,4]}');
    expect((await runCli(folder, ['exec', '--yes', 'math/sum', '--args', '@args.json'])).stdout).toBe('7\n');
    expect((await runCli(folder, ['exec', '--yes', 'math/sum', '--args', '-'], { input: '{"of":[5,6]}' })).stdout).toBe(
      '11\n',
    );
  });

  test('fails with the message, the code and the position in the source', async () => {
    const { code, stdout, stderr } = await runCli(folder, ['exec', '--yes', 'math/sum', '--args', '{"of":[]}']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('nothing to add [ERR_TOOL_THROWN]');
    expect(stderr).toContain('tools/math/sum.ts:4:');
    const { code: failed, ...printed } = await runCli(folder, [
      'exec',
      '--yes',
      'math/sum',
      '--args',
      '{"of":[]}',
      '--json',
    ]);
    expect(failed).toBe(1);
    expect(printed.json()).toEqual({
      error: {
        code: 'ERR_TOOL_THROWN',
        message: 'nothing to add',
        details: expect.objectContaining({ line: 4, logs: [expect.objectContaining({ level: 'log' })] }),
      },
    });
  });

  test.each([
    ['toolls/math/sum.ts', 'tools/math/sum.ts'],
    ['math/summ', 'tools/math/sum.ts'],
    ['sum', 'tools/math/sum.ts'],
    ['brokn.ts', 'tools/broken.ts'],
  ])('suggests the tool with a name similar to %s', async (name, suggestion) => {
    const { code, stderr } = await runCli(folder, ['exec', '--yes', name]);
    expect(code).toBe(1);
    expect(stderr).toContain(`There is no tool "${name}". Did you mean ${suggestion}? "tgp list" lists`);
    expect((await runCli(folder, ['log', name])).stderr).toContain(`Did you mean ${suggestion}?`);
  });

  test('stops an endless tool at the given limit', async () => {
    const { code, stderr } = await runCli(folder, ['exec', '--yes', 'loop', '--timeout-ms', '30', '--memory-mb', '32']);
    expect(code).toBe(1);
    expect(stderr).toContain('ERR_ISOLATE_TIMEOUT');
  });
});
