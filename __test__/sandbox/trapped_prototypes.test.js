import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { serveHttp } from '../helpers/http_server.js';

const ENGINE = new URL('../../crates/sandbox/src/engine/', import.meta.url);

/** All words of the realm's scripts, and indexes: members that a script may read of a value that lacks them are among them. */
async function wordsOfScripts() {
  const words = new Set(Array.from({ length: 40 }, (_, index) => `${index}`));
  for (const folder of ['isolate/bootstrap/', 'lazy/']) {
    const files = (await readdir(new URL(folder, ENGINE))).filter((file) => file.endsWith('.js'));
    for (const file of files) {
      const text = await readFile(new URL(folder + file, ENGINE), 'utf8');
      for (const word of text.match(/[A-Za-z_]\w*/g) ?? []) words.add(word);
    }
  }
  return [...words];
}

/**
 * Traps of the guest: every prototype that it can reach gets a getter for each of `names` that it lacks, and each member that it has
 * is replaced. A trap records what it sees: `this` and the arguments.
 */
const TRAPS = `
  const all: any = globalThis;
  const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect as any;
  const { has, add } = WeakSet.prototype;
  const { toString } = Object.prototype;
  const mine = new WeakSet();
  const seen: any = { __proto__: null };
  const isObject = (value: any) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  /** A value that the guest has made or got. */
  const own = (value: any): any => {
    if (isObject(value)) apply(add, mine, [value]);
    return value;
  };
  let isArmed = false;
  let count = 0;
  const record = (where: any, value: any) => {
    // V8 iterates over lists of the guest.
    if (!isArmed || !isObject(value) || value === all || where === '[object Array Iterator].next') return;
    seen[count] = { __proto__: null, where, value };
    count += 1;
  };

  const reachable: any[] = [];
  const known = new Set();
  const visit = (value: any) => {
    if (!isObject(value) || known.has(value)) return;
    known.add(value);
    reachable.push(own(value));
  };
  if (isBuilt) {
    for (const value of [all, new Headers().keys(), new URLSearchParams().keys(), new FormData().keys(), new ReadableStream().values()]) visit(value);
  }
  for (const value of [Object, Function, Array, String, Number, Boolean, Symbol, BigInt, Error, TypeError, Date, RegExp, Promise, Proxy,
    Map, Set, WeakMap, WeakSet, ArrayBuffer, Uint8Array, DataView, Iterator, JSON, Math, Reflect]) visit(value);
  for (const value of [[].values(), new Map().keys(), new Set().keys(), ''.matchAll(/./g), ''[Symbol.iterator](),
    (function* () {})(), (async function* () {})(), (async () => {})(), [].values().map(() => 1)]) visit(value);
  for (let i = 0; i < reachable.length; i++) {
    visit(getPrototypeOf(reachable[i]));
    for (const key of ownKeys(reachable[i])) {
      // Reading a global builds its stage.
      const { value, get } = getOwnPropertyDescriptor(reachable[i], key);
      visit(reachable[i] === all && get !== undefined ? all[key] : value);
      visit(get);
    }
  }
  const prototypes = reachable.filter((value) => ownKeys(value).includes('constructor') || getPrototypeOf(value) === null || ownKeys(value).includes('next'));

  const trap = (target: any, key: any) => {
    const found = getOwnPropertyDescriptor(target, key);
    const descriptor = found && { __proto__: null, ...found };
    const where = toString.call(target) + '.' + String(key);
    if (descriptor === undefined) {
      defineProperty(target, key, {
        __proto__: null, configurable: true,
        get(this: any) { record(where, this); return undefined },
        set(this: any, value: any) {
          record(where + ' =', this);
          defineProperty(this, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
        },
      });
      return;
    }
    if (!descriptor.configurable) return;
    const spy = (fn: any) => fn && function (this: any, ...given: any[]) {
      record(where, this);
      for (let i = 0; i < given.length; i++) record(where, given[i]);
      return apply(fn, this, given);
    };
    if (key === 'constructor' || (key === 'then' && descriptor.value)) {
      const { value } = descriptor;
      defineProperty(target, key, {
        __proto__: null, configurable: true, enumerable: false,
        get(this: any) { record(where, this); return value },
        set: undefined,
      });
    } else if ('value' in descriptor) {
      if (typeof descriptor.value === 'function') defineProperty(target, key, { __proto__: null, ...descriptor, value: spy(descriptor.value) });
    } else {
      defineProperty(target, key, { __proto__: null, ...descriptor, get: spy(descriptor.get), set: spy(descriptor.set) });
    }
  };
  const symbols = ownKeys(Symbol).map((name: any) => (Symbol as any)[name]).filter((value: any) => typeof value === 'symbol');
  const arm = (words: string[]) => {
    const names = words.concat(symbols);
    for (const target of prototypes) {
      for (const key of ownKeys(target)) trap(target, key);
      if (getPrototypeOf(target) === null || target === Object.prototype) for (const name of names) if (!ownKeys(target).includes(name)) trap(target, name);
      if (!ownKeys(target).includes('then')) trap(target, 'then');
    }
    isArmed = true;
  };
  /** What the traps have seen of values that are not the guest's. */
  const strangers = () => {
    isArmed = false;
    const found: any = { __proto__: null };
    for (let i = 0; i < count; i++) {
      const { where, value } = seen[i];
      if (!apply(has, mine, [value])) found[where + ' of ' + apply(toString, value, [])] = true;
    }
    return ownKeys(found);
  };
`;

