/** The language itself: compiled code must behave like the original in V8. */

const lines = (/** @type {string[]} */ ...parts) => parts.join('\n');

/** @type {import('../outcome.mjs').Case[]} */
export const cases = [
  { name: 'a class that extends an arrow', code: 'class C extends (() => {}) {}' },
  { name: 'a class that extends a call', code: 'const f = () => class { a = 1 }; return new (class extends f() {})()' },
  { name: 'a class that extends null', code: 'class C extends null { static x = 1 } return C.x' },
  {
    name: 'accessors, privates, static blocks',
    code: 'class C { static #n = 1; static { this.m = C.#n + 1 } } return C.m',
  },
  {
    name: 'names of functions',
    code: 'const a = () => {}, b = class {}; let { c = function () {} } = {}; return [a.name, b.name, c.name]',
  },
  { name: 'holes', code: 'return [[, 1,].length, 0 in [, 1]]' },
  { name: 'tagged templates', code: 'const t = (s, ...v) => [s.raw, s, v]; return t`a\\n$' + '{1}\\u{41}`' },
  { name: 'template that is no text', code: 'const t = (s) => s[0]; return t`\\unicode` === undefined' },
  { name: 'labels', code: 'let n = 0; a: for (;;) { for (;;) { n++; if (n > 3) break a; continue a } } return n' },
  { name: 'comma, void, exponent', code: 'return [(1, 2), void 0, (-2) ** 2, 2 ** -1, 2 ** 3 ** 2]' },
  {
    name: 'optional chains',
    code: 'const a = { b: null, f() { return this.c }, c: 1 }; return [a?.b?.c.d, a.f?.(), a?.["c"], delete a?.c]',
  },
  { name: 'logical assignment', code: 'let a = null, b = 0, c = 1; a ??= 2; b ||= 3; c &&= 4; return [a, b, c]' },
  {
    name: 'generators',
    code: 'function* g() { const x = yield 1; try { yield x } finally { yield 3 } } const i = g(); return [i.next(), i.next(2), i.return(9), i.next()]',
  },
  {
    name: 'async generators',
    code: 'async function* g() { yield 1; yield* [2, Promise.resolve(3)] } const o = []; for await (const x of g()) o.push(x); return o',
  },
  {
    name: 'destructuring',
    code: 'const { a: [b = 2, ...c], ...d } = { a: [undefined, 3, 4], e: 5 }; return { b, c, d }',
  },
  { name: 'parameters', code: 'const f = (a, b = a, ...c) => [a, b, c, f.length]; return f(1, undefined, 3)' },
  { name: 'new.target', code: 'function F() { return { t: new.target === F } } return [new F(), F()]' },
  {
    name: 'getters of objects',
    code: 'const o = { get x() { return 1 }, set x(v) { this.y = v }, __proto__: { z: 3 } }; o.x = 2; return [o.x, o.y, o.z]',
  },
  { name: 'named groups', code: "return 'a1'.match(/(?<l>[a-z])(?<d>\\d)/).groups" },
  { name: 'sets of patterns', code: "return 'aÄ1'.replace(/[\\p{L}--[a-z]]/v, '-')" },
  { name: 'numeric separators', code: 'return [1_000, 0b1_0, 0x1_f, 1_0n.toString()]' },
  {
    name: 'shadowed globals',
    code: 'const Object = 1, Promise = 2, undefined_ = 3; return [Object, Promise, undefined_]',
  },
  {
    name: 'variables in blocks',
    code: 'const f = []; for (let i = 0; i < 3; i++) f.push(() => i); return f.map((g) => g())',
  },
  {
    name: 'switch',
    code: 'const f = (x) => { switch (x) { case 1: return "a"; default: return "b"; case 2: return "c" } }; return [1, 2, 3].map(f)',
  },
  { name: 'error cause', code: "return new Error('a', { cause: 'b' }).cause" },
  {
    name: 'array methods by copy',
    code: 'return [[3, 1].toSorted(), [1, 2].with(0, 9), [1, 2, 3].toSpliced(1, 1), [1].at(-1)]',
  },
  {
    name: 'grouping',
    code: 'return Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even"))',
    expected: { odd: [1, 3], even: [2] },
  },
  { name: 'sets', code: 'return typeof Set.prototype.union', expected: 'function' },
  { name: 'iterator helpers', code: 'return [1, 2, 3].values().map((n) => n * 2).toArray()', expected: [2, 4, 6] },
  {
    name: 'using',
    code: 'const log = []; { using a = { [Symbol.dispose]() { log.push(1) } }; log.push(0) } return log',
    expected: [0, 1],
  },
  {
    name: 'using in the head of a loop',
    code: 'const log = []; for (using a = { n: 0, [Symbol.dispose]() { log.push("x") } }; a.n < 2; a.n++) log.push(a.n); return log',
    expected: [0, 1, 'x'],
  },
  {
    name: 'source text of functions',
    code: 'function  f ( a /* b */ ) { return a+1 }\nreturn [f, (  ) =>  1, class  A { }].map(String)',
  },
  {
    name: 'enums and types',
    code: lines(
      'enum A { x, y = 5, z }',
      'const f = <T,>(a: T): T => a;',
      "return [A.z, A[5], f<string>('b') satisfies string]",
    ),
    expected: [6, 'y', 'b'],
  },
  {
    name: 'decorators',
    code: lines(
      'const twice = (f: Function) => function (this: unknown) { return 2 * f.call(this) };',
      'class A { @twice m() { return 21 } }',
      'return new A().m()',
    ),
    expected: 42,
  },
  {
    name: 'a script without strict mode',
    file: 'case.js',
    code: 'x = 1; return [delete this.x, (function () { return typeof this })(), 010]',
  },
];
