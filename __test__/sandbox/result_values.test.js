import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** The encoding of each value, the same for results and for arguments of host calls. */
const ENCODED = /** @type {[string, unknown][]} */ ([
  ["new Error('no')", { $error: { name: 'Error', message: 'no' } }],
  ["new TypeError('no')", { $error: { name: 'TypeError', message: 'no' } }],
  [
    "Object.assign(new Error('no'), { code: 'E', status: 404 })",
    { $error: { name: 'Error', message: 'no', code: 'E', status: 404 } },
  ],
  [
    "new Error('outer', { cause: new RangeError('inner') })",
    { $error: { name: 'Error', message: 'outer', cause: { $error: { name: 'RangeError', message: 'inner' } } } },
  ],
  [
    "new AggregateError([new Error('a'), 2], 'both')",
    { $error: { name: 'AggregateError', message: 'both', errors: [{ $error: { name: 'Error', message: 'a' } }, 2] } },
  ],
  ["new (class Odd extends Error { name = 'Odd' })('no')", { $error: { name: 'Odd', message: 'no' } }],
  ["new DOMException('no', 'AbortError')", { $error: { name: 'AbortError', message: 'no' } }],
  ['/a+/gi', { $regexp: '/a+/gi' }],
  ["new RegExp('/')", { $regexp: '/\\//' }],
  ['new Uint8Array([104, 105])', { $base64: 'aGk=' }],
  ['new Uint8ClampedArray([104, 105])', { $base64: 'aGk=' }],
  ['new Uint8Array([1, 104, 105, 2]).subarray(1, 3)', { $base64: 'aGk=' }],
  ['new Uint8Array([104, 105]).buffer', { $base64: 'aGk=' }],
  ['new DataView(new Uint8Array([1, 104, 105]).buffer, 1)', { $base64: 'aGk=' }],
  ['new Uint8Array(0)', { $base64: '' }],
  ['new ArrayBuffer(0)', { $base64: '' }],
  ['new Int16Array([-1, 2])', [-1, 2]],
  ['new Float64Array([0.5, NaN])', [0.5, null]],
  ['new BigInt64Array([1n, -2n])', ['1', '-2']],
  ['12345678901234567890n', '12345678901234567890'],
  ['new Map([["a", 1], [2, new Set([3])]])', { a: 1, 2: [3] }],
  ['new Set([1, [2]])', [1, [2]]],
  ['new Date(0)', '1970-01-01T00:00:00.000Z'],
  ["new URL('http://a/b')", 'http://a/b'],
  ['[Object(1), Object("a"), Object(true), Object(1n)]', [1, 'a', true, '1']],
  ['[undefined, NaN, Infinity, -0]', [null, null, null, 0]],
  ['({ a: undefined, b: null })', { b: null }],
  ['new (class Point { x = 1; #y = 2; get z() { return 3 } })()', { x: 1 }],
  ['new (class Empty {})()', {}],
  ['Object.create(null)', {}],
  ['new Proxy({ a: 1 }, {})', { a: 1 }],
  ['(function () { return arguments })(1, 2)', { 0: 1, 1: 2 }],
]);

/** Values without a meaningful encoding. */
const REFUSED = /** @type {[string, RegExp][]} */ ([
  ['() => 1', /is a function/],
  ["Symbol('a')", /is a symbol/],
  ["Object(Symbol('a'))", /is a symbol/],
  ['new Promise(() => {})', /is a promise: await it first/],
  ['(function* () {})()', /is a generator/],
  ['(async function* () {})()', /is a generator/],
  ['new WeakMap()', /is a WeakMap/],
  ['new WeakSet()', /is a WeakSet/],
  ['new WeakRef({})', /of the class WeakRef/],
  ['[].values()', /of the class Array Iterator/],
  ['new Map().keys()', /of the class Map Iterator/],
  ['new Intl.NumberFormat()', /of the class Intl.NumberFormat/],
  ['new AbortController()', /of the class AbortController/],
  ["new URLSearchParams('a=1')", /of the class URLSearchParams/],
  ['new Map([[{}, 1]])', /is a Map with a key that is not a string or number/],
]);

