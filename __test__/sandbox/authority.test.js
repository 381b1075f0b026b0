import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const LIMITS = { timeoutMs: 2000 };

async function documentedGlobals() {
  const page = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
  const lists = [...page.matchAll(/```globals \w+\n([\s\S]*?)```/g)].map((match) => String(match[1]));
  return lists.join(' ').split(/\s+/).filter(Boolean).sort();
}

for (const isolation of /** @type {const} */ (['process', 'thread'])) {
  describe(`ambient authority in a ${isolation}`, () => {
    it('the global object has exactly what docs/sandbox.md lists', async () => {
      const { forge } = await createKernel({ sandbox: { ...LIMITS, isolation } });
      const { result } = await forge('return Reflect.ownKeys(globalThis).map(String)');
      expect(result.filter((/** @type {string} */ name) => !name.startsWith('Symbol(')).sort()).toEqual(
        await documentedGlobals(),
      );
    });
  });
}

/** Each object that the bridge hands out, and the constructors that its prototypes name. */
const HANDED_OUT = {
  tgp: ['Object'],
  'tgp.read_file': ['Function', 'Object'],
  'tgp.exec_tool': ['Function', 'Object'],
  'tgp.fetch': ['AsyncFunction', 'Function', 'Object'],
  console: ['Object'],
  'console.log': ['Function', 'Object'],
  require: ['Function', 'Object'],
  module: ['Object'],
  exports: ['Object'],
  args: ['Object'],
  "tgp.list_files('/lib')": ['Array', 'Object'],
  "tgp.exec_tool('tools/none.ts').catch(() => 0)": ['Promise', 'Object'],
  "await tgp.exec_tool('tools/none.ts').catch((error) => error)": ['Error', 'Object'],
  "await fetch('x').catch((error) => error)": ['TypeError', 'Error', 'Object'],
  crypto: ['Crypto', 'Object'],
  "new URL('http://x')": ['URL', 'Object'],
  "new URL('http://x').searchParams": ['URLSearchParams', 'Object'],
  "new URLSearchParams('a=b').entries()": ['Iterator', 'Object'],
  'new AbortController().signal': ['AbortSignal', 'EventTarget', 'Object'],
  'new AbortController()': ['AbortController', 'Object'],
  "new DOMException('x')": ['DOMException', 'Error', 'Object'],
  "new Event('x')": ['Event', 'Object'],
  'new Headers()': ['Headers', 'Object'],
  'new Headers().entries()': ['Iterator', 'Object'],
  "new CustomEvent('x')": ['CustomEvent', 'Event', 'Object'],
  performance: ['Performance', 'EventTarget', 'Object'],
  "performance.mark('x')": ['PerformanceMark', 'PerformanceEntry', 'Object'],
  'crypto.subtle': ['SubtleCrypto', 'Object'],
  "await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign'])": ['CryptoKey', 'Object'],
  "new File([], 'x')": ['File', 'Blob', 'Object'],
  'new FormData()': ['FormData', 'Object'],
  "new Request('http://x')": ['Request', 'Object'],
  "new Response('x')": ['Response', 'Object'],
  "new Response('x').body": ['ReadableStream', 'Object'],
  "new Response('x').body!.getReader()": ['ReadableStreamDefaultReader', 'Object'],
  "new Response('x').body!.getReader({ mode: 'byob' })": ['ReadableStreamBYOBReader', 'Object'],
  "new Response('x').text()": ['Promise', 'Object'],
  'new WritableStream().getWriter()': ['WritableStreamDefaultWriter', 'Object'],
  'new TransformStream()': ['TransformStream', 'Object'],
  "new CompressionStream('gzip')": ['CompressionStream', 'Object'],
  'new TextEncoder()': ['TextEncoder', 'Object'],
  "new TextEncoder().encode('x')": ['Uint8Array', 'TypedArray', 'Object'],
  'new TextDecoder()': ['TextDecoder', 'Object'],
  'structuredClone({ a: [] })': ['Object'],
  setTimeout: ['Function', 'Object'],
};

