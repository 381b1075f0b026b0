import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

describe('messages for models', () => {
  test.each(
    /** @type {[keyof import('../../index.js').TGPTools, any, string][]} */ ([
      ['read_file', {}, 'read_file: "path" is missing: give a text.'],
      ['read_file', { path: 3 }, 'read_file: "path" is not valid: give a text, not 3.'],
      ['read_file', { path: '' }, 'read_file: "path" is not valid: give a text, not an empty text.'],
      ['read_file', { path: null }, 'read_file: "path" is not valid: give a text, not null.'],
      ['read_file', { path: 'x', offset: 0 }, 'read_file: "offset" is not valid: give a number above 0, not 0.'],
      ['read_file', { path: 'x', limit: 1.5 }, 'read_file: "limit" is not valid: give a whole number, not 1.5.'],
      ['read_file', { path: 'x', limit: Number.NaN }, 'read_file: "limit" is not valid: give a number, not NaN.'],
      ['read_file', { path: '.tgp/tools/a.ts' }, "Paths begin inside the root: leave out '.tgp/'."],
      ['write_file', { path: '.tgp/tools/a.ts', content: '' }, "paths begin inside the root; leave out '.tgp/'."],
      ['read_file', { file: 'x' }, 'read_file: "path" is missing: give a text; "file" is not known'],
      ['write_file', { path: 'a.txt', content: { a: 1 } }, '"content" is not valid: give a text, not an object.'],
      ['search_files', { pattern: 'a', case: 'no' }, 'give one of "sensitive", "insensitive", not the text "no".'],
      ['exec_tool', { path: 'x', args: [1] }, 'exec_tool: "args" is not valid: give an object, not a list.'],
      ['find_tool', 'words', 'find_tool: the value is not valid: give an object, not the text "words".'],
    ]),
  )('%s %j: the error names the field and the expected type', async (name, args, message) => {
    const { tools } = await createKernel();
    const refused = tools[name].execute(args);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(/invalid input|expected|received|zod/i);
  });

  test('an undefined global at run time is reported with an alternative', async () => {
    const { forge } = await createKernel({ check: 'off' });
    const thrown = (/** @type {string} */ code) => forge(code).catch((error) => error.message);
    expect(await thrown('return process.env.HOME')).toMatch(/^process is not defined\. A tool has no environment/);
    expect(await thrown('return Buffer.from("a")')).toMatch(/^Buffer is not defined\. Use Uint8Array/);
    expect(await thrown('return nothing')).toBe('nothing is not defined');
  });

  test('a missing tool or import is never reported with a test as the similar one', async () => {
    const { kernel } = await createKernel({ check: 'off' });
    await kernel.vfs.writeFile('tools/price/gross.ts', 'export default () => 1;');
    await kernel.vfs.writeFile('tools/price/gross.test.ts', '');
    for (const path of ['price/gross', 'gross', 'gross.ts']) {
      await expect(kernel.exec(path), path).rejects.toThrow("Did you mean 'tools/price/gross.ts'?");
    }
    await kernel.vfs.writeFile('tools/price/net.ts', "import gross from './gros';\nexport default () => gross();");
    await expect(kernel.exec('tools/price/net.ts')).rejects.toThrow("Did you mean './gross'?");
  });

  test('a missing path is reported with a similar one', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/shipping/dim_weight.ts', content: 'export default () => 1;' });
    await tools.write_file.execute({ path: 'notes.md', content: 'x' });
    const hint = "Did you mean 'tools/shipping/dim_weight.ts'?";
    for (const path of [
      'tools/shipping/dim_weight',
      'shipping/dim_weight.ts',
      'dim_weight',
      'tools/shiping/dim_weight.ts',
    ]) {
      await expect(tools.read_file.execute({ path }), path).rejects.toThrow(`${hint} [ERR_NOT_FOUND]`);
      const report = await tools.exec_tool.execute({ path });
      expect(report, path).toMatchObject({ success: false, error: expect.stringContaining(hint) });
    }
    await expect(tools.patch_file.execute({ path: 'note.md', search: 'x', replace: 'y' })).rejects.toThrow(
      "'notes.md'",
    );
    const other = tools.read_file.execute({ path: 'something/else/entirely.txt' });
    await expect(other).rejects.not.toThrow('Did you mean');
    const text = tools.patch_file.execute({ path: 'notes.md', search: 'not there', replace: '' });
    await expect(text).rejects.not.toThrow('Did you mean');
  });

  test('patch_file changes the first of several matches, and reports their number', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'a.txt', content: 'one\ntwo\ntwo two\n' });
    const patched = await tools.patch_file.execute({ path: 'a.txt', search: 'two', replace: 'three' });
    expect(patched).toMatchObject({ success: true, persisted: true, matches: 3 });
    expect(patched.advice).toMatch(/3 times; only the first, at line 2, was changed/);
    expect(await tools.read_file.execute({ path: 'a.txt' })).toBe('one\nthree\ntwo two\n');
    const only = await tools.patch_file.execute({ path: 'a.txt', search: 'three', replace: '3' });
    expect(only).toMatchObject({ matches: 1 });
    expect(only.advice).toBeUndefined();
  });

  test('the statistics of a run have at most two decimals', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/one.ts', content: 'export default () => 1;' });
    const byName = await kernel.tools();
    for (const report of [await tools.exec_tool.execute({ path: 'tools/one.ts' }), await byName.one?.execute({})]) {
      const figures = Object.values(/** @type {any} */ (report).stats);
      expect(figures.length).toBeGreaterThan(3);
      for (const figure of figures) expect(String(figure)).toMatch(/^\d+(?:\.\d{1,2})?$/);
    }
  });
});
