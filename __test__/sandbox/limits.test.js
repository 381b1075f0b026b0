import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { deferred } from '../helpers/deferred.js';

describe('limits', () => {
  it('timeoutMs counts CPU time and not waiting', async () => {
    const { forge } = await createKernel();
    const waits = 'export default () => new Promise((done) => setTimeout(() => done(1), 400))';
    const { result, stats } = await forge(waits, {}, { timeoutMs: 40 });
    expect(result).toBe(1);
    expect(stats.wallMs).toBeGreaterThan(390);
    expect(stats.cpuMs).toBeLessThan(40);
  });

  it('timeoutMs is CPU time on a busy machine', async () => {
    const busy = Array.from({ length: availableParallelism() * 2 }, () =>
      spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' }),
    );
    try {
      const { forge } = await createKernel();
      // A short computation stays within the limit, whatever its wall-clock time.
      const works =
        'const end = args.ms; let n = 0; for (let i = 0; i < end * 20000; i++) n = (n * 31 + i) | 0; return n';
      const { stats } = await forge(works, { ms: 25 }, { timeoutMs: 400 });
      expect(stats.wallMs).toBeGreaterThanOrEqual(stats.cpuMs * 0.9);
      const { details } = await forge('while (true) {}').catch((error) => error);
      expect(details.stats.cpuMs).toBeGreaterThanOrEqual(50);
      // The watchdog allows 200 ms more after a pause of the machine.
      expect(details.stats.cpuMs).toBeLessThan(400);
    } finally {
      for (const child of busy) child.kill('SIGKILL');
    }
  });

  it('a timeout has the stack of the tool', async () => {
    const { forge } = await createKernel();
    const source = 'function spin(n: number): void {\n  for (;;) n++;\n}\nexport default () => {\n  spin(1);\n};';
    const error = await forge(source).catch((error) => error);
    expect(error).toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT', details: { line: 2, file: 'tools/test/forged.ts' } });
    expect(error.details.stack).toMatch(/at spin \(tools\/test\/forged\.ts:2:\d+\)\n.*at .*tools\/test\/forged\.ts:5:/);
    const uninterruptible = await forge('return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)').catch((error) => error);
    expect(uninterruptible).toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
    expect(uninterruptible.details.stats.wallMs).toBeGreaterThan(0);
  });

  it('wallMs counts waiting', async () => {
    const { forge } = await createKernel();
    const waits = 'export default () => new Promise((done) => setTimeout(() => done(1), 60000))';
    const begun = performance.now();
    await expect(forge(waits, {}, { wallMs: 60 })).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
    // Far below the default of 30 s, which would also end it.
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it('memoryMb of one run may be more or less than the configured limit', async () => {
    const { forge } = await createKernel();
    const source = 'return new Uint8Array(args.mb << 20).length';
    expect((await forge(source, { mb: 100 }, { memoryMb: 160 })).result).toBe(100 << 20);
    await expect(forge(source, { mb: 20 }, { memoryMb: 16 })).rejects.toMatchObject({ code: 'ERR_ISOLATE_MEMORY' });
    expect((await forge(source, { mb: 20 })).result).toBe(20 << 20);
  });

  it('memoryMb limits heap and buffers together', async () => {
    const { kernel, forge } = await createKernel();
    const options = { timeoutMs: 10_000 };
    const source = `
      const heap = Array.from({ length: args.heap }, (_, i) => new Array(1 << 17).fill(i + 0.5));
      const buffers = Array.from({ length: args.buffers }, () => new Uint8Array(1 << 20));
      return heap.length + buffers.length`;
    expect((await forge(source, { heap: 36, buffers: 0 }, options)).result).toBe(36);
    const same = (/** @type {object} */ args) => kernel.exec('tools/test/forged.ts', args, options);
    expect((await same({ heap: 0, buffers: 36 })).result).toBe(36);
    await expect(same({ heap: 36, buffers: 36 })).rejects.toMatchObject({ code: 'ERR_ISOLATE_MEMORY' });
    for (const code of [
      'for (;;) held.push(new TextDecoder().decode(new Uint8Array(1 << 16).fill(120)))',
      'const map = new Map(); held.push(map); for (let i = 0; ; i++) map.set({ i }, [i])',
      'for (;;) held.push(new Float64Array(1 << 15).map(() => 0.5))',
      'let one = [0.5]; for (;;) one = one.concat(one)',
    ]) {
      const run = forge(`const held: any[] = []; ${code}`, {}, options);
      await expect(run, code).rejects.toMatchObject({ code: 'ERR_ISOLATE_MEMORY' });
    }
  });

  it('memoryMb holds for a single string or array above the limit', async () => {
    const { forge } = await createKernel();
    for (const source of [
      "return 'ab'.repeat(2 ** 26).indexOf('x')",
      "return 'ab'.repeat(2 ** 27).indexOf('x')",
      "return 'ab'.padEnd(2 ** 28, 'ab').replaceAll('a', 'aaaaaaaa').length",
      'return Object.keys(new Uint8Array(3e7)).length',
    ]) {
      const error = await forge(source, {}, { timeoutMs: 10_000 }).catch((error) => error);
      expect(error, source).toMatchObject({ code: 'ERR_ISOLATE_MEMORY' });
      // One allocation beyond the limit, far below the 256 MB that the longest string needs.
      expect(error.details.stats.heapPeakBytes, source).toBeLessThan(192 << 20);
    }
    expect((await forge("return 'ab'.repeat(2 ** 24).indexOf('x')", {}, { timeoutMs: 10_000 })).result).toBe(-1);
  });

  it('resizable and shared buffers, WebAssembly and Atomics are not available', async () => {
    const { forge } = await createKernel();
    const source =
      "return ['SharedArrayBuffer', 'WebAssembly', 'Atomics', 'eval', 'process', 'Buffer', 'fs'].filter((name) => name in globalThis)";
    expect((await forge(source)).result).toEqual([]);
    expect((await forge("return 'v8BreakIterator' in Intl")).result).toBe(false);
    const resizable = 'new ArrayBuffer(8, { maxByteLength: 1e9 })';
    await expect(forge(`return ${resizable}.byteLength`)).rejects.toThrow(/Resizable/);
    await expect(
      forge('return new (new Uint8Array(1).buffer.constructor)(8, { maxByteLength: 64 }).byteLength'),
    ).rejects.toThrow(/Resizable/);
    expect((await forge('return new ArrayBuffer(8).slice(2).byteLength')).result).toBe(6);
  });

  it('resultBytes, argsBytes and logBytes are enforced', async () => {
    const { forge } = await createKernel({ sandbox: { resultBytes: 1000, argsBytes: 1000, logBytes: 1000 } });
    await expect(forge("return 'x'.repeat(2000)")).rejects.toMatchObject({
      code: 'ERR_RESULT',
      message: expect.stringMatching(/resultBytes/),
    });
    await expect(forge('return 1', { a: 'x'.repeat(2000) })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringMatching(/argsBytes/),
    });
    const { logs } = await forge("for (let i = 0; i < 100; i++) console.log('x'.repeat(90)); return 1");
    expect(logs.length).toBeLessThan(15);
    expect(logs.at(-1)?.message).toContain('log truncated');
  });

  it('a long error message is truncated', async () => {
    const { forge } = await createKernel();
    const error = await forge("throw new Error('x'.repeat(1e6))").catch((error) => error);
    expect(error.code).toBe('ERR_TOOL_THROWN');
    expect(error.message.length).toBeLessThan(20_000);
    expect(JSON.stringify(error.details).length).toBeLessThan(50_000);
  });

  it('queue: one more run fails with ERR_LIMIT at once, and the others continue', async () => {
    const begun = deferred();
    const release = deferred();
    const api = { hold: () => begun.resolve(undefined) ?? release.promise };
    const sandbox = { workers: 1, waiting: 0, queue: 3 };
    const { kernel, tools } = await createKernel({ sandbox }, { sandboxAPI: api });
    await tools.write_file.execute({ path: 'tools/slow.ts', content: 'return tgp.hold()' });
    await tools.write_file.execute({ path: 'tools/quick.ts', content: 'return args.n' });
    const slow = kernel.exec('tools/slow.ts');
    await begun.promise;
    const refused = [];
    const refuse = (error) => {
      refused.push(error);
      return error;
    };
    const runs = [1, 2, 3, 4, 5].map((n) => kernel.exec('tools/quick.ts', { n }).catch(refuse));
    await expect.poll(() => refused.length).toBe(2);
    expect(refused[0]).toMatchObject({ code: 'ERR_LIMIT', message: expect.stringMatching(/sandbox\.queue/) });
    release.resolve(0);
    const codes = (await Promise.all(runs)).map(({ code, result }) => code ?? typeof result);
    expect(codes.sort()).toEqual(['ERR_LIMIT', 'ERR_LIMIT', 'number', 'number', 'number']);
    expect((await slow).result).toBe(0);
  });

  it('queueMs: a run that waits longer for a worker fails with ERR_LIMIT; the time in the queue is reported', async () => {
    const begun = deferred();
    const release = deferred();
    const effects = [];
    const sandboxAPI = {
      hold: () => begun.resolve(undefined) ?? release.promise,
      effect: () => effects.push('happened'),
    };
    const sandbox = { workers: 1, waiting: 0, queueMs: 1000 };
    const { kernel } = await createKernel({ sandbox }, { sandboxAPI });
    // Runs also wait in the queue while a worker starts slowly.
    await expect.poll(() => kernel.run('return 7').then(({ result }) => result, String)).toBe(7);
    const slow = kernel.run('return tgp.hold()');
    await begun.promise;
    const late = await kernel.run('return tgp.effect()').catch((error) => error);
    expect(late).toMatchObject({ code: 'ERR_LIMIT', message: expect.stringMatching(/sandbox\.queueMs/) });
    release.resolve(0);
    const { result, stats } = await slow;
    expect(result).toBe(0);
    expect(stats.queueMs).toBeGreaterThanOrEqual(0);
    expect(effects).toEqual([]);
  });

  it('an option that is unknown or out of range is refused by name', async () => {
    const { kernel } = await createKernel();
    await expect(kernel.exec('tools/x.ts', {}, { memoryMb: 1 })).rejects.toThrow(/memoryMb/);
    await expect(kernel.exec('tools/x.ts', {}, /** @type {any} */ ({ memory: 1 }))).rejects.toThrow(/memory/);
    const contradictory = await createKernel({ sandbox: { workers: 1, warm: 3 } });
    await expect(contradictory.kernel.boot()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(/sandbox\.warm/),
    });
  });

  it('random numbers are deterministic with a seed only', async () => {
    const { kernel, forge } = await createKernel();
    const source = 'return [Math.random(), Math.random()]';
    const { result } = await forge(source, {}, { seed: 42 });
    for (let round = 0; round < 100; round++) {
      const again = Array.from({ length: 10 }, () => kernel.exec('tools/test/forged.ts', {}, { seed: 42 }));
      for (const run of await Promise.all(again)) expect(run.result).toEqual(result);
    }
    expect((await forge(source, {}, { seed: 43 })).result).not.toEqual(result);
    expect((await forge(source)).result).not.toEqual((await forge(source)).result);
  });
});