describe('constructor chains', () => {
  it('of all bridge values stay in the realm and cannot compile code', async () => {
    const { forge } = await createKernel({ sandbox: LIMITS });
    const source = `
      const values: any[] = [${Object.keys(HANDED_OUT).join(', ')}];
      const functions = new Set<any>([Function, (async () => {}).constructor, (function* () {}).constructor, (async function* () {}).constructor]);
      const reach = (value: any, seen: Set<any>) => {
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
        seen.add(value);
        reach(Object.getPrototypeOf(value), seen);
        for (const key of Reflect.ownKeys(value)) {
          const { value: member, get, set } = Object.getOwnPropertyDescriptor(value, key) as any;
          for (const next of [member, get, set]) reach(next, seen);
        }
      };
      const strangers: string[] = [];
      const made: string[] = [];
      for (const value of values) {
        const seen = new Set<any>();
        reach(value, seen);
        for (const found of seen) {
          if (typeof found !== 'function') continue;
          if (!functions.has(found.constructor) && !(found instanceof Function)) strangers.push(String(found.name));
          if (functions.has(found)) { try { found('return 1'); made.push(found.name) } catch {} }
        }
      }
      const chain = (value: any) => {
        const names: string[] = [];
        for (let p = Object.getPrototypeOf(value); p !== null; p = Object.getPrototypeOf(p)) {
          const name = Object.getOwnPropertyDescriptor(p, 'constructor')?.value?.name ?? (Object.hasOwn(p, 'constructor') ? 'Iterator' : undefined);
          if (name !== undefined) names.push(name);
        }
        return names;
      };
      return [values.map(chain), strangers, made];`;
    const { result } = await forge(source, { a: 1 });
    const [chains, strangers, made] = result;
    expect(Object.fromEntries(Object.keys(HANDED_OUT).map((name, index) => [name, chains[index]]))).toEqual(HANDED_OUT);
    expect([strangers, made]).toEqual([[], []]);
  });
});

describe('a guest that replaces every built-in it can reach', () => {
  it('gets correct answers from the bridge, and no further access', async () => {
    const { tools, forge } = await createKernel({ sandbox: LIMITS });
    await tools.write_file.execute({ path: 'data.json', content: '{"a":1}' });
    await tools.write_file.execute({ path: 'tools/one.ts', content: 'export default () => ({ one: 1 })' });
    const { result } = await forge(`
      const { defineProperty } = Object;
      const ok = (value: unknown, what: string) => { if (!value) throw new Error(what) };
      const text = new TextEncoder();
      const trap = () => undefined;
      const { ownKeys } = Reflect;
      const owners: any[] = [Array.prototype, String.prototype, Map.prototype, Set.prototype, WeakMap.prototype, Date.prototype, RegExp.prototype, Error.prototype, Function.prototype, Reflect, JSON, Object, Math];
      for (let i = 0; i < owners.length; i++) {
        const keys = ownKeys(owners[i]);
        for (let j = 0; j < keys.length; j++) {
          if (keys[j] === 'constructor' || keys[j] === 'prototype') continue;
          try { defineProperty(owners[i], keys[j], { value: trap, configurable: true, writable: true }) } catch {}
        }
      }
      defineProperty(Object.prototype, 'toJSON', { value: trap, configurable: true });
      defineProperty(Object.prototype, '0', { set: trap, get: trap, configurable: true });
      defineProperty(Promise.prototype, 'constructor', { get: trap, configurable: true });
      ok(tgp.read_file('data.json') === '{"a":1}', 'read_file');
      ok(tgp.write_file('/tmp/a', 'x').success, 'write_file');
      ok(new URL('http://a.b/c?d=e').searchParams.get('d') === 'e', 'URL');
      ok(text.encode('é').length === 2, 'TextEncoder');
      ok(atob('YQ==') === 'a', 'atob');
      ok(structuredClone({ a: { b: 1 } }).a.b === 1, 'structuredClone');
      ok(crypto.randomUUID().length === 36, 'crypto');
      const one = await tgp.exec_tool('tools/one.ts', {});
      ok(one.one === 1, 'exec_tool');
      delete (Object.prototype as any).toJSON;
      return 'fine';`);
    expect(result).toBe('fine');
  });
});

