/**
 * Programs that try to crash, hang or bloat their host. Each is the body of a tool; `codes` are the allowed error codes with
 * 64 MB of memory and `timeoutMs` of CPU time, by default 50.
 */

const TIMEOUT = ['ERR_ISOLATE_TIMEOUT'];
const MEMORY = ['ERR_ISOLATE_MEMORY'];
const THROWN = ['ERR_TOOL_THROWN'];
/** Growth that reaches one limit or the other first, depending on the machine. */
const GROWTH = [...MEMORY, ...TIMEOUT];
/** One request that is too large: V8 refuses it, runs out of memory, is too slow, or gives up. */
const HUGE = [...GROWTH, ...THROWN, 'ERR_ISOLATE_CRASHED', 'ERR_RESULT'];

/** @typedef {{ name: string, source: string, codes: string[], timeoutMs?: number }} Bomb */

/** @type {Bomb[]} */
export const BOMBS = [
  // CPU
  { name: 'an endless loop', source: 'while (true) {}', codes: TIMEOUT },
  { name: 'a loop in optimised code', source: 'let i = 0; for (;;) { i = (i * 3 + 1) | 0 }', codes: TIMEOUT },
  {
    name: 'a loop in try and finally',
    source: 'for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }',
    codes: TIMEOUT,
  },
  {
    name: 'finally that returns into the next loop',
    source: 'const again = () => { try { while (true) {} } finally { return again() } }; return again()',
    codes: TIMEOUT,
  },
  { name: 'an endless generator', source: 'return [...(function* () { for (;;) yield 1 })()].length', codes: GROWTH },
  {
    name: 'a generator that goes on when it is closed',
    source: 'for (const _ of (function* () { try { yield 1 } finally { for (;;) {} } })()) break',
    codes: TIMEOUT,
  },
  {
    name: 'an endless async generator',
    source: 'for await (const _ of (async function* () { for (;;) yield 1 })()) {}',
    codes: TIMEOUT,
  },
  {
    name: 'endless microtasks',
    source: 'const again = () => Promise.resolve().then(again); return again()',
    codes: TIMEOUT,
  },
  {
    name: 'queueMicrotask without end',
    source: 'const again = () => { Promise.resolve().then(again) }; again(); return new Promise(() => {})',
    codes: TIMEOUT,
  },
  {
    name: 'a thenable that resolves to itself again',
    source: 'const t = { then(done) { done(t) } }; return t',
    codes: TIMEOUT,
  },
  { name: 'an endless regular expression', source: "return /^(a+)+$/.test('a'.repeat(40) + 'b')", codes: TIMEOUT },
  {
    name: 'a regular expression over a long text',
    source: "return /(x+x+)+y/.test('x'.repeat(100000))",
    codes: TIMEOUT,
  },
  {
    name: 'a regular expression with look-behind',
    source: "return /(?<=(a+)+)b/.test('a'.repeat(5000)) || /(.*)*\\1x/.test('a'.repeat(60))",
    codes: [...TIMEOUT, ...THROWN],
  },
  {
    name: 'timers without end',
    source: 'const f = () => { setTimeout(f); for (let i = 0; i < 1e4; i++); }; f(); return new Promise(() => {})',
    codes: TIMEOUT,
  },
  {
    name: 'ten million timers',
    source: 'for (let i = 0; i < 1e7; i++) setInterval(() => {}, 0); return new Promise(() => {})',
    codes: HUGE,
  },
  { name: 'Date in a loop', source: 'for (;;) new Date().toISOString()', codes: TIMEOUT },
  {
    name: 'Intl in a loop',
    source:
      "for (let i = 0; ; i++) new Intl.DateTimeFormat(['de', 'ar-EG', 'th'][i % 3], { dateStyle: 'full' }).format(i)",
    codes: GROWTH,
  },
  {
    name: 'Intl.Segmenter over a long text',
    source: "return [...new Intl.Segmenter('ja', { granularity: 'word' }).segment('あいう'.repeat(1e6))].length",
    codes: GROWTH,
  },
  {
    name: 'normalisation of a long text',
    source: "let s = '\\u1E9B\\u0323'.repeat(1e5); for (;;) s = s.normalize('NFKD').normalize('NFC')",
    codes: GROWTH,
  },
  { name: 'console.log in a loop', source: "for (;;) console.log('x'.repeat(1000))", codes: TIMEOUT },
  {
    name: 'host calls in a loop',
    source: "for (;;) { try { tgp.read_file('tools/none.ts') } catch {} }",
    codes: TIMEOUT,
  },

  // Built-ins over huge lengths
  { name: 'Array(1e9).fill', source: 'return Array(1e9).fill(0).length', codes: HUGE },
  { name: 'Array(5e7).fill', source: 'return new Array(5e7).fill(0).length', codes: HUGE },
  {
    name: 'indexOf over a huge length',
    source: 'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    codes: TIMEOUT,
  },
  {
    name: 'includes over a huge length',
    source: 'return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)',
    codes: TIMEOUT,
  },
  {
    name: 'lastIndexOf over a huge length',
    source: 'return Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)',
    codes: TIMEOUT,
  },
  {
    name: 'reverse over a huge length',
    source: 'return Array.prototype.reverse.call({ length: 2 ** 53 - 1 })',
    codes: TIMEOUT,
  },
  { name: 'sort over a huge length', source: 'return Array.prototype.sort.call({ length: 2 ** 31 })', codes: HUGE },
  {
    name: 'splice over a huge length',
    source: 'return Array.prototype.splice.call({ length: 2 ** 53 - 1 }, 0, 1)',
    codes: HUGE,
  },
  { name: 'Array.from over a huge length', source: 'return Array.from({ length: 2 ** 32 - 1 }).length', codes: HUGE },
  {
    name: 'copyWithin over a huge length',
    source: 'return Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 1, 0)',
    codes: TIMEOUT,
  },
  {
    name: 'flat of doubled arrays',
    source: 'let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a.flat(Infinity).length',
    codes: HUGE,
  },
  { name: 'join of a sparse giant', source: "return new Array(2 ** 32 - 1).join('x').length", codes: HUGE },
  {
    name: 'toString of nested sparse giants',
    source: 'return String([new Array(2 ** 31), new Array(2 ** 31)]).length',
    codes: HUGE,
  },
  { name: 'apply with a huge array', source: 'return Math.max.apply(null, { length: 2 ** 30 })', codes: HUGE },
  { name: 'keys of a huge typed array', source: 'return Object.keys(new Uint8Array(3e7)).length', codes: HUGE },
  { name: 'sort of a typed array', source: 'const a = new Float64Array(4e6); for (;;) a.sort(() => 0.5)', codes: HUGE },

  // Memory
  { name: 'a 100 MB buffer', source: 'return new Uint8Array(100 * 1024 * 1024).length', codes: MEMORY },
  {
    name: 'many small buffers',
    source: 'const a = []; while (true) a.push(new Uint8Array(65536))',
    codes: MEMORY,
    timeoutMs: 2000,
  },
  {
    name: 'many tiny buffers',
    source: 'const a = []; while (true) a.push(new ArrayBuffer(64))',
    codes: MEMORY,
    timeoutMs: 2000,
  },
  {
    name: 'buffers kept in spite of errors',
    source:
      'const a = []; for (let n = 1 << 26; n > 0;) { try { a.push(new ArrayBuffer(n)) } catch { n >>= 1 } } for (;;) {}',
    codes: MEMORY,
    timeoutMs: 2000,
  },
  {
    name: 'ArrayBuffer.transfer to more',
    source: 'let b = new ArrayBuffer(1 << 20); for (;;) b = b.transfer(b.byteLength * 2)',
    codes: [...GROWTH, ...THROWN],
  },
  {
    name: 'a growing array',
    source: 'const a = []; while (true) a.push(new Array(1000).fill(1))',
    codes: MEMORY,
    timeoutMs: 2000,
  },
  {
    name: 'a growing Map',
    source: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })',
    codes: [...GROWTH, ...THROWN],
  },
  {
    name: 'a growing Set of strings',
    source: "const s = new Set(); for (let i = 0; ; i++) s.add('key' + i)",
    codes: [...GROWTH, ...THROWN],
  },
  {
    name: 'a growing object',
    source: 'const o = {}; for (let i = 0; ; i++) o["k" + i] = [i]',
    codes: MEMORY,
    // With short references it takes many objects to fill the heap.
    timeoutMs: 8000,
  },
  {
    name: 'a growing symbol registry',
    source: "for (let i = 0; ; i++) Symbol.for('s'.repeat(500) + i)",
    codes: MEMORY,
    timeoutMs: 2000,
  },
  {
    name: 'a doubling string',
    source: "let s = 'x'; const k = []; while (true) { s += s; k.push(s.split('')) }",
    codes: HUGE,
  },
  { name: 'a huge repeated string', source: "return 'x'.repeat(2 ** 29 - 24).split('').length", codes: HUGE },
  {
    name: 'padStart and replaceAll',
    source: "return 'ab'.padEnd(2 ** 28, 'ab').replaceAll('a', 'aaaaaaaa').length",
    codes: HUGE,
  },
  {
    name: 'closures that hold each other',
    source: 'let f = () => 0; for (;;) { const g = f, b = new Array(100).fill(0); f = () => g() + b.length }',
    codes: MEMORY,
    timeoutMs: 2000,
  },
  { name: 'a doubling BigInt', source: 'let n = 3n; for (;;) n *= n', codes: HUGE },
  { name: 'BigInt to text', source: 'return (7n ** 3000000n).toString().length', codes: HUGE },
  {
    name: 'promises that never settle',
    source: 'const a = []; for (;;) a.push(new Promise(() => {}).then(() => a))',
    codes: MEMORY,
    timeoutMs: 2000,
  },
  {
    name: 'weak references and finalisers',
    source:
      'const r = new FinalizationRegistry(() => { for (;;) {} }); for (;;) r.register({ big: new Array(100).fill(0) }, 1)',
    codes: MEMORY,
    // With short references it takes many objects to fill the heap.
    timeoutMs: 8000,
  },

  // Recursion
  { name: 'endless recursion', source: 'const f = () => f() + 1; return f()', codes: THROWN },
  {
    name: 'recursion that catches its end',
    source: 'const f = () => { try { f() } catch {} for (;;) f() }; f()',
    codes: TIMEOUT,
  },
  {
    name: 'recursion through toString',
    source: 'const o = { toString() { return String(o) } }; return String(o)',
    codes: THROWN,
  },
  {
    name: 'a proxy of itself',
    source: 'const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x',
    codes: THROWN,
  },
  {
    name: 'a proxy as its own prototype',
    source: 'const p = new Proxy({}, {}); Object.setPrototypeOf(p, Object.create(p)); return p.x',
    codes: THROWN,
  },
  { name: 'deep JSON', source: "return JSON.parse('['.repeat(1e6) + ']'.repeat(1e6)).length", codes: HUGE },
  {
    name: 'a deep regular expression',
    source: "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('')",
    codes: THROWN,
  },

  // Serialisation and errors
  { name: 'toJSON without end', source: 'return { toJSON() { for (;;) {} } }', codes: TIMEOUT },
  { name: 'a getter without end in the result', source: 'return { get a() { for (;;) {} } }', codes: TIMEOUT },
  {
    name: 'a proxy with endless keys as the result',
    source:
      "return new Proxy({}, { ownKeys: () => Array.from({ length: 1e7 }, (_, i) => 'k' + i), getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) })",
    codes: HUGE,
  },
  {
    name: 'a result that widens',
    source: 'let o = { a: 1 }; for (let i = 0; i < 60; i++) o = { l: o, r: o }; return o',
    codes: HUGE,
  },
  { name: 'a long sparse array as the result', source: 'return new Array(2 ** 32 - 1)', codes: HUGE },
  {
    name: 'a thrown error whose message never ends',
    source: 'throw new (class extends Error { get message() { for (;;) {} } })()',
    codes: [...TIMEOUT, ...THROWN],
  },
  {
    name: 'prepareStackTrace without end',
    source: 'Error.prepareStackTrace = () => { for (;;) {} }; throw new Error("x")',
    codes: [...TIMEOUT, ...THROWN],
  },
  {
    name: 'captureStackTrace with a huge limit',
    source:
      'Error.stackTraceLimit = Infinity; const f = (n) => { if (n > 0) return f(n - 1); const a = []; for (;;) { const e = {}; Error.captureStackTrace(e); a.push(e) } }; f(5000)',
    codes: GROWTH,
  },
  {
    name: 'an aggregate of errors',
    source:
      "let e = new Error('x'.repeat(1e6)); for (let i = 0; i < 1e4; i++) e = new AggregateError([e, e], 'y'.repeat(1e4), { cause: e }); throw e",
    codes: [...GROWTH, ...THROWN],
  },
  {
    name: 'a stack getter that grows',
    source:
      "const e = new Error('x'); Object.defineProperty(e, 'stack', { get: () => 'x'.repeat(2 ** 29 - 24) }); throw e",
    codes: [...GROWTH, ...THROWN],
  },
  {
    name: 'a sort comparator that never answers',
    source: 'return [3, 2, 1].sort(() => { for (;;) {} })',
    codes: TIMEOUT,
  },
  {
    name: 'Symbol.toPrimitive without end',
    source: 'return 1 + { [Symbol.toPrimitive]() { for (;;) {} } }',
    codes: TIMEOUT,
  },
];
