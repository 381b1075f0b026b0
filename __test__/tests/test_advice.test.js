import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const TOOL = '/** One. */\nexport default function total(): number {\n  return 1;\n}\n';

describe('messages about tests', () => {
  it('reports a tool without a test with the file to write', async () => {
    const { kernel } = await createKernel();
    await kernel.vfs.writeFile('tools/price/gross.ts', TOOL);
    const { ok, text } = await kernel.test('tools/price/gross.ts');
    expect(ok).toBe(false);
    expect(text).toContain(
      "tools/price/gross.ts has no test yet. Write tools/price/gross.test.ts, which begins with: import { describe, test, expect } from '@tgp/std/test';",
    );
    expect(text).not.toContain('Did you mean');
  });

  it('reports the import of another test framework with the import to use', async () => {
    const { kernel } = await createKernel();
    await kernel.vfs.writeFile('tools/a/total.ts', TOOL);
    const text =
      "import { expect, test } from 'vitest';\nimport total from './total';\n\ntest('a', () => expect(total()).toBe(1));\n";
    await kernel.vfs.writeFile('tools/a/total.test.ts', text);
    const line = "import { describe, test, expect } from '@tgp/std/test';";
    expect((await kernel.test('tools/a/total.ts')).text).toContain(line);
    expect(JSON.stringify(await kernel.check('tools/a/total.test.ts'))).toContain(line);
  });
});