describe('tgp', () => {
  it('has exactly the documented functions, and no internal ones', async () => {
    const { forge } = await createKernel({}, { sandboxAPI: { mine: () => 1 }, sql: async () => [] });
    const { result } = await forge(`
      const own = Reflect.ownKeys(tgp).map(String).sort();
      return [own, typeof tgp['#bundle'], typeof tgp['#require'], typeof tgp['#fetch']]`);
    expect(result).toEqual([
      ['exec_sql', 'exec_tool', 'fetch', 'list_files', 'log', 'mine', 'read_file', 'write_file'],
      ...Array(3).fill('undefined'),
    ]);
  });
});

describe('import()', () => {
  it('loads only what a static import may load', async () => {
    const { tools, forge } = await createKernel({ sandbox: LIMITS });
    await tools.write_file.execute({ path: 'tools/test/one.ts', content: 'export default 1' });
    expect((await forge("return (await import('./one')).default")).result).toBe(1);
    for (const name of [
      "'fs'",
      "'node:fs'",
      "'data:text/javascript,0'",
      "'https://x.y/z.js'",
      'args.name',
      "'f' + 's'",
    ]) {
      await expect(forge(`return import(${name})`, { name: 'fs' }), name).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
      });
    }
  });
});

describe('what a guest passes to the bridge', () => {
  it('crosses as plain data, or is refused with its path', async () => {
    const { forge } = await createKernel({}, { sandboxAPI: { echo: (/** @type {unknown[]} */ ...values) => values } });
    /** @param {string} values */
    const passToBridge = async (values) => {
      const source = `const cycle: any = {}; cycle.a = [cycle];
        try { return await tgp.echo(${values}) } catch (error: any) { return [error.code ?? error.name, error.message] }`;
      return (await forge(source)).result;
    };
    expect(await passToBridge("new Map([['a', 1n]]), new Set([1]), new Date(0), undefined, NaN")).toEqual([
      { a: '1' },
      [1],
      '1970-01-01T00:00:00.000Z',
      null,
      null,
    ]);
    expect(await passToBridge("{ toJSON: () => 'own' }, new Proxy({ b: 1 }, {}), [new Proxy([1], {})]")).toEqual([
      'own',
      { b: 1 },
      [[1]],
    ]);
    const refused = {
      '1, { rows: [{ f: () => 1 }] }': 'arguments.1.rows.0.f of tgp.echo is a function',
      '{ then: (done) => done(1) }': 'arguments.0.then of tgp.echo is a function',
      "{ s: Symbol('x') }": 'arguments.0.s of tgp.echo is a symbol',
      cycle: 'of tgp.echo contains itself',
      'new Map([[{}, 1]])': 'arguments.0 of tgp.echo is a Map with a key that is not a string or number',
    };
    for (const [values, message] of Object.entries(refused)) {
      expect(await passToBridge(values), values).toEqual(['ERR_RESULT', expect.stringContaining(message)]);
    }
    expect(await passToBridge("{ get a() { throw new RangeError('mine') } }")).toEqual(['RangeError', 'mine']);
    expect(await passToBridge("new Proxy({}, { ownKeys() { throw new RangeError('keys') } })")).toEqual([
      'RangeError',
      'keys',
    ]);
    await expect(passToBridge('{ get a() { for (;;) {} } }')).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
    const path = "return tgp.read_file({ toString: () => 'tools/test/forged.ts' } as any)";
    await expect(forge(path)).rejects.toMatchObject({ code: 'ERR_RESULT' });
  });
});