describe('host calls', () => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  it('hostCalls: one more call fails with ERR_LIMIT, and the earlier calls are answered', async () => {
    const { forge } = await createKernel({ sandbox: { hostCalls: 5 } }, { sandboxAPI: { slow: () => wait(50) } });
    const source = `
      const calls = Array.from({ length: 8 }, () => tgp.slow().then(() => 'done', (error) => error.code));
      return Promise.all(calls)`;
    const { result, stats } = await forge(source);
    expect(result).toEqual([...Array(5).fill('done'), ...Array(3).fill('ERR_LIMIT')]);
    expect(stats.hostCalls).toBe(5);
  });

  it('argsBytes limits the arguments of a host call, too', async () => {
    const { forge } = await createKernel({ sandbox: { argsBytes: 1000 } }, { sandboxAPI: { take: () => 1 } });
    const refused = "return tgp.take('x'.repeat(2000)).catch((error) => [error.code, error.message])";
    expect((await forge(refused)).result).toEqual(['ERR_LIMIT', expect.stringContaining('sandbox.argsBytes')]);
    expect((await forge('return tgp.take(1)')).result).toBe(1);
  });

  it('calls that are not awaited are made, and the run does not wait for them', async () => {
    const seen = [];
    const api = { write: (n) => wait(100).then(() => seen.push(n)) };
    const { forge } = await createKernel({}, { sandboxAPI: api });
    expect((await forge('tgp.write(1); tgp.write(2); return 0')).result).toBe(0);
    await expect.poll(() => seen).toEqual([1, 2]);
  });

  it('a call that is not awaited and fails before the tool returns fails the run', async () => {
    const api = { fail: async () => Promise.reject(new Error('no such order')), wait: () => wait(50) };
    const { forge } = await createKernel({}, { sandboxAPI: api });
    await expect(forge('tgp.fail(); await tgp.wait(); return 0')).rejects.toThrow(/no such order.*did not await/);
    expect((await forge('tgp.fail().catch(() => {}); await tgp.wait(); return 1')).result).toBe(1);
  });

  it('no call is made after the tool has returned', async () => {
    const seen = [];
    const api = { step: (n) => wait(20).then(() => seen.push(n)) };
    const { forge } = await createKernel({}, { sandboxAPI: api });
    expect((await forge('(async () => { await tgp.step(1); await tgp.step(2) })(); return 0')).result).toBe(0);
    await wait(200);
    expect(seen).toEqual([1]);
  });

  it('two seconds of waiting for SQL use no CPU time', async () => {
    const sql = async (/** @type {string} */ text) => {
      if (text.includes('SELECT')) await wait(2000);
      return [{ n: 7 }];
    };
    const { forge } = await createKernel({}, { sql });
    const { result, stats } = await forge("return tgp.exec_sql('SELECT 7 AS n')");
    expect(result).toEqual([{ n: 7 }]);
    expect(stats.wallMs).toBeGreaterThan(1900);
    expect(stats.cpuMs).toBeLessThan(50);
  });

  it('waiting for a function of the application uses no CPU time', async () => {
    const { forge } = await createKernel({}, { sandboxAPI: { query: () => wait(1000).then(() => 7) } });
    const { result, stats } = await forge('return tgp.query()');
    expect(result).toBe(7);
    expect(stats).toMatchObject({ hostCalls: 1 });
    expect(stats.wallMs).toBeGreaterThan(900);
  });
});

