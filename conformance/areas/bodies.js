/** `Blob`, `File`, `FormData`, `Request`, `Response`. */

const HELPERS = `const caught = async (p) => { try { return ['good', await (typeof p === 'function' ? p() : p)] } catch (e) { return ['bad', e?.name ?? e] } };
const entries = (f) => [...f].map(([n, v]) => [n, typeof v === 'string' ? v : [v.name, v.type, v.size]]);
`;
const one = (/** @type {string} */ name, /** @type {string} */ code, /** @type {unknown} */ expected = undefined) => ({
  name,
  code: HELPERS + code,
  ...(expected === undefined ? {} : { expected }),
});

/** @type {{ name: string, code: string, expected?: unknown }[]} */
export const cases = [
  one(
    'Blob of parts',
    'const b = new Blob(["é", new Uint8Array([65, 66]), new Blob(["c"]), new Uint8Array([0, 67]).buffer, 1, null], { type: "Text/Plain" }); return [b.size, b.type, await b.text(), (await b.arrayBuffer()).byteLength, [...new Uint8Array(await b.arrayBuffer())]]',
  ),
  one(
    'Blob: slices',
    'const b = new Blob(["0123456789"]); return Promise.all([b.slice(2, 5), b.slice(-3), b.slice(3, -3), b.slice(5, 2), b.slice(0, 99, "A/B"), b.slice()].map(async (s) => [await s.text(), s.size, s.type]))',
  ),
  one(
    'Blob: types that are none',
    'return [new Blob([], { type: "ä" }).type, new Blob([], { type: "A b" }).type, new Blob().size, new Blob([], null ?? {}).type]',
  ),
  one('Blob: stream', 'const o = []; for await (const c of new Blob(["ab", "c"]).stream()) o.push(...c); return o'),
  one(
    'Blob: no list',
    'return [await caught(async () => new Blob("x")), await caught(async () => new Blob(1)), await caught(async () => new Blob({}))]',
  ),
  one(
    'Blob: endings',
    'return [await new Blob(["a\\r\\nb\\rc\\n"], { endings: "native" }).text(), await caught(async () => new Blob([], { endings: "x" }))]',
    ['a\nb\nc\n', ['bad', 'TypeError']],
  ),
  one('Blob: halves of characters', 'return [...new Uint8Array(await new Blob(["\\ud800"]).arrayBuffer())]'),
  one(
    'Blob: bytes are its own',
    'const u = new Uint8Array([1]); const b = new Blob([u]); u[0] = 2; new Uint8Array(await b.arrayBuffer())[0] = 3; return [...new Uint8Array(await b.arrayBuffer())]',
  ),
  one(
    'File',
    'const f = new File(["x"], "a/b.txt", { type: "t/x", lastModified: 5 }); return [f.name, f.lastModified, f.type, f.size, f instanceof Blob, Object.prototype.toString.call(f), typeof new File([], "n").lastModified, await caught(async () => new File([]))]',
  ),
  one(
    'FormData',
    'const f = new FormData(); f.append("a", "1"); f.append("a", 2); f.append("b", new Blob(["x"], { type: "t/t" })); f.append("c", new Blob(["y"]), "n.txt"); f.set("d", new File(["z"], "z.txt")); return [entries(f), f.get("a"), f.getAll("a"), f.get("none"), f.has("b"), [...f.keys()], f.get("b") instanceof File]',
  ),
  one(
    'FormData: set and delete',
    'const f = new FormData(); for (const n of ["a", "b", "a", "c"]) f.append(n, n); f.set("a", "x"); f.delete("b"); return entries(f)',
  ),
  one(
    'FormData: refusals',
    'const f = new FormData(); return [await caught(async () => f.append("a")), await caught(async () => f.append("a", "b", "c")), await caught(async () => new FormData(1))]',
  ),
  one(
    'FormData: large texts, and all line breaks',
    'const f = new FormData(); f.append("a", "x".repeat(1e7)); f.append("b", "1\\r2\\n3\\r\\n4\\n\\r\\n5\\r"); const g = await new Response(f).formData(); return [g.get("a").length, g.get("b")]',
    [10000000, '1\r\n2\r\n3\r\n4\r\n\r\n5\r\n'],
  ),
  one(
    'FormData: a body without its boundary',
    'return Promise.all(["xx\\r\\nX", "", "--", "x--abc--"].map((b) => caught(new Response(b, { headers: { "content-type": "multipart/form-data; boundary=abc" } }).formData().then(entries))))',
    Array(4).fill(['bad', 'TypeError']),
  ),
  one(
    'FormData: live',
    'const f = new FormData(); f.append("a", "1"); const o = []; for (const [n] of f) { o.push(n); if (o.length < 3) f.append(n + "x", "") } return o',
  ),
  one(
    'a form there and back',
    'const f = new FormData(); f.append("a b", "1\\n2"); f.append("quo\\"te", "ü"); f.append("file", new File([new Uint8Array([0, 255, 13, 10])], "ä\\".bin", { type: "x/y" })); f.append("empty", ""); const r = new Response(f); const t = r.headers.get("content-type"); const g = await r.formData(); return [t.split(";")[0], entries(g), [...new Uint8Array(await g.get("file").arrayBuffer())]]',
  ),
  one(
    'a form as text',
    'const f = new FormData(); f.append("a", "b"); const r = new Response(f); const boundary = r.headers.get("content-type").split("boundary=")[1]; return (await r.text()).replaceAll(boundary, "X")',
  ),
  one(
    'a form in a URL',
    'const r = new Response(new URLSearchParams({ a: "ü", b: " " })); return [r.headers.get("content-type"), entries(await r.formData())]',
  ),
  one(
    'a form that is none',
    'const f = (body, type) => caught(new Response(body, { headers: { "content-type": type } }).formData()); return [await f("x", "text/plain"), await f("x", "multipart/form-data; boundary=b"), await f("--b\\r\\n", "multipart/form-data; boundary=b"), await f("x", "multipart/form-data")]',
  ),
  one(
    'Response: ways to read',
    'const r = () => new Response("{\\"a\\":1}", { status: 201, statusText: "Made", headers: { x: "y" } }); return [await r().text(), await r().json(), (await r().arrayBuffer()).byteLength, (await r().blob()).type, r().status, r().ok, r().statusText, r().headers.get("x"), r().headers.get("content-type"), r().type, r().url, r().redirected]',
  ),
  one(
    'Response: once',
    'const r = new Response("x"); const a = r.bodyUsed; await r.text(); return [a, r.bodyUsed, await caught(r.text()), await caught(async () => r.clone()), r.body.locked]',
  ),
  one(
    'Response: nothing',
    'const r = new Response(); return [r.body, await r.text(), r.bodyUsed, r.status, [...r.headers], await caught(new Response().json())]',
  ),
  one(
    'Response: bodies',
    'const t = async (b) => { const r = new Response(b); return [r.headers.get("content-type"), await r.text()] }; return [await t("é"), await t(new Uint8Array([65])), await t(new Blob(["b"], { type: "a/b" })), await t(new Blob(["b"])), await t(new URLSearchParams("a=b")), await t(1), await t({})]',
  ),
  one(
    'Response: a stream',
    'const r = new Response("abc"); const o = []; for await (const c of r.body) o.push(...c); return [o, r.bodyUsed, await caught(r.text())]',
  ),
  one(
    'Response: of a stream',
    'const s = new ReadableStream({ start(c) { c.enqueue(new Uint8Array([104])); c.enqueue(new Uint8Array([105])); c.close() } }); const r = new Response(s); return [r.body === s, await r.text(), r.headers.get("content-type"), (await caught(async () => new Response(s)))[1]]',
  ),
  one(
    'Response: of a stream of text',
    'return caught(new Response(new ReadableStream({ start(c) { c.enqueue("x"); c.close() } })).text())',
  ),
  one(
    'Response: clones',
    'const r = new Response("x", { headers: { a: "b" } }); const c = r.clone(); return [await r.text(), await c.text(), c.headers.get("a"), c.bodyUsed]',
  ),
  one(
    'Response: clones of a stream',
    'const r = new Response(new ReadableStream({ start(c) { c.enqueue(new Uint8Array([104])); c.close() } })); const c = r.clone(); return [await c.text(), await r.text()]',
  ),
  one(
    'Response: statuses',
    'return Promise.all([199, 200, 599, 600, 204, "x"].map((status) => caught(async () => new Response(null, { status }).status)))',
  ),
  one(
    'Response: no body',
    'return Promise.all([204, 205, 304].map((status) => caught(async () => new Response("x", { status }))))',
  ),
  one(
    'Response.json',
    'const r = Response.json({ a: [1] }, { status: 400 }); return [r.status, r.headers.get("content-type"), await r.json(), await caught(async () => Response.json(undefined)), Response.json(1, { headers: { "content-type": "x/y" } }).headers.get("content-type")]',
  ),
  one(
    'Response.redirect',
    'const r = Response.redirect("http://a/b c", 301); return [r.status, r.headers.get("location"), await caught(async () => Response.redirect("http://a", 200)), (await caught(async () => r.headers.set("a", "b")))[1]]',
  ),
  one('Response.error', 'const r = Response.error(); return [r.type, r.status, r.ok, r.statusText]'),
  one(
    'Response: statusText',
    'return [await caught(async () => new Response("", { statusText: "a\\nb" })), await caught(async () => new Response("", { statusText: "✓" }))]',
  ),
  one(
    'Response: a mark at the start',
    'return [(await new Response("\\ufeffa").text()).length, (await new Response("\\ufeff[1]").json())]',
  ),
  one(
    'Request',
    'const r = new Request("http://a/b?c#d", { method: "post", headers: { a: "b" }, body: "x" }); return [r.url, r.method, r.headers.get("a"), r.headers.get("content-type"), await r.text(), r.bodyUsed, r.redirect, r.signal instanceof AbortSignal, r.signal.aborted, r.credentials, r.cache, r.mode, r.duplex]',
  ),
  one(
    'Request: methods',
    'return Promise.all(["get", "patch", "PATCH", "x-y", "CONNECT", "a b", ""].map((method) => caught(async () => new Request("http://a", { method }).method)))',
  ),
  one(
    'Request: bodies that must not be',
    'return [await caught(async () => new Request("http://a", { body: "x" })), await caught(async () => new Request("http://a", { method: "HEAD", body: "x" }))]',
  ),
  one(
    'Request: addresses',
    'return Promise.all(["x", "http://u:p@a/", "http://", "mailto:a"].map((u) => caught(async () => new Request(u).url)))',
  ),
  one(
    'Request: of a Request',
    'const a = new Request("http://a", { method: "POST", body: "x", headers: { q: "1" } }); const b = new Request(a, { headers: { z: "2" } }); return [b.method, b.url, await b.text(), [...b.headers].map(([n]) => n), a.bodyUsed]',
  ),
  one(
    'Request: clones',
    'const a = new Request("http://a", { method: "POST", body: "x" }); const b = a.clone(); return [await a.text(), await b.text(), b.method, await caught(async () => a.clone())]',
  ),
  one(
    'Request: signals',
    'const c = new AbortController(); const r = new Request("http://a", { signal: c.signal }); c.abort("why"); return [r.signal.aborted, r.signal.reason, r.signal === c.signal, await caught(async () => new Request("http://a", { signal: 1 }))]',
  ),
  one(
    'Request: a stream needs duplex',
    'const s = () => new ReadableStream({ start(c) { c.close() } }); return [await caught(async () => new Request("http://a", { method: "POST", body: s() })), (await caught(async () => new Request("http://a", { method: "POST", body: s(), duplex: "half" })))[0]]',
  ),
  one(
    'copies, when the guest has another class for buffers',
    'const old = ArrayBuffer.prototype.constructor; ArrayBuffer.prototype.constructor = { [Symbol.species]: function (n) { return new ArrayBuffer(n + 5) } }; try { return [(await new Blob(["hello"]).arrayBuffer()).byteLength, structuredClone(new Uint8Array(3).buffer).byteLength] } finally { ArrayBuffer.prototype.constructor = old }',
    [5, 3],
  ),
  one(
    'names',
    'return [Blob, File, FormData, Request, Response].map((C) => [C.name, Object.prototype.toString.call(C.prototype)])',
  ),
];