/**
 * What the guest does with the traps around it. It registers all its objects and promises. No loop iterates, because that would
 * call traps with iterators of V8.
 */
const SCENES = `
  const bytes = (text: string) => {
    const out = own(new Uint8Array(text.length));
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
  };
  const secret = bytes('secret');
  const jwk = own({ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256', key_ops: own(['sign', 'verify']), ext: true });
  const hmac = own({ name: 'HMAC', hash: 'SHA-256' });
  const uses = jwk.key_ops;
  const source = () => own(new ReadableStream(own({
    start: own((controller: any) => { own(controller).enqueue(bytes('ab')); controller.enqueue(bytes('cd')); controller.close() }),
  })));
  const readAll = async (stream: any) => {
    const reader = own(stream.getReader());
    let text = '';
    for (;;) {
      const step = own(await own(reader.read()));
      if (step.done) return text;
      text += typeof step.value === 'string' ? step.value : own(step.value).length + ':' + step.value[0] + ' ';
    }
  };
  const shown = (value: any) => {
    const keys = own(ownKeys(own(value)));
    for (let i = 0; i < keys.length; i++) own(value[keys[i]]);
    return JSON.stringify(value);
  };
  const scenes: any = {
    __proto__: null,
    async fetchText() { const got = own(await own(fetch(url))); return [got.status, got.ok, await own(got.text())] },
    async fetchJson() { return shown(await own(own(await own(fetch(url + '/json'))).json())) },
    async fetchBytes() { return own(await own(own(await own(fetch(url))).bytes())).length },
    async fetchBuffer() { return own(await own(own(await own(fetch(url))).arrayBuffer())).byteLength },
    async fetchHeaders() { return own(own(await own(fetch(url))).headers).get('x-mine') },
    async fetchBody() { return await own(own(await own(fetch(url, own({ method: 'POST', body: 'sent', headers: own({ 'x-a': 'b' }) })))).text()) },
    async fetchBlob() { return await own(own(await own(fetch(url, own({ method: 'POST', body: own(new Blob(own(['blob']))) })))).text()) },
    async fetchStream() { return await own(own(await own(fetch(url, own({ method: 'POST', body: source(), duplex: 'half' })))).text()) },
    async fetchSignal() { const stop = own(new AbortController()); return await own(own(await own(fetch(url, own({ signal: own(stop.signal) })))).text()) },
    async fetchAborted() {
      const stop = own(new AbortController());
      const fetched = own(fetch(url + '/never', own({ signal: own(stop.signal) })));
      stop.abort();
      try { return own(await fetched).status } catch (error: any) { return own(error).name }
    },
    async fetchStreamed() { return await own(readAll(own(own(await own(fetch(url))).body))) },
    async fetchCloned() {
      const got = own(await own(fetch(url)));
      const copy = own(got.clone());
      return [await own(got.text()), await own(copy.text())];
    },
    async blob() {
      const blob = own(await own(own(new Response('secret')).blob()));
      return [blob.size, await own(blob.text()), own(await own(blob.bytes())).length, own(await own(blob.arrayBuffer())).byteLength, await own(own(blob.slice(1, 3)).text())];
    },
    async blobStream() { return await own(readAll(own(own(new Blob(own([secret]))).stream()))) },
    async response() { return [own(await own(own(new Response(secret)).bytes())).length, await own(own(new Response(source())).text()), shown(await own(own(Response.json(own({ a: 1 }))).json()))] },
    async request() { return await own(own(new Request(url, own({ method: 'POST', body: secret }))).text()) },
    async form() {
      const form = own(new FormData());
      form.append('a', 'b');
      form.append('file', own(new File(own([secret]), 'name.txt')));
      const read = own(await own(own(new Response(form)).formData()));
      return [read.get('a'), await own(own(read.get('file')).text())];
    },
    async pipeTo() {
      let text = '';
      await own(source().pipeTo(own(new WritableStream(own({ write: own((chunk: any) => { text += own(chunk).length }) })))));
      return text;
    },
    async pipeThrough() { return await own(readAll(own(source().pipeThrough(own(new TextDecoderStream()))))) },
    async transform() { return await own(readAll(own(source().pipeThrough(own(new TransformStream(own({ transform: own((chunk: any, controller: any) => own(controller).enqueue(own(chunk).length + ';')) }))))))) },
    async compression() {
      const packed = own(source().pipeThrough(own(new CompressionStream('gzip'))));
      return await own(readAll(own(packed.pipeThrough(own(new DecompressionStream('gzip'))))));
    },
    async tee() {
      const pair = own(source().tee());
      return [await own(readAll(own(pair[0]))), await own(readAll(own(pair[1])))];
    },
    async failedPipe() {
      const broken = own(new ReadableStream(own({ pull: own(() => { throw own(new Error('broken')) }) })));
      const target = own(new WritableStream(own({ abort: own(() => { throw own(new Error('worse')) }) })));
      try { await own(broken.pipeTo(target)) } catch (error: any) { return own(error).message }
    },
    async iteration() {
      const iterator = own(source().values());
      const first = own(await own(iterator.next()));
      const { value, done } = first;
      own(await own(iterator.return()));
      return [own(value).length, done];
    },
    async from() { return await own(readAll(own(ReadableStream.from(own(['x', 'y']))))) },
    async writer() {
      let text = '';
      const writer = own(own(new WritableStream(own({ write: own((chunk: any) => { text += chunk }) }))).getWriter());
      await own(writer.write('a'));
      await own(writer.ready);
      await own(writer.close());
      await own(writer.closed);
      return text;
    },
    async digest() { return own(new Uint8Array(own(await own(crypto.subtle.digest('SHA-256', secret)))))[0] },
    async hmac() {
      const key = own(await own(crypto.subtle.importKey('raw', secret, hmac, true, uses)));
      const signature = own(await own(crypto.subtle.sign('HMAC', key, secret)));
      return [await own(crypto.subtle.verify('HMAC', key, signature, secret)), shown(await own(crypto.subtle.exportKey('jwk', key)))];
    },
    async importJwk() { return own(own(await own(crypto.subtle.importKey('jwk', jwk, hmac, true, uses))).algorithm).name },
    async keys() {
      const algorithm = own({ name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' });
      const pair = own(await own(crypto.subtle.generateKey(algorithm, true, uses)));
      const signature = own(await own(crypto.subtle.sign(algorithm, own(pair.privateKey), secret)));
      const spki = own(await own(crypto.subtle.exportKey('spki', own(pair.publicKey))));
      const key = own(await own(crypto.subtle.importKey('spki', spki, algorithm, true, own(['verify']))));
      return await own(crypto.subtle.verify(algorithm, key, signature, secret));
    },
    async clone() {
      const copy = own(structuredClone(own({ a: own([1, own({ b: 2 })]), c: own(new Date(5)), d: secret, e: own(new all.Float16Array(2)), f: own(new Error('x')) })));
      return [own(copy.a)[1].b, own(copy.d).length, own(copy.e).length, own(copy.c).getTime()];
    },
    async text() { return [own(new TextDecoder()).decode(own(own(new TextEncoder()).encode('häh'))), btoa(atob('YWI='))] },
    async events() {
      const target = own(new EventTarget());
      let heard = '';
      target.addEventListener('x', own((event: any) => { heard = own(event).type }), own({ once: true }));
      target.dispatchEvent(own(new Event('x', own({ cancelable: true }))));
      return heard;
    },
    async urls() { const at = own(new URL('a?b=c', 'https://d.example')); own(at.searchParams).append('e', 'f'); return [at.href, own(new URLSearchParams('a=b')).get('a')] },
    async marks() { performance.clearMarks(); own(performance.mark('m', own({ startTime: 5 }))); return own(performance.getEntriesByName('m')).length },
    async later() { let done = ''; queueMicrotask(own(() => { done = 'task' })); await undefined; await undefined; return done },
    async calls() { return [shown(await own((tgp as any).exec_tool('tools/test/other.ts', own({ a: 1 })))), own(tgp.list_files('tools/test')).length] },
  };
  const names = ownKeys(scenes);
  const results: any = { __proto__: null };
  // The engine awaits the promise of the tool itself.
  await undefined;
  if (traps !== null) arm(traps);
  own(crypto);
  own(crypto.subtle);
  own(performance);
  for (let i = 0; i < names.length; i++) {
    try {
      results[names[i]] = own(await own(scenes[names[i]]()));
    } catch (error: any) {
      isArmed = false;
      results[names[i]] = 'thrown: ' + error;
      isArmed = true;
    }
  }
  return { results, strangers: strangers() };
`;

