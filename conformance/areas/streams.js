/** `ReadableStream`, `WritableStream`, `TransformStream` and the streams made of them. */

const HELPERS = `const all = async (s) => { const o = []; for await (const c of s) o.push(c); return o };
const caught = async (p) => { try { return ['good', await (typeof p === 'function' ? p() : p)] } catch (e) { return ['bad', e?.name ?? e] } };
const of = (...items) => new ReadableStream({ start(c) { for (const i of items) c.enqueue(i); c.close() } });
`;
const one = (/** @type {string} */ name, /** @type {string} */ code, /** @type {unknown} */ expected = undefined) => ({
  name,
  code: HELPERS + code,
  ...(expected === undefined ? {} : { expected }),
});

/** @type {{ name: string, code: string, expected?: unknown }[]} */
export const cases = [
  one('chunks in order', 'return all(of(1, 2, 3))'),
  one(
    'a reader',
    'const r = of(1).getReader(); const a = [await r.read(), await r.read(), await r.closed]; r.releaseLock(); return [a, await caught(r.closed), await caught(() => r.read())]',
  ),
  one(
    'a lock',
    'const s = of(1); const r = s.getReader(); const l = s.locked; const w = await caught(async () => s.getReader()); const c = await caught(s.cancel()); r.releaseLock(); return [l, w, c, s.locked]',
  ),
  one(
    'pull on demand',
    'let n = 0; const o = []; const s = new ReadableStream({ pull(c) { o.push(["pull", c.desiredSize]); c.enqueue(++n); if (n === 3) c.close() } }); const r = s.getReader(); for (;;) { const { done, value } = await r.read(); if (done) break; o.push(value) } return o',
  ),
  one(
    'pull with a mark of 0',
    'let n = 0; const s = new ReadableStream({ pull(c) { n++; c.enqueue(n) } }, { highWaterMark: 0 }); await Promise.resolve(); const before = n; const r = s.getReader(); await r.read(); return [before, n]',
  ),
  one(
    'pull that takes time',
    'let n = 0; const s = new ReadableStream({ async pull(c) { await new Promise((d) => setTimeout(d, 1)); if (++n > 3) c.close(); else c.enqueue(n) } }); return all(s)',
  ),
  one(
    'an error of pull',
    'const s = new ReadableStream({ pull() { throw new RangeError("x") } }); const r = s.getReader(); return [await caught(r.read()), await caught(r.closed)]',
  ),
  one('an error of start', 'return caught(async () => new ReadableStream({ start() { throw new RangeError("x") } }))'),
  one(
    'a start that fails later',
    'return caught(new ReadableStream({ start: async () => { throw new RangeError("x") } }).getReader().read())',
  ),
  one(
    'controller.error',
    'let c; const s = new ReadableStream({ start(x) { c = x; c.enqueue(1) } }); c.error("bad"); return [c.desiredSize, await caught(s.getReader().read()), await caught(async () => c.enqueue(2)), await caught(async () => c.close())]',
  ),
  one(
    'after close',
    'let c; new ReadableStream({ start(x) { c = x } }); c.close(); return [c.desiredSize, await caught(async () => c.enqueue(2)), await caught(async () => c.close())]',
  ),
  one(
    'cancel',
    'const o = []; const s = new ReadableStream({ cancel(r) { o.push(r); return 5 } }); return [await s.cancel("why"), o, await s.cancel("again"), await all(s)]',
  ),
  one('cancel that fails', 'return caught(new ReadableStream({ cancel() { throw new RangeError() } }).cancel())'),
  one(
    'a loop that is left',
    'const o = []; const s = new ReadableStream({ pull(c) { c.enqueue(1) }, cancel(r) { o.push("cancel", r === undefined) } }); for await (const x of s) break; return [o, s.locked, await caught(s.getReader().read())]',
  ),
  one(
    'a loop that keeps',
    'const o = []; let n = 0; const s = new ReadableStream({ pull(c) { c.enqueue(++n) }, cancel() { o.push("cancel") } }); for await (const x of s.values({ preventCancel: true })) break; return [o, s.locked, await s.getReader().read()]',
  ),
  one(
    'sizes',
    'let c; const s = new ReadableStream({ start(x) { c = x } }, { highWaterMark: 10, size: (t) => t.length }); const o = [c.desiredSize]; c.enqueue("abc"); o.push(c.desiredSize); c.enqueue("defghijkl"); o.push(c.desiredSize); await s.getReader().read(); o.push(c.desiredSize); return o',
  ),
  one(
    'sizes that are none',
    'const f = (size) => caught(async () => { let c; new ReadableStream({ start(x) { c = x } }, { size }); c.enqueue(1) }); return [await f(() => -1), await f(() => NaN), await f(() => Infinity), await f(() => { throw new EvalError() })]',
  ),
  one(
    'marks that are none',
    'const f = (highWaterMark) => caught(async () => { new ReadableStream({}, { highWaterMark }) }); return [await f(-1), await f(NaN), await f("x"), (await f(Infinity))[0]]',
  ),
  one(
    'strategies',
    'const b = new ByteLengthQueuingStrategy({ highWaterMark: 5 }), c = new CountQueuingStrategy({ highWaterMark: 6 }); return [b.highWaterMark, b.size(new Uint8Array(3)), c.highWaterMark, c.size(9), await caught(async () => new CountQueuingStrategy())]',
  ),
  one('tee', 'const [a, b] = of(1, 2, 3).tee(); return [await all(a), await all(b)]'),
  one('tee: one cancelled', 'const [a, b] = of(1, 2).tee(); a.cancel("x"); return all(b)'),
  one(
    'tee: both cancelled',
    'let why; const s = new ReadableStream({ cancel(r) { why = r } }); const [a, b] = s.tee(); await Promise.all([a.cancel(1), b.cancel(2)]); return why',
  ),
  one(
    'tee: an error',
    'const s = new ReadableStream({ start(c) { c.error(new RangeError()) } }); const [a, b] = s.tee(); return [await caught(all(a)), await caught(all(b)), s.locked]',
  ),
  one(
    'from',
    'return [await all(ReadableStream.from([1, Promise.resolve(2)])), await all(ReadableStream.from(async function* () { yield 3; yield 4 }())), await all(ReadableStream.from("ab")), (await caught(async () => ReadableStream.from(1)))[1]]',
  ),
  one(
    'types of sources',
    'return [await caught(async () => new ReadableStream({ type: "x" })), await caught(async () => new ReadableStream(null)), await caught(async () => new ReadableStream({ pull: 1 }))]',
  ),
  one(
    'bytes',
    'const s = new ReadableStream({ type: "bytes", start(c) { c.enqueue(new Uint8Array([1, 2])); c.close() } }); return (await all(s)).map((b) => [...b])',
  ),
  one(
    'bytes: a reader with its own views',
    'let c; const s = new ReadableStream({ type: "bytes", start(x) { c = x } }); const r = s.getReader({ mode: "byob" }); const a = r.read(new Uint16Array(2)); c.enqueue(new Uint8Array([1])); c.enqueue(new Uint8Array([2, 3])); const b = r.read(new Uint8Array(9)); c.close(); const e = r.read(new Uint8Array(2)); c.byobRequest?.respond(0); return [...(await a).value, ...(await b).value, (await e).done, (await e).value.length, await r.closed]',
  ),
  one(
    'bytes: requests of the source',
    'const o = []; const s = new ReadableStream({ type: "bytes", autoAllocateChunkSize: 3, pull(c) { const q = c.byobRequest; o.push(q.view.byteLength, q === c.byobRequest); q.view[0] = o.length; q.respond(1); o.push(q.view) } }); const r = s.getReader(); const a = [...(await r.read()).value]; r.releaseLock(); const b = s.getReader({ mode: "byob" }); return [a, [...(await b.read(new Uint8Array(5))).value], o]',
  ),
  one(
    'bytes: what is none',
    'const s = () => new ReadableStream({ type: "bytes" }); return [await caught(async () => of(1).getReader({ mode: "byob" })), await caught(async () => s().getReader({ mode: "x" })), await caught(s().getReader({ mode: "byob" }).read(new Uint8Array(0))), await caught(s().getReader({ mode: "byob" }).read("x")), await caught(async () => new ReadableStream({ type: "bytes" }, { size: () => 1 })), await caught(async () => new ReadableStreamBYOBReader(of(1)))]',
  ),
  one(
    'bytes: tee',
    'const [a, b] = new Response("hello").body.tee(); const r = a.getReader({ mode: "byob" }); const v = (await r.read(new Uint8Array(3))).value; return [[...v], (await all(b)).map((x) => [...x]), (await r.cancel()) ?? 0]',
  ),
  one(
    'writes in order',
    'const o = []; const w = new WritableStream({ start() { o.push("start") }, async write(c) { await 0; o.push(c) }, close() { o.push("close") } }).getWriter(); w.write(1); w.write(2); await w.close(); return [o, await w.closed]',
  ),
  one(
    'pressure',
    'let done; const s = new WritableStream({ write: () => new Promise((d) => { done = d }) }, { highWaterMark: 2 }); const w = s.getWriter(); const o = [w.desiredSize]; w.write(1); o.push(w.desiredSize); w.write(2); o.push(w.desiredSize); let ready = false; w.ready.then(() => { ready = true }); await Promise.resolve(); await Promise.resolve(); o.push(ready); done(); await w.ready; o.push(w.desiredSize); return o',
  ),
  one(
    'a write that fails',
    'const s = new WritableStream({ write() { throw new RangeError() } }); const w = s.getWriter(); const a = await caught(w.write(1)); return [a, await caught(w.write(2)), await caught(w.closed), await caught(w.ready), await caught(w.close()), w.desiredSize]',
  ),
  one(
    'abort of a writer',
    'const o = []; const s = new WritableStream({ abort(r) { o.push(r) }, write(c, k) { o.push(k.signal.aborted); return new Promise((d) => k.signal.addEventListener("abort", () => { o.push("heard"); d() })) } }); const w = s.getWriter(); const p = caught(w.write(1)); await Promise.resolve(); await Promise.resolve(); await w.abort("why"); return [o, await p, await caught(w.closed), await caught(w.write(2))]',
  ),
  one(
    'close twice',
    'const w = new WritableStream().getWriter(); const a = w.close(); return [await caught(w.close()), await a, await caught(w.write(1))]',
    [
      // Node 20 has a bug here.
      ['bad', 'TypeError'],
      null,
      ['bad', 'TypeError'],
    ],
  ),
  one(
    'controller of a writer',
    'let k; const s = new WritableStream({ start(x) { k = x } }); k.error(new RangeError()); return [await caught(s.getWriter().closed), k.signal.aborted]',
  ),
  one(
    'a writer that lets go',
    'const s = new WritableStream(); const w = s.getWriter(); w.releaseLock(); return [s.locked, await caught(w.write(1)), await caught(w.closed), await caught(async () => w.desiredSize)]',
  ),
  one(
    'a locked writer',
    'const s = new WritableStream(); s.getWriter(); return [s.locked, await caught(async () => s.getWriter()), await caught(s.close()), await caught(s.abort())]',
  ),
  one(
    'pipeTo',
    'const o = []; const w = new WritableStream({ write(c) { o.push(c) }, close() { o.push("close") } }); await of(1, 2).pipeTo(w); return [o, w.locked, await caught(w.getWriter().closed)]',
  ),
  one(
    'pipeTo that leaves open',
    'const o = []; const w = new WritableStream({ write(c) { o.push(c) }, close() { o.push("close") } }); await of(1).pipeTo(w, { preventClose: true }); await of(2).pipeTo(w); return o',
  ),
  one(
    'pipeTo from an error',
    'const o = []; const s = new ReadableStream({ start(c) { c.error(new RangeError()) } }); const w = new WritableStream({ abort(r) { o.push(r.name) } }); return [await caught(s.pipeTo(w)), o]',
  ),
  one(
    'pipeTo into an error',
    'const o = []; const s = new ReadableStream({ pull(c) { c.enqueue(1) }, cancel(r) { o.push(r.name) } }); const w = new WritableStream({ write() { throw new RangeError() } }); return [await caught(s.pipeTo(w)), o, s.locked]',
  ),
  one(
    'pipeTo with a signal',
    'const o = []; const a = new AbortController(); const s = new ReadableStream({ cancel(r) { o.push("cancel", r) } }); const w = new WritableStream({ abort(r) { o.push("abort", r) } }); const p = caught(s.pipeTo(w, { signal: a.signal })); a.abort("why"); return [await p, o.sort()]',
  ),
  one(
    'pipeTo with a signal that has fired',
    'return caught(of(1).pipeTo(new WritableStream(), { signal: AbortSignal.abort("why") }))',
  ),
  one(
    'pipeTo of what is none',
    'return [await caught(of(1).pipeTo({})), await caught(async () => of(1).pipeThrough({})), await caught(async () => of(1).pipeThrough())]',
  ),
  one(
    'transform',
    'const t = new TransformStream({ transform(c, k) { k.enqueue(c); k.enqueue(c * 2) }, flush(k) { k.enqueue("end") } }); return all(of(1, 2).pipeThrough(t))',
  ),
  one(
    'transform that takes time',
    'const t = new TransformStream({ async transform(c, k) { await new Promise((d) => setTimeout(d, 1)); k.enqueue(c + 1) } }); return all(of(1, 2, 3).pipeThrough(t))',
  ),
  one('transform of nothing', 'return all(of(1, 2).pipeThrough(new TransformStream()))'),
  one(
    'transform that fails',
    'const t = new TransformStream({ transform() { throw new RangeError() } }); return caught(all(of(1).pipeThrough(t)))',
  ),
  one(
    'transform that ends',
    'const t = new TransformStream({ transform(c, k) { k.enqueue(c); k.terminate() } }); return all(of(1, 2, 3).pipeThrough(t))',
  ),
  one(
    'transform: error by its controller',
    'const t = new TransformStream({ start(k) { k.error(new RangeError()) } }); return [await caught(all(t.readable)), await caught(t.writable.getWriter().write(1))]',
  ),
  one(
    'transform: writer and reader by hand',
    'const t = new TransformStream(); const w = t.writable.getWriter(), r = t.readable.getReader(); w.write("a"); w.close(); return [await r.read(), await r.read()]',
  ),
  one(
    'transform: the reader cancels',
    'const t = new TransformStream(); await t.readable.cancel("why"); return caught(t.writable.getWriter().write(1))',
  ),
  one(
    'transform: the writer aborts',
    'const t = new TransformStream(); const r = t.readable.getReader(); const p = caught(r.read()); await t.writable.abort("why"); return p',
  ),
  one(
    'text streams',
    'const s = of("a\\ud83d", "\\ude00", "é").pipeThrough(new TextEncoderStream()); const chunks = await all(s); return [chunks.map((c) => [...c]), (await all(of(...chunks).pipeThrough(new TextDecoderStream()))).join("")]',
  ),
  one(
    'text streams: cut characters',
    'const b = new TextEncoder().encode("€😀"); const s = of(...[...b].map((x) => new Uint8Array([x]))).pipeThrough(new TextDecoderStream()); return (await all(s)).join("|")',
  ),
  one(
    'text streams: fatal',
    'return caught(all(of(new Uint8Array([255])).pipeThrough(new TextDecoderStream("utf-8", { fatal: true }))))',
  ),
  ...['gzip', 'deflate', 'deflate-raw'].map((format) =>
    one(
      `${format} there and back`,
      `const text = "hello ".repeat(20000) + "end"; const join = async (s) => new Uint8Array(await new Response(s).arrayBuffer()); const packed = await join(of(new TextEncoder().encode(text)).pipeThrough(new CompressionStream("${format}"))); const back = await join(of(packed.slice(0, 10), packed.slice(10)).pipeThrough(new DecompressionStream("${format}"))); return [packed.length < 2000, new TextDecoder().decode(back) === text]`,
    ),
  ),
  one(
    'gzip that Node has packed',
    'const packed = Uint8Array.from(atob("H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=="), (c) => c.charCodeAt(0)); return caught(new Response(of(packed).pipeThrough(new DecompressionStream("gzip"))).text())',
  ),
  one(
    'what is not packed',
    'return caught(new Response(of(new Uint8Array([1, 2, 3])).pipeThrough(new DecompressionStream("gzip"))).text())',
    ['bad', 'TypeError'],
  ),
  one(
    'formats that are none',
    'return [await caught(async () => new CompressionStream("zip")), await caught(async () => new DecompressionStream())]',
  ),
  one(
    'chunks that are no bytes',
    'return (await caught(new Response(of("text").pipeThrough(new CompressionStream("gzip"))).text()))[0]',
    'bad',
  ),
  one(
    'names',
    'return [ReadableStream, WritableStream, TransformStream, CompressionStream].map((C) => [C.name, C.length, Object.prototype.toString.call(C.prototype)])',
  ),
];
