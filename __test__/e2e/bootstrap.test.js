import { execFileSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

test('a developer initialises a project, and an agent works in it at once', async () => {
  const folder = await tempRoot();
  await writeFile(join(folder, 'package.json'), '{\n  "name": "app"\n}\n');
  expect((await runCli(folder, ['init'])).code).toBe(0);
  expect(await readFile(join(folder, 'tgp.config.ts'), 'utf8')).toContain('defineTGPConfig');
  for (const entry of ['.git', 'tools', 'bin/tgp']) expect(await stat(join(folder, '.tgp', entry))).toBeTruthy();
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toEqual({
    name: 'app',
    scripts: { tgp: 'tgp' },
  });

  await runProgram(
    folder,
    `const kernel = new TGP({ configFile: './tgp.config.ts' });
    const content = '/** Multiplies a number. */\\nexport default (args: { n: number; by: number }): number => args.n * args.by;\\n';
    console.log(JSON.stringify(await tgpTools(kernel).write_file.execute({ path: 'tools/math/multiply.ts', content })));
    await kernel.shutdown();`,
  );
  expect((await runCli(folder, ['list'])).stdout).toContain('tools/math/multiply.ts');
  expect((await runCli(folder, ['check'])).stdout).toContain('2 tools checked, all valid');
  expect((await runCli(folder, ['exec', '--yes', 'math/multiply', '--args', '{"n":21,"by":2}'])).stdout).toBe('42\n');
  const log = execFileSync('git', ['-C', join(folder, '.tgp'), 'log', '--format=%s'], { encoding: 'utf8' });
  expect(log.split('\n')[0]).toBe('Forge: tools/math/multiply.ts');
});
