import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const GOOD = 'export default (args: { n: number }) => args.n + 1';

/** Each bomb, and the codes that are a right answer to it. */
const BOMBS = [
  ['an endless loop', 'while (true) {}', ['ERR_ISOLATE_TIMEOUT']],
  ['endless microtasks', 'const again = () => Promise.resolve().then(again); return again()', ['ERR_ISOLATE_TIMEOUT']],
  ['an endless regular expression', "return /^(a+)+$/.test('a'.repeat(40) + 'b')", ['ERR_ISOLATE_TIMEOUT']],
  ['a loop in optimised code', 'let i = 0; for (;;) { i = (i * 3 + 1) | 0 }', ['ERR_ISOLATE_TIMEOUT']],
  ['a 100 MB buffer', 'return new Uint8Array(100 * 1024 * 1024).length', ['ERR_ISOLATE_MEMORY']],
  [
    'many small buffers',
    'const a = []; while (true) a.push(new Uint8Array(65536))',
    ['ERR_ISOLATE_MEMORY', 'ERR_ISOLATE_TIMEOUT'],
  ],
  [
    'a growing array',
    'const a = []; while (true) a.push(new Array(1000).fill(1))',
    ['ERR_ISOLATE_MEMORY', 'ERR_ISOLATE_TIMEOUT'],
  ],
  [
    'a doubling string',
    "let s = 'x'; const k = []; while (true) { s += s; k.push(s.split('')) }",
    ['ERR_ISOLATE_MEMORY', 'ERR_ISOLATE_TIMEOUT', 'ERR_TOOL_THROWN'],
  ],
  [
    'Array(1e9).fill',
    'return Array(1e9).fill(0).length',
    ['ERR_ISOLATE_MEMORY', 'ERR_ISOLATE_TIMEOUT', 'ERR_ISOLATE_CRASHED'],
  ],
  [
    'indexOf over a huge length',
    'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    ['ERR_ISOLATE_TIMEOUT'],
  ],
  [
    'sort over a huge length',
    'return Array.prototype.sort.call({ length: 2 ** 31 })',
    ['ERR_ISOLATE_MEMORY', 'ERR_ISOLATE_CRASHED', 'ERR_ISOLATE_TIMEOUT', 'ERR_TOOL_THROWN'],
  ],
  [
    'Array.from over a huge length',
    'return Array.from({ length: 2 ** 32 - 1 }).length',
    ['ERR_ISOLATE_MEMORY', 'ERR_ISOLATE_TIMEOUT', 'ERR_ISOLATE_CRASHED'],
  ],
  ['endless recursion', 'const f = () => f() + 1; return f()', ['ERR_TOOL_THROWN']],
];

for (const isolation of /** @type {const} */ (['process'])) {
  describe(`bombs in a ${isolation}`, () => {
    for (const [name, source, codes] of BOMBS) {
      it(`${name} is a typed error and the next run works`, async () => {
        const { kernel, tools, forge } = await createKernel({ sandbox: { isolation, timeoutMs: 200 } });
        await tools.write_file.execute({ path: 'tools/good.ts', content: GOOD });
        const error = await forge(String(source)).catch((error) => error);
        expect(codes, error.message).toContain(error.code);
        if (error.code === 'ERR_ISOLATE_TIMEOUT') expect(error.message).toContain('timed out');
        expect((await kernel.exec('tools/good.ts', { n: 1 })).result).toBe(2);
      });
    }
  });
}