describe('a promise that is not awaited', () => {
  it('fails the run when it is rejected, and not when it is handled later', async () => {
    const { forge } = await createKernel();
    await expect(forge("Promise.reject(new Error('lost')); return 1")).rejects.toMatchObject({
      code: 'ERR_TOOL_THROWN',
      message: expect.stringMatching(/lost.*did not await/),
      line: 1,
    });
    const later =
      "const p = Promise.reject(new Error('kept')); await null; try { await p } catch (e) { return e.message }";
    expect((await forge(later)).result).toBe('kept');
    expect((await forge('for (let i = 0; i < 1e4; i++) Promise.reject(i).catch(() => {}); return 1')).result).toBe(1);
  });
});

describe('a run that crashed its worker', () => {
  it('still has logs and stats', async () => {
    const { forge } = await createKernel({ sandbox: { workers: 1 } });
    const source = "console.log('before'); return [].sort.call({ length: 2 ** 31 })";
    const { code, details } = await forge(source).catch((error) => error);
    expect(['ERR_ISOLATE_MEMORY', 'ERR_ISOLATE_CRASHED']).toContain(code);
    expect(details.logs).toEqual([{ level: 'log', message: 'before' }]);
    expect(details.stats.wallMs).toBeGreaterThan(0);
  });
});

