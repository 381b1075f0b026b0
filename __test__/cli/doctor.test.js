import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TGP } from '../../index.js';
import { DEFAULT_ROOT } from '../../js/cli/workspace.js';
import { runCli } from '../helpers/run_cli.js';
import { tempRoot } from '../helpers/temp_root.js';

const find = (/** @type {any} */ report, /** @type {string} */ name) =>
  report.checks.find((/** @type {any} */ check) => check.name === name);

describe('tgp doctor', () => {
  test('finds everything well in an initialised folder', async () => {
    const folder = await tempRoot();
    await runCli(folder, ['init']);
    const { code, ...printed } = await runCli(folder, ['doctor', '--json']);
    const report = printed.json();
    expect(code).toBe(0);
    expect(report.healthy).toBe(true);
    expect(report.checks.map(({ name }) => name)).toEqual([
      'Platform',
      'Node',
      'V8',
      'Worker',
      'Walls',
      'Config',
      'Workspace',
    ]);
    // Which walls there are is the system's affair.
    expect(report.checks.every(({ name, status }) => status === 'ok' || name === 'Walls')).toBe(true);
    expect(find(report, 'Walls').detail).toContain('seccomp');
    expect(find(report, 'Worker').detail).toContain('ran a tool');
  });

  test('changes nothing, and leaves nothing behind', async () => {
    const folder = await tempRoot();
    const temporary = await tempRoot();
    const { code, stdout } = await runCli(folder, ['doctor'], { env: { TMPDIR: temporary } });
    expect(code).toBe(0);
    expect(stdout).toContain('./.tgp does not exist yet');
    expect(stdout).toContain('tgp init');
    expect(await readdir(folder)).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
  });

  test('names a wrong key of the config', async () => {
    const folder = await tempRoot();
    await writeFile(join(folder, 'tgp.config.json'), '{"sandbox":{"memoryMB":64}}');
    const { code, ...printed } = await runCli(folder, ['doctor', '--json']);
    expect(code).toBe(1);
    expect(find(printed.json(), 'Config')).toMatchObject({
      status: 'problem',
      remedy: expect.stringContaining('"sandbox.memoryMB" is not known, did you mean "sandbox.memoryMb"?'),
    });
  });

  test('warns when the repository around does not ignore the root, and when the root is on no branch', async () => {
    const folder = await tempRoot();
    await runCli(folder, ['init']);
    execFileSync('git', ['init', '-q', folder]);
    expect(find((await runCli(folder, ['doctor', '--json'])).json(), 'Workspace').status).toBe('ok');
    await rm(join(folder, '.gitignore'));
    const open = find((await runCli(folder, ['doctor', '--json'])).json(), 'Workspace');
    expect(open).toMatchObject({ status: 'warning', remedy: expect.stringContaining('/.tgp/') });
    execFileSync('git', ['-C', join(folder, '.tgp'), 'checkout', '-q', '--detach']);
    const detached = find((await runCli(folder, ['doctor', '--json'])).json(), 'Workspace');
    expect(detached).toMatchObject({ status: 'problem', detail: expect.stringContaining('on no branch') });
  });
});

test('the root that the command line looks for is the default of the kernel', async () => {
  const folder = await tempRoot();
  const here = process.cwd();
  process.chdir(folder);
  const kernel = new TGP();
  try {
    await kernel.boot();
    expect(kernel.config.rootDir).toBe(DEFAULT_ROOT);
  } finally {
    process.chdir(here);
    await kernel.shutdown();
  }
});