describe('limits', () => {
  it('timeoutMs counts CPU time and not waiting', async () => {
    const { forge } = await createKernel();
    const waits = 'export default () => new Promise((done) => setTimeout(() => done(1), 400))';
    const { result, stats } = await forge(waits, {}, { timeoutMs: 40 });
    expect(result).toBe(1);
    expect(stats.wallMs).toBeGreaterThan(390);
    expect(stats.cpuMs).toBeLessThan(40);
  });

  it('wallMs counts waiting', async () => {
    const { forge } = await createKernel();
    const waits = 'export default () => new Promise((done) => setTimeout(() => done(1), 60000))';
    await expect(forge(waits, {}, { wallMs: 60 })).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
  });

  it('memoryMb of one run may be more or less than the configured', async () => {
    const { forge } = await createKernel();
    const source = 'return new Uint8Array(args.mb << 20).length';
    expect((await forge(source, { mb: 100 }, { memoryMb: 160 })).result).toBe(100 << 20);
    await expect(forge(source, { mb: 20 }, { memoryMb: 16 })).rejects.toMatchObject({ code: 'ERR_ISOLATE_MEMORY' });
    expect((await forge(source, { mb: 20 })).result).toBe(20 << 20);
  });

  it('resizable and shared buffers, WebAssembly and Atomics are not offered', async () => {
    const { forge } = await createKernel();
    const source =
      "return ['SharedArrayBuffer', 'WebAssembly', 'Atomics', 'eval', 'process', 'Buffer', 'fs'].filter((name) => name in globalThis)";
    expect((await forge(source)).result).toEqual([]);
    const resizable = 'new ArrayBuffer(8, { maxByteLength: 1e9 })';
    await expect(forge(`return ${resizable}.byteLength`)).rejects.toThrow(/Resizable/);
    await expect(
      forge('return new (new Uint8Array(1).buffer.constructor)(8, { maxByteLength: 64 }).byteLength'),
    ).rejects.toThrow(/Resizable/);
    expect((await forge('return new ArrayBuffer(8).slice(2).byteLength')).result).toBe(6);
  });

  it('resultBytes, argsBytes and logBytes hold', async () => {
    const { forge } = await createKernel({ sandbox: { resultBytes: 1000, argsBytes: 1000, logBytes: 1000 } });
    await expect(forge("return 'x'.repeat(2000)")).rejects.toMatchObject({
      code: 'ERR_RESULT',
      message: /resultBytes/,
    });
    await expect(forge('return 1', { a: 'x'.repeat(2000) })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: /argsBytes/,
    });
    const { logs } = await forge("for (let i = 0; i < 100; i++) console.log('x'.repeat(90)); return 1");
    expect(logs.length).toBeLessThan(15);
    expect(logs.at(-1)?.message).toContain('log truncated');
  });

  it('a value out of range or unknown is refused by name', async () => {
    const { kernel } = await createKernel();
    await expect(kernel.exec('tools/x.ts', {}, { memoryMb: 1 })).rejects.toThrow(/memoryMb/);
    await expect(kernel.exec('tools/x.ts', {}, /** @type {any} */ ({ memory: 1 }))).rejects.toThrow(/memory/);
    const contradictory = await createKernel({ sandbox: { workers: 1, warm: 3 } });
    await expect(contradictory.kernel.boot()).rejects.toMatchObject({ code: 'ERR_CONFIG', message: /sandbox\.warm/ });
  });

  it('a seed makes chance repeatable, and no seed does not', async () => {
    const { forge } = await createKernel();
    const source = 'return [Math.random(), Math.random()]';
    const { result } = await forge(source, {}, { seed: 42 });
    expect((await forge(source, {}, { seed: 42 })).result).toEqual(result);
    expect((await forge(source, {}, { seed: 43 })).result).not.toEqual(result);
    expect((await forge(source)).result).not.toEqual((await forge(source)).result);
  });
});

describe('an AbortSignal', () => {
  it('before, during and after a run', async () => {
    const { forge } = await createKernel();
    const reason = new Error('enough');
    await expect(forge('return 1', {}, { signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
      code: 'ERR_ABORTED',
    });
    for (const source of ['while (true) {}', 'return new Promise((done) => setTimeout(done, 60000))']) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 100);
      const started = performance.now();
      const run = forge(source, {}, { signal: controller.signal, timeoutMs: 20_000 });
      await expect(run).rejects.toMatchObject({ code: 'ERR_ABORTED' });
      expect(performance.now() - started).toBeLessThan(10_000);
    }
    const late = new AbortController();
    expect((await forge('return 1', {}, { signal: late.signal })).result).toBe(1);
    late.abort();
    expect((await forge('return 2')).result).toBe(2);
  });
});
