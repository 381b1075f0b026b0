import { describe, expect, it } from 'vitest';
import { CompilationError, SecurityViolation, ToolError } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

describe('every form of a tool returns its result', () => {
  const FORMS = [
    ['default function', 'export default function (args: { n: number }) { return args.n * 2 }', 4],
    ['default arrow', 'export default (args: { n: number }): number => args.n * 2;', 4],
    ['async', 'export default async ({ n }: { n: number }) => { await Promise.resolve(); return n * 2 }', 4],
    ['module.exports', 'module.exports = (args) => args.n * 2', 4],
    ['script with a top-level return', 'const twice: number = args.n * 2;\nreturn twice;', 4],
    ['script with a top-level await', 'const n = await Promise.resolve(args.n);\nreturn n * 2;', 4],
    ['module with a top-level await', 'const two = await Promise.resolve(2);\nexport default () => two * 2', 4],
    ['a default export that is not a function', 'export default { a: [1, 2] }', { a: [1, 2] }],
    ['enum and namespace', 'enum E { A = 4 }\nnamespace N { export const a = E.A }\nexport default () => N.a', 4],
    ['nothing returned', 'export default () => {}', null],
    ['timers', 'export default () => new Promise((done) => setTimeout(() => done(4), 5))', 4],
  ];
  for (const [name, source, expected] of FORMS) {
    it(String(name), async () => {
      const { forge } = await createKernel();
      const { result, logs, stats } = await forge(String(source), { n: 2 });
      expect(result).toEqual(expected);
      expect(logs).toEqual([]);
      expect(stats).toMatchObject({ cpuMs: expect.any(Number), wallMs: expect.any(Number), hostCalls: 0 });
      expect(stats.heapPeakBytes).toBeGreaterThan(0);
    });
  }
});

describe('failures point at the TypeScript source', () => {
  it('a syntax error is a CompilationError with its line and column', async () => {
    const { forge } = await createKernel();
    const source = 'type A = number;\nconst fine: A = 1;\nconst x = ;\n';
    const error = await forge(source).catch((error) => error);
    expect(error).toBeInstanceOf(CompilationError);
    expect(error).toMatchObject({ code: 'ERR_COMPILATION', line: 3, column: 11 });
  });

  it('a thrown error is a ToolError with message, mapped stack and logs', async () => {
    const { forge } = await createKernel();
    const source = [
      'interface Args { n: number }',
      'type Unused = { a: string };',
      '',
      'function inner(n: number): never {',
      "  console.warn('about to fail', { n });",
      "  throw new TypeError('bad ' + n);",
      '}',
      'export default (args: Args) => inner(args.n);',
    ].join('\n');
    const error = await forge(source, { n: 7 }).catch((error) => error);
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ code: 'ERR_TOOL_THROWN', message: 'bad 7', line: 6, column: 9 });
    expect(error.details.logs).toEqual([{ level: 'warn', message: 'about to fail { n: 7 }' }]);
    const frames = error.details.stack.split('\n');
    expect(frames[0]).toBe('TypeError: bad 7');
    expect(frames[1]).toBe('    at inner (tools/test/forged.ts:6:9)');
    expect(frames[2]).toContain('tools/test/forged.ts:8:');
    expect(frames).toHaveLength(3);
  });

  it('a thrown value that is not an error is reported as text', async () => {
    const { forge } = await createKernel();
    await expect(forge('export default () => { throw { why: [1] } }')).rejects.toMatchObject({
      code: 'ERR_TOOL_THROWN',
      message: '{ why: [ 1 ] }',
    });
  });

  it('a promise that nothing can settle is an error', async () => {
    const { forge } = await createKernel();
    await expect(forge('export default () => new Promise(() => {})')).rejects.toThrow(/nothing can settle/);
  });

  it('the error for a tool without a default export shows what to write', async () => {
    const { forge } = await createKernel();
    await expect(forge('export const helper = 1')).rejects.toThrow(/export default function/);
  });

  it('a missing tool is ERR_NOT_FOUND', async () => {
    const { kernel } = await createKernel();
    await expect(kernel.exec('tools/none.ts')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  });
});

describe('tools import tools', () => {
  it('by relative path, from /lib, with index files, JSON and cycles', async () => {
    const { kernel, tools } = await createKernel();
    const files = {
      'tools/math/multiply.ts': 'export default (a: number, b: number) => a * b;\nexport const unit = 1;',
      'tools/math/index.ts': "export { default as multiply, unit } from './multiply';",
      'tools/data/rates.json': '{ "vat": 3 }',
      'tools/cycle/a.ts': "import { b } from './b';\nexport const a = () => 'a' + b();\nexport default a;",
      'tools/cycle/b.ts': "import { a } from './a';\nexport const b = () => typeof a;",
      'tools/main.ts': [
        "import multiply from './math/multiply.ts';",
        "import { unit } from './math';",
        "import * as again from '/lib/math';",
        "import rates from './data/rates.json';",
        "import a from './cycle/a';",
        'export default (args: { n: number }) => [multiply(args.n, rates.vat), again.multiply(2, unit), a()];',
      ].join('\n'),
    };
    for (const [path, content] of Object.entries(files)) await tools.write_file.execute({ path, content });
    const { result } = await kernel.exec('tools/main.ts', { n: 5 });
    expect(result).toEqual([15, 2, 'afunction']);
  });

  it('but not Node modules, host files or packages', async () => {
    const { forge } = await createKernel();
    for (const name of ['fs', 'node:child_process', '../../../etc/passwd', '/etc/passwd', 'left-pad']) {
      const error = await forge(`import x from '${name}';\nexport default () => x`).catch((error) => error);
      expect(error).toBeInstanceOf(SecurityViolation);
      expect(error.message).toMatch(/^Security Violation/);
      expect(error.message).toContain(name);
    }
    const dynamic = 'export default (args: { name: string }) => require(args.name)';
    await expect(forge(dynamic, { name: 'fs' })).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  });

  it('the error for a missing import has its line', async () => {
    const { forge } = await createKernel();
    const error = await forge("\nimport x from './none';\nexport default () => x").catch((error) => error);
    expect(error).toMatchObject({ code: 'ERR_COMPILATION', line: 2 });
  });
});

describe('the guest reads files of the root', () => {
  it('with and without await, but not Git files or files outside', async () => {
    const { tools, forge } = await createKernel();
    await tools.write_file.execute({ path: 'data.json', content: '{"a":1}' });
    const source =
      "export default async () => [JSON.parse(tgp.read_file('data.json')).a, (await tgp.list_files('/lib')).length]";
    expect((await forge(source)).result).toEqual([1, 1]);
    for (const path of ['.git/config', '../x', '/etc/passwd', 'tools/../../x', 'a\0b']) {
      const read = `export default () => tgp.read_file(${JSON.stringify(path)})`;
      await expect(forge(read), path).rejects.toMatchObject({ code: expect.stringMatching(/SECURITY|VALIDATION/) });
    }
    const caught = "export default () => { try { tgp.read_file('none.txt') } catch (e) { return e.code } }";
    expect((await forge(caught)).result).toBe('ERR_NOT_FOUND');
  });
});
