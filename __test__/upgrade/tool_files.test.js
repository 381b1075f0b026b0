import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** CPU time that suffices on a busy machine. */
const LONG_TIMEOUT = { sandbox: { timeoutMs: 5000 } };
/** Forms of a tool file that the TypeScript package ran, with their result for `{ n: 2 }`. */
const FORMS = {
  'a script that ends with an expression': ['const twice = args.n * 2;\ntwice;', 4],
  'a script that ends with a call, and its functions below': [
    'main(args.n)\nfunction main(n: number) { return n + 1 }',
    3,
  ],
  'a script that ends with a promise': ['async function main() { return args.n }\nmain()', 2],
  'a script that ends with a top-level await': [
    'const n = await Promise.resolve(args.n);\nawait Promise.resolve(n + 5)',
    7,
  ],
  'a script that ends with an if': ["if (args.n > 1) { 'many' } else { 'one' }", 'many'],
  'a script that ends with a block': ['{ const n = args.n; n * 3 }', 6],
  'a script that ends with a try': ["try { JSON.parse('{') } catch { 'caught' }", 'caught'],
  'a script that returns early': ["if (args.n > 1) return 'early';\n'late'", 'early'],
  'a script that returns and ends with an expression': ["if (args.n > 9) return 'early';\n'late'", 'late'],
  'a script with imports': ["import { parse } from '@tgp/std/csv';\nparse('a\\n' + args.n)", [{ a: '2' }]],
  'a script that ends with an object': ['({ n: args.n })', { n: 2 }],
  'a script that ends with a declaration': ['args.n;\nconst unused = 1;', null],
  'a script that ends with a log line': ["console.log('done')", null],
  'exports.default': ['exports.default = (args) => args.n * 2', 4],
  'exports.default with __esModule': [
    "Object.defineProperty(exports, '__esModule', { value: true });\nexports.default = async (args) => args.n * 2;\nexports.unit = 1",
    4,
  ],
  'module.exports.default': ['module.exports.default = (args) => args.n * 2', 4],
  'module.exports with a default': ['module.exports = { default: (args) => args.n * 2, unit: 1 }', 4],
  'a compiled module': ["'use strict';\nmodule.exports = { __esModule: true, default: { fixed: 1 } }", { fixed: 1 }],
  'data with a key named default': [
    "module.exports = { default: 'light', other: 'dark' }",
    { default: 'light', other: 'dark' },
  ],
  'exports without a default': ['exports.a = 1', { a: 1 }],
};

describe('forms of a tool file, as in the TypeScript package', () => {
  for (const [name, [source, expected]] of Object.entries(FORMS)) {
    it(name, async () => {
      const { forge } = await createKernel(LONG_TIMEOUT);
      expect((await forge(String(source), { n: 2 })).result).toEqual(expected);
    });
  }

  it('plain JavaScript in sloppy mode', async () => {
    const { kernel, tools } = await createKernel(LONG_TIMEOUT);
    await tools.write_file.execute({ path: 'tools/s.js', content: 'var octal = 010;\noctal + args.n' });
    expect((await kernel.exec('tools/s.js', { n: 2 })).result).toBe(10);
  });

  it('a script that ends with its result passes the check, one without a result does not', async () => {
    const { tools } = await createKernel({ rules: { types: 'off' } });
    const check = async (/** @type {string} */ content) => {
      await tools.write_file.execute({ path: 'tools/s.ts', content });
      return (await tools.check_tool.execute({ path: 'tools/s.ts' })).errors;
    };
    expect(await check('/** Doubles. */\nconst twice = args.n * 2;\ntwice;\n')).toEqual([]);
    expect(await check('/** Fetches. */\nasync function main() {\n  return 1;\n}\nmain();\n')).toEqual([]);
    expect(await check('/** Nothing. */\nconst twice = args.n * 2;\n')).toEqual([
      expect.stringMatching(/ends with no value/),
    ]);
  });

  it('a module without a default export is an error that says what to write', async () => {
    const { forge } = await createKernel(LONG_TIMEOUT);
    await expect(forge("import { mean } from '@tgp/std/stats';\nconst x = mean([1]);")).rejects.toThrow(
      /no default export/,
    );
  });

  it('errors in a last expression have their position', async () => {
    const { forge } = await createKernel(LONG_TIMEOUT);
    const error = await forge('interface A { n: number }\n\nif (args.n) {\n  null.x\n}', { n: 1 }).catch(
      (error) => error,
    );
    expect(error).toMatchObject({ code: 'ERR_TOOL_THROWN', line: 4, column: 8 });
  });
});

describe('import.meta', () => {
  it('has the location of the tool, and is not an import', async () => {
    const { tools, kernel } = await createKernel(LONG_TIMEOUT);
    await tools.write_file.execute({ path: 'tools/a/rates.json', content: '{"vat":7}' });
    await tools.write_file.execute({
      path: 'tools/a/meta.ts',
      content:
        "/** Reads what is beside it. */\nexport default (): unknown[] => [import.meta.url, import.meta.filename, JSON.parse(tgp.read_file(new URL('./rates.json', import.meta.url).pathname))];\n",
    });
    expect((await kernel.exec('tools/a/meta.ts')).result).toEqual([
      'file:///lib/a/meta.ts',
      'tools/a/meta.ts',
      { vat: 7 },
    ]);
    expect((await kernel.check('tools/a/meta.ts')).errors).toEqual([]);
  });
});
