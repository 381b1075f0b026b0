/** Imports of tests: the functions of a test come from `@tgp/std/test`. */

import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const LINE = "`import { describe, test, expect } from '@tgp/std/test';`";

test('a test that does not import its functions gets the line to add', async () => {
  const { kernel, tools } = await createKernel();
  await kernel.vfs.writeFile('tools/a/total.ts', 'export default () => 1;');
  for (const name of ['describe', 'test', 'it', 'expect', 'beforeEach']) {
    await kernel.vfs.writeFile('tools/a/total.test.ts', `${name}('total', () => {});\n`);
    const { ok, text } = await kernel.test('tools/a/total.ts');
    expect(ok).toBe(false);
    expect(text).toContain(`${name} is not defined. Tests import their functions: ${LINE}.`);
    const { diagnostics } = await tools.check_tool.execute({ path: 'tools/a/total.test.ts' });
    expect(diagnostics).toMatchObject([
      { message: expect.stringContaining(name), help: expect.stringContaining(LINE) },
    ]);
  }
});
