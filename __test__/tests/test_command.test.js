import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const TOOL = 'export default (args: { n: number }): number => args.n * 2;\n';
const TEST = `import { expect, test } from '@tgp/std/test';\nimport double from './double';\ntest('doubles', () => { expect(double({ n: 2 })).toBe(4); });\n`;

it('tgp test exits with 0 if all tests pass, and with 1 otherwise', async () => {
  const folder = await tempRoot();
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  expect((await runCli(folder, ['init', '--yes'])).code).toBe(0);
  const tools = join(folder, '.tgp', 'tools', 'math');
  mkdirSync(tools, { recursive: true });
  const { code, ...none } = await runCli(folder, ['test', '--json']);
  expect(none.json()).toMatchObject({ ok: false, passed: 0, failed: 0, files: [] });
  expect(code).toBe(1);
  writeFileSync(join(tools, 'double.ts'), TOOL);
  writeFileSync(join(tools, 'double.test.ts'), TEST);
  const green = await runCli(folder, ['test']);
  expect(green.stdout).toContain('pass  tools/math/double.test.ts  1 passed');
  expect(green.stdout).toContain('1 passed, 0 failed in 1 file.');
  expect(green.code).toBe(0);
  writeFileSync(join(tools, 'double.ts'), TOOL.replace('* 2', '* 3'));
  for (const pattern of ['math/double', 'math', 'tools/math/double.ts', '**/*.test.ts']) {
    const red = await runCli(folder, ['test', pattern]);
    expect(red.stdout).toContain('FAIL tools/math/double.test.ts:3 doubles\n  expected 6 to be 4');
    expect(red.code).toBe(1);
  }
  const data = await runCli(folder, ['test', '--json']);
  expect(data.json()).toMatchObject({ ok: false, failed: 1, cases: [{ name: 'doubles', ok: false, line: 3 }] });
  expect(data.code).toBe(1);
  expect((await runCli(folder, ['test', 'nothing'])).code).toBe(1);
});
