import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handleToolCall } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { git } from '../helpers/git_remote.js';

const DOUBLE = '/** Doubles. */\nexport const double = (n: number): number => n * 2;\n';

describe('run_code', () => {
  it('runs code like a tool, and leaves no files', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/lib/double.ts', content: DOUBLE });
    const head = git(rootDir, 'rev-parse', 'HEAD');
    const files = readdirSync(rootDir, { recursive: true }).length;
    const code = `import { double } from './lib/double';\nexport default async (args: { n: number }) => {\n  console.log('once');\n  return double(args.n);\n};\n`;
    expect(await tools.run_code.execute({ code, args: { n: 21 } })).toMatchObject({
      success: true,
      result: 42,
      logs: [{ message: 'once' }],
      stats: expect.any(Object),
    });
    expect((await kernel.run('return args.a + 1', { a: 1 })).result).toBe(2);
    expect((await kernel.run("return tgp.exec_tool('tools/one.ts', {}).catch((error) => error.code)")).result).toBe(
      'ERR_NOT_FOUND',
    );
    expect(git(rootDir, 'rev-parse', 'HEAD')).toBe(head);
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
    expect(
      readdirSync(rootDir, { recursive: true }).filter((name) => !String(name).startsWith('.git')).length,
    ).toBeLessThan(files);
    expect(existsSync(join(rootDir, 'tools/.code.ts'))).toBe(false);
    expect((await kernel.registry.list()).map(({ path, uses }) => [path, uses])).toEqual([['tools/lib/double.ts', 0]]);
  });

  it('validates arguments like exec_tool', async () => {
    const { tools } = await createKernel();
    const code = 'export default (args: { n: number; unit?: "kg" | "lb" }): number => args.n;';
    const run = (/** @type {any} */ args) => tools.run_code.execute({ code, args });
    expect(await run({ n: '21' })).toMatchObject({ success: true, result: 21 });
    expect(await run({ m: 1 })).toEqual({
      success: false,
      code: 'ERR_VALIDATION',
      logs: [],
      error:
        'run_code args: "n" is missing: give a number; "m" is not known, did you mean "n"? It takes { n: number; unit?: "kg" | "lb" }. Correct the arguments and call it again; nothing was run.',
    });
    expect(await run({ n: 1, unit: 'stone' })).toMatchObject({
      error: expect.stringContaining('"unit" is not valid: give one of "kg", "lb", not the text "stone".'),
    });
    expect(await tools.run_code.execute({ code: 'return args.any', args: { any: 1 } })).toMatchObject({ result: 1 });
    expect(await tools.run_code.execute({ code: 'export default (', args: { any: 1 } })).toMatchObject({
      code: 'ERR_COMPILATION',
    });
  });

  it('is described correctly: with imports the last expression is the result, not "return"', async () => {
    const { tools } = await createKernel();
    const described = JSON.stringify(tools.run_code.inputSchema);
    expect(described).toContain('statements whose last expression is the result');
    const start = "import { parse } from '@tgp/std/csv';\n";
    expect(await tools.run_code.execute({ code: `${start}const rows = parse('a\\n1');\nrows.length` })).toMatchObject({
      result: 1,
    });
    const returns = await tools.run_code.execute({ code: `${start}return parse('a\\n1').length` });
    expect(returns).toMatchObject({
      code: 'ERR_COMPILATION',
      line: 2,
      error: expect.stringContaining('Without `return` the value of the last expression is the result'),
    });
  });

  it('failures name the line of the code', async () => {
    const { kernel, tools } = await createKernel();
    const thrown = await tools.run_code.execute({ code: "const a: number = 1;\n\nthrow new Error('no ' + a);\n" });
    expect(thrown).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN', error: 'no 1', line: 3 });
    const broken = await tools.run_code.execute({ code: 'const a = 1;\nconst b = ;\n' });
    expect(broken).toMatchObject({ success: false, code: 'ERR_COMPILATION', line: 2 });
    await expect(kernel.run("import './none'")).rejects.toMatchObject({ code: 'ERR_COMPILATION', line: 1 });
  });

  it('errors advise correcting the code, not a file', async () => {
    const { tools } = await createKernel();
    for (const code of ["throw new Error('no')", 'const b = ;']) {
      const call = { type: 'tool_use', id: '1', name: 'run_code', input: { code } };
      const { content, is_error } = /** @type {any} */ (await handleToolCall(tools, /** @type {any} */ (call)));
      expect(is_error).toBe(true);
      expect(content).toContain('The code failed. Correct it and call run_code again.');
      expect(content).not.toMatch(/patch_file|check_tool/);
    }
  });

  it('has the confinement, limits and checks of a tool', async () => {
    const { kernel, tools } = await createKernel();
    const run = (code) => tools.run_code.execute({ code });
    expect(await run("import fs from 'node:fs';\nexport default () => fs;")).toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
    });
    expect(await run('return eval("1")')).toMatchObject({ success: false, code: 'ERR_SECURITY_VIOLATION' });
    await expect(kernel.run('for (;;) {}', {}, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
    });
    await expect(kernel.run('')).rejects.toMatchObject({ code: 'ERR_VALIDATION', details: { field: 'code' } });
    await expect(kernel.run('return 1', {}, { bad: 1 })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    const stop = new AbortController();
    const waiting = kernel.run('await new Promise(() => {})', {}, { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    await expect(kernel.run('return 1;'.padEnd(64 << 20))).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
  });

  it('is refused in strict mode like a tool', async () => {
    const { tools } = await createKernel({ check: 'strict' });
    const bad = 'export default (args: any) => args;\n';
    expect(await tools.run_code.execute({ code: bad })).toMatchObject({
      success: false,
      code: 'ERR_COMPILATION',
      line: 1,
    });
    const good =
      '/** Adds one. */\nexport default function next(args: { n: number }): number {\n  return args.n + 1;\n}\n';
    expect(await tools.run_code.execute({ code: good, args: { n: 1 } })).toMatchObject({ success: true, result: 2 });
  });

  it('concurrent runs are independent', async () => {
    const { kernel } = await createKernel();
    const results = await Promise.all(Array.from({ length: 12 }, (_, n) => kernel.run(`return ${n}`)));
    expect(results.map(({ result }) => result)).toEqual(Array.from({ length: 12 }, (_, n) => n));
  });
});
