/** `Headers`. */

const tries = (/** @type {string} */ code) => `try { ${code}; return 'nothing' } catch (error) { return error.name }`;

/** @type {{ name: string, code: string, expected?: unknown }[]} */
export const cases = [
  {
    name: 'pairs, records, itself',
    code: "return [[...new Headers([['A', '1'], ['a', '2']])], [...new Headers({ B: 3, a: ' x ' })], [...new Headers(new Headers({ c: 'd' }))], [...new Headers(new Map([['m', 'n']]))]]",
  },
  { name: 'no text', code: tries("new Headers('a: b')") },
  { name: 'null', code: tries('new Headers(null)') },
  { name: 'a number', code: tries('new Headers(1)') },
  { name: 'a pair of one', code: tries("new Headers([['a']])") },
  { name: 'a pair of three', code: tries("new Headers([['a', 'b', 'c']])") },
  { name: 'a pair of none', code: tries('new Headers([[]])') },
  { name: 'a pair that is text', code: tries("new Headers(['ab'])") },
  { name: 'a name that is none', code: tries("new Headers({ 'a b': 'c' })") },
  { name: 'an empty name', code: tries("new Headers([['', 'x']])") },
  { name: 'a name beyond ASCII', code: tries("new Headers().get('ä')") },
  { name: 'a value beyond a byte', code: tries("new Headers({ a: '✓' })") },
  { name: 'a value of latin 1', code: "return new Headers({ a: 'ä' }).get('a')" },
  { name: 'a line break', code: tries("new Headers({ a: 'b\\nc' })") },
  { name: 'blanks around', code: "return new Headers({ a: ' \\t b c \\r\\n' }).get('A')" },
  { name: 'append without a value', code: tries("new Headers().append('a')") },
  {
    name: 'joined',
    code: "const h = new Headers(); h.append('a', '1'); h.append('A', '2'); h.append('b', ''); h.append('b', 'x'); return [h.get('a'), h.get('b'), h.get('c'), h.has('B'), [...h.keys()], [...h.values()]]",
  },
  {
    name: 'cookies stay apart',
    code: "const h = new Headers(); h.append('Set-Cookie', 'a=1'); h.append('set-cookie', 'b=2'); h.append('x', '1'); return [h.getSetCookie(), [...h], h.get('set-cookie')]",
  },
  { name: 'sorted', code: "return [...new Headers({ z: '1', B: '2', a: '3' })].map(([n]) => n)" },
  {
    name: 'live: added while iterating',
    code: "const h = new Headers({ b: '1' }); const o = []; for (const [n] of h) { o.push(n); if (n === 'b') h.append('c', '2') } return o",
  },
  {
    name: 'live: deleted while iterating',
    code: "const h = new Headers({ a: '1', b: '2', c: '3' }); const o = []; for (const [n] of h) { o.push(n); h.delete('b') } return o",
  },
  {
    name: 'live: forEach',
    code: "const h = new Headers({ a: '1' }); const o = []; h.forEach((v, n, all) => { o.push(n, v, all === h); if (n === 'a') h.set('b', '2') }); return o",
  },
  {
    name: 'iterators',
    code: "const i = new Headers({ a: '1' }).entries(); return [Object.prototype.toString.call(i), typeof i[Symbol.iterator], i.next(), i.next(), i.next(), Headers.prototype[Symbol.iterator] === Headers.prototype.entries]",
  },
  { name: 'forEach without a function', code: tries('new Headers().forEach()') },
  { name: 'symbols', code: tries("new Headers({ [Symbol('a')]: 'b' })") },
  { name: 'getters that throw', code: tries('new Headers({ get a() { throw new RangeError() } })') },
  {
    name: 'set and delete',
    code: "const h = new Headers({ a: '1', b: '2' }); h.set('A', '9'); h.delete('B'); h.delete('c'); return [...h]",
  },
];
