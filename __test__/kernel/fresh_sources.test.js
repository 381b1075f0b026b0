import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** Long enough for a file to count as settled, so that its module graph is cached. */
const SETTLED_MS = 150;
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** A kernel whose tools are written to disk without it, as with an editor. */
async function workspace(files) {
  const { kernel, rootDir } = await createKernel();
  await kernel.boot();
  const edit = async (path, content) => {
    const file = join(rootDir, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  };
  for (const [path, content] of Object.entries(files)) await edit(path, content);
  await wait(SETTLED_MS);
  return { kernel, edit, remove: (path) => rm(join(rootDir, path)), run: () => kernel.exec('tools/t.ts') };
}

describe('a tool that ran before', () => {
  it('runs the current text after every change', async () => {
    const { edit, run } = await workspace({ 'tools/t.ts': 'return 100' });
    expect([(await run()).result, (await run()).result]).toEqual([100, 100]);
    for (let value = 101; value < 130; value++) {
      await edit('tools/t.ts', `return ${value}`);
      expect((await run()).result).toBe(value);
      if (value % 10 === 0) await wait(SETTLED_MS);
      expect((await run()).result).toBe(value);
    }
  });

  it('uses the current imports: changed, removed, and resolved to another file', async () => {
    const { edit, remove, run } = await workspace({
      'tools/t.ts': "import { x } from './lib/x'; export default () => x",
      'tools/lib/x/index.ts': 'export const x = 1',
    });
    expect([(await run()).result, (await run()).result]).toEqual([1, 1]);
    await edit('tools/lib/x/index.ts', 'export const x = 2');
    expect((await run()).result).toBe(2);
    await wait(SETTLED_MS);
    expect((await run()).result).toBe(2);
    await edit('tools/lib/x.ts', 'export const x = 3');
    expect((await run()).result).toBe(3);
    await wait(SETTLED_MS);
    expect((await run()).result).toBe(3);
    await remove('tools/lib/x.ts');
    expect((await run()).result).toBe(2);
    await wait(SETTLED_MS);
    expect((await run()).result).toBe(2);
    await remove('tools/lib/x/index.ts');
    await expect(run()).rejects.toMatchObject({ code: 'ERR_COMPILATION' });
    await remove('tools/t.ts');
    await expect(run()).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  });

  it('loads only the modules that its source imports', async () => {
    const { kernel } = await workspace({
      'tools/t.ts': 'return args.name ? require(args.name).default() : "alone"',
      'tools/other.ts': 'export default () => "other"',
    });
    const run = async (args) => (await kernel.exec('tools/t.ts', args)).result;
    expect(await run({})).toBe('alone');
    expect(await run({ name: './other' })).toBe('other');
    expect(await run({})).toBe('alone');
    expect(await run({ name: './other' })).toBe('other');
  });

  it('still refuses arguments and options beyond the limits', async () => {
    const { kernel, run } = await workspace({ 'tools/t.ts': 'return 1' });
    await run();
    await expect(kernel.exec('tools/t.ts', {}, { memoryMb: 1_000_000 })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
    });
    await expect(kernel.exec('tools/t.ts', { text: 'x'.repeat(5 << 20) })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
    });
    expect((await run()).result).toBe(1);
  });
});
