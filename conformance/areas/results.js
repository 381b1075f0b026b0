/** Values that leave the sandbox (docs/sandbox.md, "Serialisation"). */

/** @type {import('../outcome.mjs').Case[]} */
export const cases = [
  { name: 'plain data', code: "return { a: [1, 'b', true, null, 1.5e300], c: { d: {} } }" },
  { name: 'what JSON leaves out', code: 'return { a: undefined, b: [undefined, NaN, Infinity, -0] }' },
  { name: 'dates', code: 'return [new Date(0), new Date(NaN)]' },
  { name: 'toJSON', code: "return { toJSON: () => ({ a: 'b' }) }" },
  { name: 'boxed values', code: "return [Object(1), Object('a'), Object(false)]" },
  { name: 'URL', code: "return new URL('http://a/b?c#d')" },
  { name: 'class instances', code: 'return new (class { x = 1; #y = 2; static z = 3 })()' },
  { name: 'nothing', code: '' },
  { name: 'lone surrogates', code: "return ['\\ud800', 'a\\udc00b']" },
  { name: 'keys in their order', code: 'return { b: 1, a: 2, 1: 3, 0: 4 }' },
  { name: 'getters', code: 'return { get a() { return 1 } }' },
  { name: 'symbols as keys', code: 'return { [Symbol.iterator]: 1, a: 2 }' },
  { name: 'Map', code: "return new Map([['a', 1], [2, 3]])", expected: { a: 1, 2: 3 } },
  { name: 'Set', code: 'return new Set([1, 2])', expected: [1, 2] },
  { name: 'BigInt', code: 'return 2n ** 70n', expected: '1180591620717411303424' },
  { name: 'Error', code: "return new TypeError('no')", expected: { $error: { name: 'TypeError', message: 'no' } } },
  { name: 'RegExp', code: 'return /a/g', expected: { $regexp: '/a/g' } },
  { name: 'bytes', code: 'return new Uint8Array([1, 2])', expected: { $base64: 'AQI=' } },
  { name: 'buffer', code: 'return new Uint8Array([1, 2]).buffer', expected: { $base64: 'AQI=' } },
  { name: 'numbers', code: 'return new Float32Array([0.5])', expected: [0.5] },
];