/** What the server answers: a text, and for a body that body. @type {import('node:http').RequestListener} */
const answer = (request, response) => {
  if (request.url === '/never') return;
  response.setHeader('x-mine', 'yes');
  if (request.url === '/json') response.end('{"a":{"b":1}}');
  else if (request.method === 'POST') request.pipe(response);
  else response.end('what the server sent');
};

describe('THREAT: a guest that traps all prototypes', () => {
  it.each([
    ['before', false],
    ['after', true],
  ])('sees no internal value, and changes nothing: traps set %s the realm is complete', async (_, isBuilt) => {
    const { url } = await serveHttp(answer);
    const { forge, tools } = await createKernel({ sandbox: { timeoutMs: 20_000 }, allowedFetchUrls: [url] });
    await tools.write_file.execute({ path: 'tools/test/other.ts', content: 'export default (args: unknown) => args;' });
    const parameter = '{ url, traps, isBuilt }: { url: string; traps: string[] | null; isBuilt: boolean }';
    const source = `export default async (${parameter}) => { ${TRAPS} ${SCENES} }`;
    const untouched = /** @type {any} */ ((await forge(source, { url, traps: null, isBuilt })).result);
    const trapped = (await forge(source, { url, traps: await wordsOfScripts(), isBuilt })).result;
    expect(trapped).toEqual({ results: untouched.results, strangers: [] });
    expect(JSON.stringify(untouched)).not.toContain('thrown: ');
  });
});
