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
    async byteStream() {
      const pull = own((controller: any) => {
        const request = own(own(controller).byobRequest);
        own(request.view)[0] = 7;
        request.respond(1);
      });
      const reader = own(own(new ReadableStream(own({ type: 'bytes', pull }))).getReader(own({ mode: 'byob' })));
      const step = own(await own(reader.read(own(new Uint8Array(2)), own({ min: 1 }))));
      return [own(step.value).length, step.value[0], step.done];
    },
    async byteTee() {
      const pair = own(own(own(new Response('ab')).body).tee());
      const reader = own(own(pair[0]).getReader(own({ mode: 'byob' })));
      const step = own(await own(reader.read(own(new DataView(own(new ArrayBuffer(3)))))));
      return [own(step.value).byteLength, await own(readAll(own(pair[1])))];
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
    async ciphers() {
      const found = own([]), raw = own(new Uint8Array(16));
      const all = own(['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']);
      const params = own([own({ name: 'AES-GCM', iv: secret, additionalData: secret }), own({ name: 'AES-CBC', iv: raw }), own({ name: 'AES-CTR', counter: raw, length: 64 })]);
      for (let i = 0; i < params.length; i++) {
        const key = own(await own(crypto.subtle.importKey('raw', raw, params[i].name, true, all)));
        const packed = own(await own(crypto.subtle.encrypt(params[i], key, secret)));
        found[found.length] = own(await own(crypto.subtle.decrypt(params[i], key, packed))).byteLength;
        const wrapped = own(await own(crypto.subtle.wrapKey('jwk', key, key, params[i])));
        const again = own(await own(crypto.subtle.unwrapKey('jwk', wrapped, key, params[i], params[i], true, all)));
        found[found.length] = shown(await own(crypto.subtle.exportKey('jwk', again)));
      }
      const kek = own(await own(crypto.subtle.generateKey(own({ name: 'AES-KW', length: 128 }), true, own(['wrapKey', 'unwrapKey']))));
      const wrapped = own(await own(crypto.subtle.wrapKey('raw', kek, kek, 'AES-KW')));
      found[found.length] = own(own(await own(crypto.subtle.unwrapKey('raw', wrapped, kek, 'AES-KW', 'AES-KW', true, own(['wrapKey'])))).algorithm).length;
      return found;
    },
    async derivation() {
      const found = own([]);
      const params = own([own({ name: 'PBKDF2', hash: 'SHA-256', salt: secret, iterations: 9 }), own({ name: 'HKDF', hash: 'SHA-256', salt: secret, info: secret })]);
      for (let i = 0; i < params.length; i++) {
        const key = own(await own(crypto.subtle.importKey('raw', secret, params[i].name, false, own(['deriveBits', 'deriveKey']))));
        found[found.length] = own(new Uint8Array(own(await own(crypto.subtle.deriveBits(params[i], key, 80)))))[9];
        own(await own(crypto.subtle.deriveKey(params[i], key, own({ name: 'AES-CBC', length: 128 }), true, own(['encrypt']))));
      }
      const algorithm = own({ name: 'ECDH', namedCurve: 'P-384' });
      const pair = own(await own(crypto.subtle.generateKey(algorithm, true, own(['deriveBits']))));
      const exported = own(await own(crypto.subtle.exportKey('jwk', own(pair.publicKey)))); own(exported.key_ops);
      const open = own(await own(crypto.subtle.importKey('jwk', exported, algorithm, true, own([]))));
      const kept = own(await own(crypto.subtle.importKey('pkcs8', own(await own(crypto.subtle.exportKey('pkcs8', own(pair.privateKey)))), algorithm, true, own(['deriveBits']))));
      found[found.length] = own(await own(crypto.subtle.deriveBits(own({ name: 'ECDH', public: open }), kept, 384))).byteLength;
      return found;
    },
    async rsa() {
      const algorithm = own({ name: 'RSA-OAEP', modulusLength: 2048, publicExponent: own(new Uint8Array(own([1, 0, 1]))), hash: 'SHA-256' });
      const pair = own(await own(crypto.subtle.generateKey(algorithm, true, own(['encrypt', 'decrypt']))));
      const jwk = own(await own(crypto.subtle.exportKey('jwk', own(pair.privateKey))));
      jwk.key_ops = own(['decrypt']);
      const kept = own(await own(crypto.subtle.importKey('jwk', jwk, algorithm, true, jwk.key_ops)));
      const packed = own(await own(crypto.subtle.encrypt(own({ name: 'RSA-OAEP', label: secret }), own(pair.publicKey), secret)));
      return own(await own(crypto.subtle.decrypt(own({ name: 'RSA-OAEP', label: secret }), kept, packed))).byteLength;
    },
    async node() {
      const parts = own((console as any)[Symbol.for('tgp.node')]);
      const zlib = own(parts('zlib')), found = own([zlib.crc32(secret, 0)]);
      const formats = own(['gzip', 'deflate-raw', 'brotli']);
      for (let i = 0; i < formats.length; i++) {
        const pack = own(own(zlib.openCodec)(formats[i], true, 6, 15, 8, 0, undefined));
        const packed = own(own(pack.push)(secret, 0, 100, formats[i] === 'brotli' ? 2 : 4));
        own(pack.close)();
        const unpack = own(own(zlib.openCodec)(formats[i], false));
        found[found.length] = own(own(own(unpack.push)(own(packed[1]), 0, 100, 0))[1]).length;
        found[found.length] = own(own(zlib.openCodec)('gzip', false)).push(secret, 0, 100, 0);
      }
      const engine = own(parts('crypto')), cipher = own(own(engine.openCipher)('gcm', true, own(new Uint8Array(16)), secret, secret));
      found[found.length] = own(own(cipher.update)(secret)).length + own(own(cipher.end)()).length;
      found[found.length] = own(own(engine.pbkdf2)('SHA-1', secret, secret, 9, 9))[8];
      return found;
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
    async logged() {
      class Mine { constructor() { own(this) } field = own([1, own({ a: 'it' + "'s" })]); get more() { return 1 } }
      const form = own(new FormData());
      form.append('a', 'b');
      const shownResponse = own(new Response('x'));
      own(shownResponse.body);
      console.log(own(new Mine()), own(new Map()).set('k', own(new Set())), own(new Error('shown', own({ cause: own(new RangeError('why')) }))));
      console.log('%s %d %j %o', own(new Mine()), 1, own({ a: 1 }), own([secret, own(new Date(0)), own(/x/g), own(() => 1), own(Promise.resolve(own([1])))]));
      console.log(own(new Headers(own({ a: 'b' }))), own(new URLSearchParams('a=b')), own(new URL('http://a/b')), form, shownResponse, source());
      console.dir(own({ b: own(new Proxy(own([1]), own({}))), a: own(new WeakSet()) }), own({ sorted: true, showHidden: true, colors: true }));
      console.table(own([own({ a: 1 }), own([2])]));
      console.group('in');
      console.assert(false, own({}));
      console.groupEnd();
      return 'logged';
    },
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