async function recordingKernel() {
  /** @type {unknown[]} */
  const taken = [];
  const { kernel } = await createKernel(
    { sandbox: { timeoutMs: 1000 } },
    { sandboxAPI: { take: async (/** @type {unknown} */ value) => void taken.push(value) } },
  );
  return { kernel, taken };
}

describe('values that leave the sandbox', () => {
  it.each(ENCODED)('%s is encoded as JSON', async (value, expected) => {
    const { kernel, taken } = await recordingKernel();
    const { result } = await kernel.run(
      `const value = ${value};\nawait tgp.take(value);\nreturn { value, list: [value] }`,
    );
    expect(result).toEqual({ value: expected, list: [expected] });
    expect(taken).toEqual([expected]);
  });

  it.each(REFUSED)('%s is refused with its path', async (value, why) => {
    const { kernel, taken } = await recordingKernel();
    const { code, message } = await kernel.run(`return { rows: [1, { value: ${value} }] }`).catch((error) => error);
    expect([code, message]).toEqual(['ERR_RESULT', expect.stringMatching(why)]);
    expect(message).toMatch(/^result\.rows\.1\.value is /);
    const failure = await kernel.run(`return tgp.take({ value: ${value} })`).catch((error) => error);
    expect([failure.code, failure.message]).toEqual(['ERR_RESULT', expect.stringMatching(why)]);
    expect(failure.message).toMatch(/^arguments\.0\.value of tgp\.take is /);
    expect(taken).toEqual([]);
  });

  it('cycles are refused, through any container', async () => {
    const { kernel } = await recordingKernel();
    for (const code of [
      'const a = {}; a.self = a; return a',
      'const a = new Map(); a.set("self", a); return a',
      'const a = new Set(); a.add([a]); return a',
      "const a = new Error('no'); a.cause = a; return { a }",
    ]) {
      await expect(kernel.run(code), code).rejects.toMatchObject({
        code: 'ERR_RESULT',
        message: expect.stringContaining('contains itself'),
      });
    }
    const twice = 'const a = new Map([["b", 1]]); return [a, a, { a }]';
    expect((await kernel.run(twice)).result).toEqual([{ b: 1 }, { b: 1 }, { a: { b: 1 } }]);
  });

  it('toJSON of a class takes precedence', async () => {
    const { kernel } = await recordingKernel();
    const code = "class Money extends Error { toJSON() { return 'EUR 1' } }\nreturn [new Money('no'), new Money('no')]";
    expect((await kernel.run(code)).result).toEqual(['EUR 1', 'EUR 1']);
  });

  it('an unread response is refused with advice', async () => {
    const { kernel } = await createKernel({ allowedFetchUrls: [] }, { sandboxAPI: {} });
    const fake = "const R = { get [Symbol.toStringTag]() { return 'Response' } };\nreturn Object.create(R)";
    await expect(kernel.run(fake)).rejects.toMatchObject({
      code: 'ERR_RESULT',
      message: expect.stringContaining('await response.json()'),
    });
  });

  it('logs show their type and content', async () => {
    const { kernel } = await recordingKernel();
    const { logs } = await kernel.run(
      'console.log(/a/g, new Uint8Array([1, 2]), new ArrayBuffer(3), new BigInt64Array([1n]), Promise.resolve(), new Uint8Array(200));\nreturn 1',
    );
    expect(logs[0].message).toMatch(
      /^\/a\/g Uint8Array\(2\) \[ 1, 2 \] ArrayBuffer \{ \[Uint8Contents\]: <00 00 00>, \[byteLength\]: 3 \} BigInt64Array\(1\) \[ 1n \] Promise \{ undefined \} Uint8Array\(200\) \[\n[\s\d,]+\.\.\. 100 more items\n\]$/,
    );
  });
});
