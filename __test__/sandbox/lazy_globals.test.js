import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** Globals that a realm builds on first use. */
const LAZY = `[console, setTimeout, setInterval, clearTimeout, clearInterval, AbortController, AbortSignal, DOMException, Event,
  EventTarget, Headers, TextDecoder, TextEncoder, URL, URLSearchParams, atob, btoa, crypto, fetch, queueMicrotask, structuredClone, Blob, ByteLengthQueuingStrategy,
  CompressionStream, CountQueuingStrategy, Crypto, CryptoKey, CustomEvent, DecompressionStream, File, FormData, Performance, PerformanceEntry,
  PerformanceMark, PerformanceMeasure, ReadableByteStreamController, ReadableStream, ReadableStreamBYOBReader, ReadableStreamBYOBRequest, ReadableStreamDefaultController, ReadableStreamDefaultReader, Request, Response,
  SubtleCrypto, TextDecoderStream, TextEncoderStream, TransformStream, TransformStreamDefaultController, WritableStream,
  WritableStreamDefaultController, WritableStreamDefaultWriter, performance]`;
const NAMES = LAZY.replace(/[[\]\s]/g, '').split(',');

async function sandbox() {
  const { forge } = await createKernel({ sandbox: { workers: 1, timeoutMs: 2000 } });
  return async (/** @type {string} */ source) => (await forge(source)).result;
}

