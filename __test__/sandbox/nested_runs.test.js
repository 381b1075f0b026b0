import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

describe('tgp.exec_tool', () => {
  it('returns the result, passes logs to the caller and rethrows errors of the inner tool', async () => {
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

  it('has the stack of the innermost tool, through every calling tool', async () => {
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
      '    at outer (tools/outer.ts:3:20)',
      'Caused by: Error: too many: 7',
      '      at middle (tools/middle.ts:3:20)',
      'Caused by: RangeError: too many: 7',
      '      at check (tools/inner.ts:4:9)',
      expect.stringMatching(/^ {6}at .*tools\/inner\.ts:6:\d+/),
    ]);
    await write('tools/slow.ts', 'export default function slow() {\n  for (;;) {}\n}\n');
    await write(
      'tools/asks.ts',
      "export default async () => {\n  try {\n    await tgp.exec_tool('tools/slow.ts');\n  } catch (error: any) {\n    console.log(error.cause);\n    return [error.code, error.cause.code, error.cause.stack];\n  }\n};\n",
    );
    const { result, logs } = await kernel.exec('tools/asks.ts');
    const stack = /^ERR_ISOLATE_TIMEOUT: tools\/slow\.ts timed out.*\n {6}at slow \(tools\/slow\.ts:2:\d+\)/;
    expect(logs).toMatchObject([{ message: expect.stringMatching(stack) }]);
    expect(result).toEqual(['ERR_ISOLATE_TIMEOUT', 'ERR_ISOLATE_TIMEOUT', expect.stringMatching(stack)]);
  });

  for (const isolation of /** @type {const} */ (['process', 'thread'])) {
    it(`does not deadlock when every worker of the pool runs a parent (${isolation})`, async () => {
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

  it('nests as deep as sandbox.callDepth', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { callDepth: 2 } });
    await tools.write_file.execute({
      path: 'tools/self.ts',
      content:
        "export default (a: { n: number }) => a.n === 0 ? 'end' : tgp.exec_tool('tools/self.ts', { n: a.n - 1 })",
    });
    expect((await kernel.exec('tools/self.ts', { n: 2 })).result).toBe('end');
    await expect(kernel.exec('tools/self.ts', { n: 3 })).rejects.toMatchObject({
      code: 'ERR_LIMIT',
      message: expect.stringMatching(/callDepth/),
    });
  });

  it('is stopped by a limit when it fans out at every level, and no nested run continues', async () => {
    /** @type {number[]} */
    const seen = [];
    const note = (/** @type {number} */ n) => seen.push(n);
    const { kernel, tools } = await createKernel({ sandbox: { workers: 2 } }, { sandboxAPI: { note } });
    await tools.write_file.execute({
      path: 'tools/fan.ts',
      content: `export default async (a: { n: number }) => {
        await tgp.note(a.n);
        for (;;) await Promise.allSettled(Array.from({ length: 60 }, () => tgp.exec_tool('tools/fan.ts', { n: a.n + 1 })));
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
    expect((await kernel.exec('tools/leaves.ts')).result).toBe(1);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    await expect(kernel.exec('tools/waits.ts', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'ERR_ABORTED',
    });
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('reports one run to the application: the outermost', async () => {
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

describe('THREAT: a tool that fans out through tgp.exec_tool', () => {
  const LEAF = 'export default () => 1';
  const fanOut = (
    /** @type {string} */ path,
    /** @type {string} */ args,
  ) => `export default async (a: { n: number }) => {
    await tgp.begun();
    for (;;) await Promise.allSettled(Array.from({ length: 60 }, () => tgp.exec_tool('${path}', ${args})));
  }`;
  const SHAPES = /** @type {const} */ ([
    ['with short runs', { 'tools/fan.ts': fanOut('tools/leaf.ts', '{}') }],
    ['at every level', { 'tools/fan.ts': fanOut('tools/fan.ts', '{ n: a.n + 1 }') }],
    [
      'with runs that compute',
      {
        'tools/fan.ts': fanOut('tools/burn.ts', '{}'),
        'tools/burn.ts': 'export default () => { for (let i = 0; i < 3e6; i++) Math.sqrt(i) }',
      },
    ],
    [
      'with runs that sleep',
      {
        'tools/fan.ts': fanOut('tools/sleep.ts', '{}'),
        'tools/sleep.ts': 'export default () => new Promise((done) => setTimeout(done, 60_000))',
      },
    ],
  ]);
  const POOLS = /** @type {const} */ ([
    ['process', 2],
    ['process', 1],
    ['thread', 2],
  ]);

  for (const [isolation, size] of POOLS) {
    // With one worker, a sleeping run occupies the whole pool.
    for (const [shape, files] of SHAPES.filter(([name]) => size > 1 || name !== 'with runs that sleep')) {
      it(`${shape} does not delay other runs (${isolation}, workers: ${size})`, async () => {
        /** @type {() => void} */
        let begun = () => {};
        const underWay = new Promise((done) => {
          begun = () => done(undefined);
        });
        const sandbox = { isolation, workers: size, nestedTimeoutMs: 60_000 };
        const { kernel, tools } = await createKernel({ sandbox }, { sandboxAPI: { begun: () => begun() } });
        for (const [path, content] of Object.entries({ ...files, 'tools/leaf.ts': LEAF })) {
          await tools.write_file.execute({ path, content });
        }
        await kernel.exec('tools/leaf.ts');
        const controller = new AbortController();
        const options = { wallMs: 60_000, timeoutMs: 300, signal: controller.signal };
        let over = false;
        const fan = kernel.exec('tools/fan.ts', { n: 0 }, options).then(
          () => 'ended',
          ({ code }) => {
            over = true;
            return code;
          },
        );
        await underWay;
        for (let n = 0; n < 5; n++) expect((await kernel.exec('tools/leaf.ts')).result).toBe(1);
        expect(over).toBe(false);
        controller.abort();
        expect(await fan).toBe('ERR_ABORTED');
        expect((await kernel.exec('tools/leaf.ts')).result).toBe(1);
      });
    }
  }

  it('leaves workers for another tool that runs tools', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { workers: 1, nestedTimeoutMs: 60_000 } });
    await tools.write_file.execute({ path: 'tools/leaf.ts', content: LEAF });
    const files = {
      'tools/fan.ts':
        "export default async () => { for (;;) await Promise.all(Array.from({ length: 30 }, () => tgp.exec_tool('tools/leaf.ts'))) }",
      'tools/few.ts':
        "export default async () => [await tgp.exec_tool('tools/leaf.ts'), await tgp.exec_tool('tools/leaf.ts')]",
    };
    for (const [path, content] of Object.entries(files)) await tools.write_file.execute({ path, content });
    const controller = new AbortController();
    const fan = kernel
      .exec('tools/fan.ts', {}, { timeoutMs: 10_000, wallMs: 15_000, signal: controller.signal })
      .catch(({ code }) => code);
    for (let n = 0; n < 3; n++) expect((await kernel.exec('tools/few.ts')).result).toEqual([1, 1]);
    controller.abort();
    expect(await fan).toBe('ERR_ABORTED');
  });
});

describe('the budget of a run and its nested runs', () => {
  const OUTCOMES =
    "const outcomes = async (calls: Promise<unknown>[]) => (await Promise.allSettled(calls)).map((o: any) => o.status === 'fulfilled' ? 'done' : [o.reason.code, o.reason.message]);";

  it('nestedRuns limits the concurrent runs of all levels', async () => {
    // The runs of a round end only after all of them were requested, however busy the machine is.
    const opened = new Set();
    const sandboxAPI = {
      isOpen: (/** @type {number} */ round) => opened.has(round),
      open: (/** @type {number} */ round) => void opened.add(round),
    };
    const sandbox = { nestedRuns: 4, workers: 2, timeoutMs: 2000 };
    const { kernel, tools } = await createKernel({ sandbox }, { sandboxAPI });
    const callRuns = `const asked = async (round: number, runs: number) => {
      const calls = Array.from({ length: runs }, () => tgp.exec_tool('tools/inner.ts', { round, runs: 0 }));
      await tgp.open(round);
      return outcomes(calls);
    };`;
    await tools.write_file.execute({
      path: 'tools/inner.ts',
      content: `${OUTCOMES} ${callRuns} export default async (a: { round: number; runs: number }) => {
        if (a.runs > 0) return asked(a.round, a.runs);
        while (!(await tgp.isOpen(a.round))) await new Promise((done) => setTimeout(done, 5));
      }`,
    });
    await tools.write_file.execute({
      path: 'tools/outer.ts',
      content: `${OUTCOMES} ${callRuns} export default async () => [
        await asked(1, 6),
        await tgp.exec_tool('tools/inner.ts', { round: 2, runs: 5 }),
        await asked(3, 4),
      ]`,
    });
    const { result } = await kernel.exec('tools/outer.ts');
    const refused = ['ERR_LIMIT', expect.stringContaining('sandbox.nestedRuns')];
    expect(result).toEqual([
      [...Array(4).fill('done'), refused, refused],
      [...Array(3).fill('done'), refused, refused],
      Array(4).fill('done'),
    ]);
  });

  it('nestedTimeoutMs limits the CPU time of all nested runs of all levels', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { nestedTimeoutMs: 1_000, timeoutMs: 600 } });
    await tools.write_file.execute({
      path: 'tools/burn.ts',
      content: 'export default () => { for (;;) {} }',
    });
    await tools.write_file.execute({
      path: 'tools/asks.ts',
      content: `export default async (a: { depth: number }) => {
        const codes: any[] = [];
        for (let n = 0; n < 6; n++) {
          try { await tgp.exec_tool(a.depth > 0 ? 'tools/asks.ts' : 'tools/burn.ts', { depth: a.depth - 1 }) } catch (error: any) { codes.push([error.code, error.message]) }
        }
        return codes;
      }`,
    });
    const { result } = await kernel.exec('tools/asks.ts', { depth: 0 });
    expect(result).toEqual([
      ['ERR_ISOLATE_TIMEOUT', expect.stringContaining('timeoutMs')],
      ['ERR_ISOLATE_TIMEOUT', expect.stringContaining('sandbox.nestedTimeoutMs')],
      ...Array(4).fill(['ERR_LIMIT', expect.stringContaining('sandbox.nestedTimeoutMs')]),
    ]);
    const deeper = await kernel.exec('tools/asks.ts', { depth: 1 });
    expect(deeper.result.at(-1)).toEqual(['ERR_LIMIT', expect.stringContaining('sandbox.nestedTimeoutMs')]);
  });

  it('pendingBytes limits the arguments of open calls, of nested runs and of application functions', async () => {
    const sandbox = { pendingBytes: 1_000_000, argsBytes: 400_000, workers: 2 };
    let open = () => {};
    const opened = new Promise((done) => {
      open = () => done(undefined);
    });
    const sandboxAPI = { wait: async () => void (await opened), open: () => open() };
    const { kernel, tools } = await createKernel({ sandbox }, { sandboxAPI });
    await tools.write_file.execute({ path: 'tools/waits.ts', content: 'export default () => tgp.wait()' });
    await tools.write_file.execute({
      path: 'tools/passes.ts',
      content: `${OUTCOMES} export default async () => {
        const much = 'x'.repeat(300_000);
        const both = () => [tgp.wait(much), tgp.exec_tool('tools/waits.ts', { much }), tgp.wait(much), tgp.wait(much), tgp.exec_tool('tools/waits.ts', { much })];
        const calls = both();
        for (const call of calls) call.catch(() => {});
        await tgp.open();
        return [await outcomes(calls), await outcomes([tgp.exec_tool('tools/waits.ts', { much })])];
      }`,
    });
    const refused = ['ERR_LIMIT', expect.stringContaining('sandbox.pendingBytes')];
    expect((await kernel.exec('tools/passes.ts')).result).toEqual([
      ['done', 'done', 'done', refused, refused],
      ['done'],
    ]);
  });

  it('a nested run ends at the wall limit of its root, however long it waited in the queue', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { workers: 1, waiting: 0 } });
    await tools.write_file.execute({
      path: 'tools/sleep.ts',
      content: 'export default () => new Promise((done) => setTimeout(done, 400))',
    });
    await tools.write_file.execute({
      path: 'tools/asks.ts',
      content: `export default async () => Promise.all(Array.from({ length: 10 }, () => tgp.exec_tool('tools/sleep.ts')))`,
    });
    await expect(kernel.exec('tools/asks.ts', {}, { wallMs: 1000 })).rejects.toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
    });
    await expect.poll(() => workers().length).toBeLessThanOrEqual(1);
  });
});

describe('promises', () => {
  it('run concurrently: ten host calls that wait for each other', async () => {
    const rootDir = await tempRoot();
    let met = 0;
    let open = () => {};
    const all = new Promise((done) => {
      open = () => done(1);
    });
    const wait = () => {
      met += 1;
      if (met === 10) open();
      return all;
    };
    const kernel = new TGP({
      config: { rootDir },
      sandboxAPI: { wait },
    });
    onTestFinished(() => kernel.shutdown());
    await tgpTools(kernel).write_file.execute({
      path: 'tools/ten.ts',
      content: 'export default () => Promise.all(Array.from({ length: 10 }, () => tgp.wait()))',
    });
    expect((await kernel.exec('tools/ten.ts')).result).toEqual(Array(10).fill(1));
  });
});
