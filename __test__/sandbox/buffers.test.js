import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const MB = 1 << 20;
const LONG_LIMITS = { timeoutMs: 20_000, wallMs: 60_000 };
const OUT_OF_MEMORY = { code: 'ERR_ISOLATE_MEMORY' };

/** Expressions that allocate a buffer of `args.mb` megabytes. */
const ALLOCATIONS = {
  'new ArrayBuffer': 'new ArrayBuffer(bytes)',
  'the constructor of an existing buffer': 'new (new Uint8Array(1).buffer.constructor)(bytes)',
  'Reflect.construct': 'Reflect.construct(ArrayBuffer, [bytes], class extends ArrayBuffer {})',
  Uint8Array: 'new Uint8Array(bytes)',
  Float64Array: 'new Float64Array(bytes / 8)',
  BigInt64Array: 'new BigInt64Array(bytes / 8)',
  'from an array-like': 'Uint8Array.from({ length: bytes })',
  'a copy of a view': 'new Uint8Array(source)',
  'slice of a buffer': 'source.buffer.slice()',
  'slice of a view': 'source.slice()',
  'a longer transfer of a slice': 'source.buffer.slice(0, 1).transfer(bytes)',
  'a fixed transfer': 'source.buffer.slice().transferToFixedLength()',
  structuredClone: 'structuredClone(source)',
  map: 'source.map((byte) => byte)',
  filter: 'source.filter(() => true)',
  toReversed: 'source.toReversed()',
  with: 'source.with(0, 1)',
  TextEncoder: 'new TextEncoder().encode(text)',
};

const source = (/** @type {string} */ way) => `
  const bytes: number = args.mb * ${MB};
  const text = 'x'.repeat(${way.includes('text') ? 'bytes' : 0});
  const source: any = new Uint8Array(${way.includes('source') ? 'bytes' : 8});
  const held: any[] = [];
  for (let i = 0; i < args.times; i++) held.push(${way});
  return held.reduce((sum, one) => sum + one.byteLength, 0)`;