describe('globals that are built on first use', () => {
  it('belong to the realm of the run, in every run of a worker', async () => {
    const guest = await sandbox();
    for (let run = 0; run < 3; run++) {
      expect(
        await guest(`
          const ours = (value: any) => value instanceof Object;
          return [${LAZY}.every(ours), structuredClone(new RangeError('x')) instanceof RangeError, structuredClone([]) instanceof Array,
            new DOMException('x') instanceof Error, new TextEncoder().encode('x') instanceof Uint8Array, tgp.fetch === fetch,
            fetch('http://127.0.0.1:1').catch(() => 0) instanceof Promise, (globalThis as any).left];
        `),
      ).toEqual([true, true, true, true, true, true, true, null]);
      await guest('(globalThis as any).left = 1; (URL as any).left = 1; (URL.prototype as any).left = 1; return 0');
      expect(await guest(`return [(URL as any).left, (new URL('http://a') as any).left]`)).toEqual([null, null]);
    }
  });

  it('pass no internal values to a class that a guest substitutes', async () => {
    const guest = await sandbox();
    expect(
      await guest(`
        const seen: any[] = [];
        Object.setPrototypeOf(File, class { constructor(...given: any[]) { seen.push(given); return new Blob(['mine']) } } as any);
        const form = new FormData();
        form.append('a', new Blob(['theirs'], { type: 'a/b' }));
        return [seen.flat().every((value) => value === undefined), await new Blob(['next']).text()];
      `),
    ).toEqual([true, 'next']);
  });

  it('look like any other global before they are built', async () => {
    const guest = await sandbox();
    const descriptors = await guest(`
      return ${JSON.stringify(NAMES)}.map((name) => {
        const { value, ...rest } = Object.getOwnPropertyDescriptor(globalThis, name) as any;
        return [name, typeof value, rest];
      });
    `);
    for (const [name, type, rest] of descriptors) {
      expect([name, type]).toEqual([name, ['console', 'crypto', 'performance'].includes(name) ? 'object' : 'function']);
      expect(rest).toEqual({ writable: true, enumerable: false, configurable: true });
    }
    expect(
      await guest(`
        const all = globalThis as any;
        const present = [ 'URL' in all, Object.hasOwn(all, 'URL'), Object.keys(all).includes('URL') ];
        all.URL = 1;
        delete all.Headers;
        Object.defineProperty(all, 'crypto', { value: 2 });
        return [...present, all.URL, typeof Headers, all.crypto, new URLSearchParams('a=b').get('a')];
      `),
    ).toEqual([true, true, false, 1, 'undefined', 2, 'b']);
  });

  it('are built from intrinsics that the tool cannot replace', async () => {
    const guest = await sandbox();
    expect(
      await guest(`
        const { defineProperty } = Object;
        const { ownKeys } = Reflect;
        const { iterator, toStringTag } = Symbol;
        const RealPromise = Promise;
        const Bytes = Uint8Array;
        const late: any = { __proto__: null };
        const names = ${JSON.stringify(NAMES)};
        for (let i = 0; i < names.length; i++) late[names[i]!] = true;
        let touched = '';
        const spoil = (owner: any, key: any) => {
          const trap = () => { touched += (typeof key === 'symbol' ? 'a symbol' : key) + ' '; throw 'trapped' };
          try { defineProperty(owner, key, { __proto__: null, configurable: true, writable: true, value: trap } as any) } catch {}
        };
        const owners: any[] = [Object, Reflect, Array, Math, JSON, Symbol, Array.prototype, String.prototype, Map.prototype, Set.prototype,
          WeakMap.prototype, Number.prototype, BigInt.prototype, Date.prototype, RegExp.prototype, ArrayBuffer.prototype, DataView.prototype,
          Object.getPrototypeOf(Uint8Array.prototype), Promise.prototype, Error.prototype, Function.prototype, Intl];
        for (let i = 0; i < owners.length; i++) {
          const keys = ownKeys(owners[i]);
          for (let j = 0; j < keys.length; j++) if (keys[j] !== 'constructor' && keys[j] !== 'then') spoil(owners[i], keys[j]);
        }
        const inherited = ['value', 'get', 'set', 'enumerable', 'configurable', 'writable', '0', '1', 'type', 'once', 'gone'];
        for (let i = 0; i < inherited.length; i++) {
          const key = inherited[i]!;
          defineProperty(Object.prototype, key, { __proto__: null, configurable: true, get: () => undefined, set: () => { touched += 'set ' + key + ' ' } } as any);
        }
        const all: any = globalThis;
        const globals = ownKeys(all);
        for (let i = 0; i < globals.length; i++) if (late[globals[i]!] !== true) spoil(all, globals[i]);

        let text = new URL('http://a/b?c=d').searchParams.get('c') + new TextDecoder().decode(new TextEncoder().encode('é'));
        text += structuredClone({ a: [1, 2] }).a[1] + btoa(atob('aGk=')) + new Headers({ a: 'b' }).get('A') + crypto.randomUUID().length;
        const stop = new AbortController();
        stop.signal.addEventListener('abort', () => { text += ' stopped ' });
        stop.abort();
        console.log('a line', { with: 'more' });
        text += typeof (new Headers() as any)[iterator] + typeof (new URLSearchParams() as any)[iterator] + (stop as any)[toStringTag] + ' ';
        const form = new FormData();
        form.append('a', 'xy');
        const back = await new Response(form).formData();
        text += back.get('a');
        const packed = new Response('squeezed').body!.pipeThrough(new CompressionStream('gzip')).pipeThrough(new DecompressionStream('gzip'));
        text += await new Response(packed).text() + await new Request('http://a/', { method: 'POST', body: 'body' }).text();
        text += typeof performance.now() + performance.mark('m').name + new Bytes(await crypto.subtle.digest('SHA-1', new Bytes(1)))[0];
        console.table([{ a: 1 }]);
        queueMicrotask(() => { text += 'later ' });
        await new RealPromise<void>((resolve) => setTimeout(resolve, 1));
        return text + touched;
      `),
    ).toBe('dé2aGk=b36 stopped functionfunctionAbortController xysqueezedbodynumberm91later ');
  });

  it('are built by the next use after a stack overflow during the build', async () => {
    const guest = await sandbox();
    expect(
      await guest(`
        const deeper = (): string => { try { return deeper() } catch { return new URL('http://a/b').pathname } };
        return [deeper(), new URL('http://c/d').pathname, structuredClone(new Map([[1, 2]])).get(1)];
      `),
    ).toEqual(['/b', '/d', 2]);
  });
});
