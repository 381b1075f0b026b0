import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SecurityViolation, TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const LIMITS = { timeoutMs: 2000 };

describe('require with a computed specifier', () => {
  it('follows the same rules as import', async () => {
    const { tools, forge } = await createKernel({ sandbox: LIMITS });
    await tools.write_file.execute({
      path: 'tools/test/part.ts',
      content: "import { b } from './other';\nexport const a = () => b + 1;",
    });
    await tools.write_file.execute({ path: 'tools/test/other.ts', content: 'export const b: number = 1;' });
    await tools.write_file.execute({ path: 'tools/data.json', content: '{"n":5}' });
    const source = `export default (args: { names: string[] }) => args.names.map((name) => {
      try { const m = require(name); return m.a?.() ?? m.n ?? Object.keys(m).length } catch (error: any) { return error.code }
    })`;
    const names = [
      './part',
      '/lib/test/part.ts',
      './part',
      '/lib/data.json',
      '../data',
      '@tgp/std/csv',
      'fs',
      'node:fs',
      '../../../etc/passwd',
      '/etc/passwd',
      './none',
      '',
    ];
    const { result } = await forge(source, { names });
    expect(result).toEqual([
      2,
      2,
      2,
      5,
      5,
      3,
      ...Array(4).fill('ERR_SECURITY_VIOLATION'),
      'ERR_COMPILATION',
      'ERR_SECURITY_VIOLATION',
    ]);
  });

  it('reports why a file with a top-level await cannot be imported', async () => {
    const { tools, forge } = await createKernel({ sandbox: LIMITS });
    await tools.write_file.execute({
      path: 'tools/test/slow.ts',
      content: 'export const two = await Promise.resolve(2);',
    });
    const imported = "import { two } from './slow';\nexport default () => two";
    const required = "export default () => require(['.', 'slow'].join('/')).two";
    for (const source of [imported, required]) {
      await expect(forge(source)).rejects.toThrow(/^\.\/slow uses top-level await, so it can be run but not imported/);
    }
  });

  it('loads one module for all of its names, and its errors keep their lines', async () => {
    const { tools, forge } = await createKernel({ sandbox: LIMITS });
    await tools.write_file.execute({
      path: 'tools/test/boom.ts',
      content: 'export const state = { n: 0 };\n\nexport function boom(): void {\n  throw new Error("late");\n}',
    });
    const same =
      "import { state } from './boom';\nexport default (a: { name: string }) => { state.n = 7; return [require(a.name).state.n, require(a.name) === require('./boom')] }";
    expect((await forge(same, { name: './boom' })).result).toEqual([7, true]);
    const error = await forge('export default (a: { name: string }) => require(a.name).boom()', {
      name: './boom',
    }).catch((error) => error);
    expect(error.details).toMatchObject({ file: 'tools/test/boom.ts', line: 4 });
  });
});

describe('allowedImports', () => {
  it('lets a tool import zod and date-fns, including subpaths', async () => {
    const { forge } = await createKernel({ allowedImports: ['zod', 'date-fns'], sandbox: LIMITS });
    const { result } = await forge(
      `
      import { z } from 'zod';
      import * as core from 'zod/v4/core';
      import { addDays } from 'date-fns';
      import { format } from 'date-fns/format';
      const schema = z.object({ n: z.number().min(1), mail: z.email().optional() });
      export default (args: unknown) => [schema.safeParse(args).success, schema.safeParse({ n: 0 }).success, typeof core.parse,
        format(addDays(new Date(2024, 1, 28), 1), 'yyyy-MM-dd'), require('date-fns').differenceInDays(new Date(2024, 2, 1), new Date(2024, 1, 1))]`,
      { n: 2 },
    );
    expect(result).toEqual([true, false, 'function', '2024-02-29', 29]);
  });

  it('lists the allowed modules when another one is imported', async () => {
    const { forge } = await createKernel({ allowedImports: ['zod'] });
    for (const name of ['date-fns', 'zodiac', 'fs', 'zod/../ai', 'node:fs/promises']) {
      const error = await forge(`import x from '${name}';\nexport default () => x`).catch((error) => error);
      expect(error, name).toBeInstanceOf(SecurityViolation);
      expect(error.message).toContain('Allowed modules are: @tgp/std, zod.');
    }
  });

  it('reports why a package cannot be used, without a host path', async () => {
    const folder = await tempRoot();
    const packages = {
      needsnode: "module.exports = require('fs').readFileSync('/etc/passwd', 'utf8')",
      deep: "import x from 'not-installed-anywhere'; export default x",
      late: "module.exports = require('not-installed-anywhere')",
      plain: 'module.exports = (n) => n + 1',
      esm: 'export const a = 1; export default 2',
      broken: 'export const = ;',
    };
    for (const [name, code] of Object.entries(packages)) {
      await mkdir(join(folder, 'node_modules', name), { recursive: true });
      await writeFile(
        join(folder, 'node_modules', name, 'package.json'),
        JSON.stringify({ name, main: 'index.js', ...(/^(?:ex|im)port /.test(code) && { type: 'module' }) }),
      );
      await writeFile(join(folder, 'node_modules', name, 'index.js'), code);
    }
    const configFile = join(folder, 'tgp.config.json');
    await writeFile(
      configFile,
      JSON.stringify({ allowedImports: [...Object.keys(packages), 'missing'], sandbox: LIMITS }),
    );
    const kernel = new TGP({ configFile });
    onTestFinished(() => kernel.shutdown());
    const tools = tgpTools(kernel);
    /** @param {string} content */
    const run = async (content) => {
      await tools.write_file.execute({ path: 'tools/t.ts', content });
      return (await kernel.exec('tools/t.ts')).result;
    };
    expect(
      await run("import plus from 'plain'; import two, { a } from 'esm'; export default () => [plus(1), two, a]"),
    ).toEqual([2, 2, 1]);
    for (const [name, why] of [
      ['deep', /"not-installed-anywhere"/],
      ['broken', /sandbox: its code could not be bundled\.$/],
      ['missing', /not installed/],
      ['plain/none', /no such subpath/],
    ]) {
      const error = await run(`import x from '${name}'; export default () => x`).catch((error) => error);
      expect(error.code, String(name)).toBe('ERR_COMPILATION');
      expect(error.message).toMatch(why);
      expect(JSON.stringify([error.message, error.details])).not.toContain(folder);
    }
    await expect(run("import x from 'needsnode'; export default () => x")).rejects.toMatchObject({
      code: 'ERR_TOOL_THROWN',
      message: expect.stringMatching(/^fs\.readFileSync is part of Node and not available in the sandbox\./),
    });
    await expect(run("import x from 'late'; export default () => x")).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
      message: expect.stringMatching(/Import of module 'not-installed-anywhere' is not allowed/),
    });
  });

  it('a bundled package has the same access as a tool', async () => {
    const { forge } = await createKernel({ allowedImports: ['zod'], sandbox: LIMITS });
    const source =
      "import * as z from 'zod'; export default () => [typeof process, typeof globalThis.Buffer, Object.keys(z).length > 50]";
    expect((await forge(source)).result).toEqual(['undefined', 'undefined', true]);
  });
});