describe('an AbortSignal', () => {
  it('that fires before the worker has started the run ends it too', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 1 } });
    await forge('return 1');
    await forge('while (true) {}', {}, { timeoutMs: 10 }).catch(() => {});
    for (let round = 0; round < 30; round++) {
      const controller = new AbortController();
      const options = { signal: controller.signal, timeoutMs: 25_000 };
      const run = kernel.exec('tools/test/forged.ts', {}, options).catch(({ code }) => code);
      setTimeout(() => controller.abort(), round % 6);
      expect(await run).toBe('ERR_ABORTED');
    }
  });

  it('that fires at any moment does not affect the next run', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { workers: 1 } });
    await forge('let n = 0; for (let i = 0; i < args.n; i++) n += i; return n', { n: 1 });
    for (let round = 0; round < 60; round++) {
      const controller = new AbortController();
      const aborted = kernel.exec('tools/test/forged.ts', { n: 2e5 }, { signal: controller.signal }).then(
        ({ result }) => result,
        ({ code }) => code,
      );
      setTimeout(() => controller.abort(), (round % 12) * 0.5);
      const next = kernel.exec('tools/test/forged.ts', { n: 4 }).then(({ result }) => result);
      expect(await next).toBe(6);
      expect([19999900000, 'ERR_ABORTED']).toContain(await aborted);
    }
  });

  it('stops the tool: it has no effect afterwards', async () => {
    /** @type {number[]} */
    const seen = [];
    const note = async (/** @type {number} */ n) => seen.push(n);
    const { forge } = await createKernel({}, { sandboxAPI: { note } });
    const controller = new AbortController();
    const source = 'for (let i = 0; ; i++) { await tgp.note(i); await new Promise((done) => setTimeout(done, 1)) }';
    const run = forge(source, {}, { signal: controller.signal, timeoutMs: 20_000 });
    await expect.poll(() => seen.length).toBeGreaterThan(5);
    controller.abort();
    await expect(run).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    const then = seen.length;
    await new Promise((done) => setTimeout(done, 200));
    expect(seen.length).toBe(then);
  });

  it('is honoured before, during and after a run', async () => {
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
