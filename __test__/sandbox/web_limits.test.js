import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const LIMITS = { workers: 1, memoryMb: 64, timeoutMs: 2000, wallMs: 20_000 };

/** Runs each attack and returns its outcome; the worker must then serve the next run. */
async function outcomes(/** @type {Record<string, string>} */ attacks, args = {}, timeoutMs = LIMITS.timeoutMs) {
  const { forge } = await createKernel({ sandbox: { ...LIMITS, timeoutMs } });
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const [name, source] of Object.entries(attacks)) {
    found[name] = await forge(source, args).then(
      ({ result }) => result,
      (error) => error.code,
    );
    expect((await forge('return 1')).result, name).toBe(1);
  }
  return found;
}

describe('THREAT: a tool that amplifies memory or work with web APIs', () => {
  it('is bounded in memory for decompressed and collected data', async () => {
    const bomb = gzipSync(Buffer.alloc(512 << 20)).toString('base64');
    const found = await outcomes(
      {
        'a compression bomb as text':
          "const bytes = Uint8Array.from(atob(args.bomb), (c) => c.charCodeAt(0)); return (await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()).length",
        'a compression bomb as a queue':
          "const bytes = Uint8Array.from(atob(args.bomb), (c) => c.charCodeAt(0)); const t = new DecompressionStream('gzip'); const w = t.writable.getWriter(); w.write(bytes); const r = t.readable.getReader(); const kept = []; for (;;) { const { done, value } = await r.read(); if (done) break; kept.push(value) } return kept.length",
        'a form that grows': "const form = new FormData(); for (;;) form.append('a', new Blob(['x'.repeat(1 << 20)]))",
        'a Blob of itself': "let blob = new Blob(['x'.repeat(1 << 20)]); for (;;) blob = new Blob([blob, blob])",
        'a stream that is not read':
          'new ReadableStream({ start(c) { for (;;) c.enqueue(new Uint8Array(1 << 20)) } }); return 0',
        'text of invalid bytes': 'return new TextDecoder().decode(new Uint8Array(20 << 20).fill(255)).length',
        'codecs that are not closed': "const all = []; for (;;) all.push(new CompressionStream('gzip'))",
      },
      { bomb },
      20_000,
    );
    for (const [name, outcome] of Object.entries(found)) {
      expect({ name, outcome }).toEqual({ name, outcome: expect.stringMatching(/^ERR_ISOLATE_MEMORY$/) });
    }
  });

  it('is bounded in requests for the source of functions', async () => {
    const { forge } = await createKernel({ sandbox: LIMITS });
    const functions = Array.from({ length: 100 }, (_, i) => `(a${i}: number) => a${i}`);
    const count = (/** @type {string} */ padding) =>
      forge(
        `const all = [\n${functions.join(',\n')}];\n${padding}\nreturn all.filter((f) => String(f).includes(': number')).length`,
      );
    expect((await count('')).result).toBe(64);
    expect((await count(`/* ${'x'.repeat(256 << 10)} */`)).result).toBe(0);
  });

  it('is bounded in time for endless streams', async () => {
    const endless = {
      'a pipe without end':
        'await new ReadableStream({ pull(c) { c.enqueue(1) } }).pipeTo(new WritableStream()); return 0',
      'a loop over a stream without end':
        'for await (const x of new ReadableStream({ pull(c) { c.enqueue(1) } })) {} return 0',
      'a table without end': 'for (;;) console.table([1, 2, 3]);',
      'digests without end': "for (;;) await crypto.subtle.digest('SHA-512', new Uint8Array(1 << 20));",
    };
    const found = await outcomes(endless, {}, 500);
    for (const [name, outcome] of Object.entries(found))
      expect({ name, outcome }).toEqual({ name, outcome: 'ERR_ISOLATE_TIMEOUT' });
  });

  it('can stream a decompression bomb without storing it', async () => {
    const bomb = gzipSync(Buffer.alloc(96 << 20)).toString('base64');
    const source =
      "const bytes = Uint8Array.from(atob(args.bomb), (c) => c.charCodeAt(0)); let n = 0; for await (const c of new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))) n += c.length; return n";
    const { forge } = await createKernel({ sandbox: { ...LIMITS, timeoutMs: 20_000 } });
    expect((await forge(source, { bomb })).result).toBe(96 << 20);
  });
});

describe('performance', () => {
  it('follows the clock of the run, and is the same in a repeated run', async () => {
    const { forge } = await createKernel({ sandbox: LIMITS });
    const source = `const a = performance.now(); performance.mark('m'); const b = Date.now(); await new Promise((d) => setTimeout(d, 50));
      return [a, b, performance.now(), performance.timeOrigin, performance.measure('x', 'm').duration, new Event('e').timeStamp]`;
    const { result } = await forge(source, {}, { now: 1000, seed: 1 });
    expect(result).toEqual((await forge(source, {}, { now: 1000, seed: 1 })).result);
    expect(result.slice(0, 2)).toEqual([0, 1002]);
    expect(result[3]).toBe(1000);
    const { result: real } = await forge('return [performance.now(), performance.timeOrigin]');
    expect(real.every(Number.isInteger)).toBe(true);
  });
});

describe('a seed', () => {
  it('makes HMAC keys and form boundaries repeatable', async () => {
    const { forge } = await createKernel({ sandbox: LIMITS });
    const source = `const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
      return [Array.from(new Uint8Array(await crypto.subtle.exportKey('raw', key))), new Response(new FormData()).headers.get('content-type')]`;
    expect((await forge(source, {}, { seed: 5 })).result).toEqual((await forge(source, {}, { seed: 5 })).result);
  });
});
