import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

describe('tgp.exec_tool', () => {
  it('gives the result, hands logs up, and throws what the inner tool threw', async () => {
    const { tools, forge } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/double.ts',
      content: "export default (a: { n: number }) => { console.warn('inner'); return a.n * 2 }",
    });
    await tools.write_file.execute({
      path: 'tools/fails.ts',
      content: "export default () => { console.error('last words'); throw new RangeError('no') }",
    });
    const { result, logs } = await forge(`
      const values = await Promise.all([1, 2, 3].map((n) => tgp.exec_tool('tools/double.ts', { n })));
      let failure;
      try { await tgp.exec_tool('tools/fails.ts') } catch (error: any) { failure = [error.message, error.code] }
      let missing;
      try { await tgp.exec_tool('tools/none.ts') } catch (error: any) { missing = error.code }
      return [values, failure, missing];`);
    expect(result).toEqual([[2, 4, 6], ['no', 'ERR_TOOL_THROWN'], 'ERR_NOT_FOUND']);
    expect(logs.map(({ level, message }) => `${level} ${message}`)).toEqual([
      ...Array(3).fill('warn inner'),
      'error last words',
    ]);
    await expect(forge("export default () => tgp.exec_tool('tools/fails.ts')")).rejects.toMatchObject({
      code: 'ERR_TOOL_THROWN',
      message: 'no',
    });
    await expect(forge('export default () => tgp.exec_tool(5 as any)')).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
    });
  });

  it('tells where the innermost tool failed, through every tool that called it', async () => {
    const { kernel, tools } = await createKernel();
    const write = (/** @type {string} */ path, /** @type {string} */ content) =>
      tools.write_file.execute({ path, content });
    await write(
      'tools/inner.ts',
      "type Args = { n: number };\n\nconst check = (args: Args): never => {\n  throw new RangeError('too many: ' + args.n);\n};\nexport default (args: Args) => check(args);\n",
    );
    await write(
      'tools/middle.ts',
      "type Args = { n: number };\nexport default async function middle(args: Args) {\n  return await tgp.exec_tool('tools/inner.ts', args);\n}\n",
    );
    await write(
      'tools/outer.ts',
      "// A comment.\nexport default async function outer() {\n  return await tgp.exec_tool('tools/middle.ts', { n: 7 });\n}\n",
    );
    const report = await tools.exec_tool.execute({ path: 'tools/outer.ts' });
    expect(report).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN', error: 'too many: 7', line: 3 });
    const frames = 'stack' in report ? String(report.stack).split('\n') : [];
    expect(frames).toEqual([
      'Error: too many: 7',
      '    at async outer (tools/outer.ts:3:10)',
      'Caused by: Error: too many: 7',
      '      at async middle (tools/middle.ts:3:10)',
      'Caused by: RangeError: too many: 7',
      '      at check (tools/inner.ts:4:9)',
      expect.stringMatching(/^ {6}at .*tools\/inner\.ts:6:\d+/),
    ]);
    await write('tools/slow.ts', 'export default function slow() {\n  for (;;) {}\n}\n');
    await write(
      'tools/asks.ts',
      "export default async () => {\n  try {\n    await tgp.exec_tool('tools/slow.ts');\n  } catch (error: any) {\n    return [error.code, error.cause.code, error.cause.stack];\n  }\n};\n",
    );
    const { result } = await kernel.exec('tools/asks.ts');
    expect(result).toEqual([
      'ERR_ISOLATE_TIMEOUT',
      'ERR_ISOLATE_TIMEOUT',
      expect.stringMatching(/^ERR_ISOLATE_TIMEOUT: tools\/slow\.ts timed out.*\n {6}at slow \(tools\/slow\.ts:2:\d+\)/),
    ]);
  });

  for (const isolation of /** @type {const} */ (['process', 'thread'])) {
    it(`does not wait for itself when every worker of the pool is a parent (${isolation})`, async () => {
      const { kernel, tools } = await createKernel({ sandbox: { isolation, workers: 1, timeoutMs: 2000 } });
      await tools.write_file.execute({ path: 'tools/leaf.ts', content: 'export default () => 1' });
      await tools.write_file.execute({
        path: 'tools/parent.ts',
        content: `export default async (a: { depth: number }) =>
          a.depth === 0 ? tgp.exec_tool('tools/leaf.ts') : (await Promise.all([1, 2].map(() => tgp.exec_tool('tools/parent.ts', { depth: a.depth - 1 })))).reduce((x, y) => x + y)`,
      });
      const runs = await Promise.all([1, 2, 3].map(() => kernel.exec('tools/parent.ts', { depth: 3 })));
      expect(runs.map(({ result }) => result)).toEqual([8, 8, 8]);
      expect((await kernel.exec('tools/leaf.ts')).result).toBe(1);
    });
  }

  it('goes as deep as sandbox.callDepth', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { callDepth: 2 } });
    await tools.write_file.execute({
      path: 'tools/self.ts',
      content:
        "export default (a: { n: number }) => a.n === 0 ? 'end' : tgp.exec_tool('tools/self.ts', { n: a.n - 1 })",
    });
    expect((await kernel.exec('tools/self.ts', { n: 2 })).result).toBe('end');
    await expect(kernel.exec('tools/self.ts', { n: 3 })).rejects.toMatchObject({
      code: 'ERR_LIMIT',
      message: /callDepth/,
    });
  });

  it('that starts as many as it may at every level ends by a limit, and nothing of it goes on', async () => {
    /** @type {number[]} */
    const seen = [];
    const note = (/** @type {number} */ n) => seen.push(n);
    const { kernel, tools } = await createKernel({ sandbox: { workers: 2 } }, { sandboxAPI: { note } });
    await tools.write_file.execute({
      path: 'tools/fan.ts',
      content: `export default async (a: { n: number }) => {
        await tgp.note(a.n);
        await Promise.allSettled(Array.from({ length: 60 }, () => tgp.exec_tool('tools/fan.ts', { n: a.n + 1 })));
        return a.n;
      }`,
    });
    await tools.write_file.execute({ path: 'tools/good.ts', content: 'export default () => 1' });
    await expect(kernel.exec('tools/fan.ts', { n: 0 }, { wallMs: 1500 })).rejects.toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
    });
    const then = seen.length;
    expect(then).toBeGreaterThan(1);
    expect((await kernel.exec('tools/good.ts')).result).toBe(1);
    await new Promise((done) => setTimeout(done, 300));
    expect(seen.length).toBe(then);
  });

  it('shares the wall limit of its parent and ends with it', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/slow.ts',
      content: 'export default () => new Promise((done) => setTimeout(done, 60000))',
    });
    await tools.write_file.execute({
      path: 'tools/waits.ts',
      content: "export default () => tgp.exec_tool('tools/slow.ts')",
    });
    await tools.write_file.execute({
      path: 'tools/leaves.ts',
      content: "export default () => { tgp.exec_tool('tools/slow.ts'); return 1 }",
    });
    const started = performance.now();
    await expect(kernel.exec('tools/waits.ts', {}, { wallMs: 300 })).rejects.toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
    });
    await expect(kernel.exec('tools/leaves.ts', {}, { wallMs: 300 })).rejects.toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    await expect(kernel.exec('tools/waits.ts', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'ERR_ABORTED',
    });
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('tells the application one run: the outermost', async () => {
    const rootDir = await tempRoot();
    /** @type {string[]} */
    const seen = [];
    const kernel = new TGP({ config: { rootDir }, sandboxAPI: { note: (text) => seen.push(text) } });
    onTestFinished(() => kernel.shutdown());
    const tools = tgpTools(kernel);
    await tools.write_file.execute({ path: 'tools/in.ts', content: "export default () => tgp.note('in')" });
    await tools.write_file.execute({
      path: 'tools/out.ts',
      content: "export default async () => { await tgp.note('out'); return tgp.exec_tool('tools/in.ts') }",
    });
    expect((await kernel.exec('tools/out.ts')).result).toBe(2);
    expect(seen).toEqual(['out', 'in']);
  });
});

describe('promises', () => {
  it('really run concurrently: ten host calls of 100 ms take about 100 ms', async () => {
    const rootDir = await tempRoot();
    const kernel = new TGP({
      config: { rootDir },
      sandboxAPI: { wait: () => new Promise((done) => setTimeout(() => done(1), 100)) },
    });
    onTestFinished(() => kernel.shutdown());
    await tgpTools(kernel).write_file.execute({
      path: 'tools/ten.ts',
      content: 'export default () => Promise.all(Array.from({ length: 10 }, () => tgp.wait()))',
    });
    const { result, stats } = await kernel.exec('tools/ten.ts');
    expect(result).toEqual(Array(10).fill(1));
    expect(stats.wallMs).toBeLessThan(800);
  });
});