describe('the memory budget of buffers', () => {
  for (const [name, way] of Object.entries(ALLOCATIONS)) {
    it(`holds for ${name}`, async () => {
      const { kernel, forge } = await createKernel({ sandbox: { memoryMb: 16 } });
      const fits = await forge(source(way), { mb: 1, times: 7 }, LONG_LIMITS);
      expect(fits.result).toBe(7 * MB);
      expect(fits.stats.heapPeakBytes).toBeGreaterThanOrEqual(7 * MB);
      const path = 'tools/test/forged.ts';
      await expect(kernel.exec(path, { mb: 1, times: 17 }, LONG_LIMITS)).rejects.toMatchObject(OUT_OF_MEMORY);
      expect((await kernel.exec(path, { mb: 1, times: 7 }, LONG_LIMITS)).result).toBe(7 * MB);
    });
  }

  it('refuses a buffer above the limit, and allows one slightly below', async () => {
    const { kernel, forge } = await createKernel();
    const source = 'return new ArrayBuffer(args.bytes).byteLength';
    expect((await forge(source, { bytes: 60 * MB }, LONG_LIMITS)).result).toBe(60 * MB);
    for (const bytes of [64 * MB, 64 * MB + 1, 100 * MB, 2 ** 31, 2 ** 32, 2 ** 33, 2 ** 35, 2 ** 40]) {
      const error = await kernel.exec('tools/test/forged.ts', { bytes }, LONG_LIMITS).catch((error) => error);
      // V8 itself throws a RangeError for extreme sizes.
      expect(['ERR_ISOLATE_MEMORY', 'ERR_TOOL_THROWN'], `${bytes}`).toContain(error.code);
      if (bytes <= 2 ** 32) expect(error.code, `${bytes}`).toBe('ERR_ISOLATE_MEMORY');
      else if (error.code === 'ERR_TOOL_THROWN') expect(error.message).toMatch(/allocation failed|length/i);
    }
  });

  it('is exact to the megabyte when it is used up by many buffers', async () => {
    const { kernel, forge } = await createKernel();
    const source =
      'const held = []; for (let i = 0; i < args.times; i++) held.push(new ArrayBuffer(args.bytes)); return held.length';
    await forge(source, { bytes: 1, times: 1 }, LONG_LIMITS);
    const fits = async (/** @type {number} */ times, /** @type {number} */ bytes) => {
      try {
        return (await kernel.exec('tools/test/forged.ts', { bytes, times }, LONG_LIMITS)).result === times;
      } catch (error) {
        expect(error).toMatchObject(OUT_OF_MEMORY);
        return false;
      }
    };
    for (const bytes of [MB, MB / 16]) {
      const each = MB / bytes;
      // The heap of a small run uses the rest.
      expect(await fits(60 * each, bytes)).toBe(true);
      expect(await fits(64 * each, bytes)).toBe(false);
    }
  });

  it('releases the memory of unreachable buffers', async () => {
    const { forge } = await createKernel();
    const source = `
      let sum = 0;
      for (let i = 0; i < 400; i++) sum += new Uint8Array(8 * ${MB}).length;
      for (let i = 0; i < 200_000; i++) sum += new Uint8Array(1000).length;
      let moved = new ArrayBuffer(40 * ${MB});
      for (let i = 0; i < 50; i++) moved = moved.transfer();
      return sum + moved.byteLength`;
    const { result, stats } = await forge(source, {}, LONG_LIMITS);
    expect(result).toBe(400 * 8 * MB + 200_000 * 1000 + 40 * MB);
    expect(stats.heapPeakBytes).toBeLessThanOrEqual(80 * MB);
  });

  it('a transfer that copies needs room for both buffers', async () => {
    const { kernel, forge } = await createKernel();
    const source = 'return new ArrayBuffer(args.mb << 20).transfer((args.mb << 20) + 4096).byteLength';
    expect((await forge(source, { mb: 20 }, LONG_LIMITS)).result).toBe(20 * MB + 4096);
    await expect(kernel.exec('tools/test/forged.ts', { mb: 40 }, LONG_LIMITS)).rejects.toMatchObject(OUT_OF_MEMORY);
  });

  for (const bytes of [1, 64, 129, 1000, 100_000]) {
    it(`many buffers of ${bytes} bytes fail as one large buffer does, and the worker survives`, async () => {
      const { forge } = await createKernel();
      const source = 'const held: any[] = []; for (;;) held.push(new ArrayBuffer(args.bytes))';
      await expect(forge(source, { bytes }, LONG_LIMITS)).rejects.toMatchObject(OUT_OF_MEMORY);
    });
  }

  it('includes fetched responses', async () => {
    const server = createServer((_, response) => response.end(Buffer.alloc(MB)));
    await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(undefined)));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
    const { kernel, forge } = await createKernel({ allowedFetchUrls: [url], sandbox: { fetchBytes: 4 * MB } });
    const source = `
      export default async (args: { times: number }) => {
        const held: any[] = [];
        for (let i = 0; i < args.times; i++) held.push(await (await fetch(${JSON.stringify(url)})).arrayBuffer());
        return held.length;
      }`;
    expect((await forge(source, { times: 10 }, LONG_LIMITS)).result).toBe(10);
    await expect(kernel.exec('tools/test/forged.ts', { times: 70 }, LONG_LIMITS)).rejects.toMatchObject(OUT_OF_MEMORY);
  });

  it('is separate for each engine, also for threads of one process', async () => {
    const { kernel, forge } = await createKernel({ sandbox: { isolation: 'thread', workers: 2 } });
    const source = 'return new Uint8Array(args.mb << 20).length';
    await forge(source, { mb: 1 }, LONG_LIMITS);
    const run = (/** @type {number} */ mb) => kernel.exec('tools/test/forged.ts', { mb }, LONG_LIMITS);
    const both = await Promise.all([run(50), run(50)]);
    expect(both.map(({ result }) => result)).toEqual([50 * MB, 50 * MB]);
    await expect(run(70)).rejects.toMatchObject(OUT_OF_MEMORY);
    expect((await run(50)).result).toBe(50 * MB);
  });
});
