/**
 * `crypto.subtle.importKey` accepts and refuses the same keys as Node; where Node is laxer than the standard, the standard applies.
 */

import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** @typedef {{ name: string, format: string, data: any, algorithm: any, extractable?: boolean, usages: string[], standard?: string }} Import */

const TOOL = `const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const found: unknown[] = [];
for (const { format, data, algorithm, extractable, usages } of args.imports) {
  try {
    const key = await crypto.subtle.importKey(format, typeof data === 'string' ? bytes(data) : data, algorithm, extractable ?? true, usages);
    found.push([key.type, (key.algorithm as any).length ?? null]);
  } catch (error: any) {
    found.push(error.name);
  }
}
return found;`;

/** The result of the import in Node. @param {Import} input */
async function inNode({ format, data, algorithm, extractable = true, usages }) {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'hex') : data;
  try {
    const key = await webcrypto.subtle.importKey(
      /** @type {any} */ (format),
      bytes,
      algorithm,
      extractable,
      /** @type {any} */ (usages),
    );
    return [key.type, /** @type {any} */ (key.algorithm).length ?? null];
  } catch (error) {
    return /** @type {Error} */ (error).name;
  }
}

/** @param {Import[]} imports */
async function expectAsInNode(imports) {
  const { forge } = await createKernel();
  const plain = imports.map(({ standard: _, ...input }) => input);
  const { result } = await forge(TOOL, { imports: plain });
  const expected = await Promise.all(imports.map(async (input) => input.standard ?? (await inNode(input))));
  const named = (/** @type {unknown[]} */ found) => imports.map(({ name }, at) => [name, found[at]]);
  expect(named(/** @type {unknown[]} */ (result))).toEqual(named(expected));
}

const b64 = (/** @type {string} */ hex) => Buffer.from(hex, 'hex').toString('base64url');

for (const [curve, size, alg, otherAlg] of /** @type {const} */ ([
  ['P-256', 32, 'ES256', 'ES384'],
  ['P-384', 48, 'ES384', 'ES256'],
])) {
  test(`${curve}: points off the curve, hybrid points and other encodings are refused`, async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: curve });
    const spki = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('hex');
    const jwk = pair.publicKey.export({ format: 'jwk' });
    const own = pair.privateKey.export({ format: 'jwk' });
    const other = generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ format: 'jwk' });
    const point = spki.slice(-(4 * size + 2));
    const digit = (/** @type {string} */ hex) => (hex.endsWith('0') ? `${hex.slice(0, -1)}1` : `${hex.slice(0, -1)}0`);
    const off = digit(point);
    const parity = Number.parseInt(point.slice(-1), 16) % 2;
    const hybrid = (/** @type {number} */ sign) => `0${6 + sign}${point.slice(2)}`;
    const withPoint = (/** @type {string} */ other) => spki.slice(0, -point.length) + other;
    const halves = (/** @type {string} */ hex) => ({
      x: b64(hex.slice(2, 2 + 2 * size)),
      y: b64(hex.slice(2 + 2 * size)),
    });
    const p =
      curve === 'P-256'
        ? 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n
        : 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n;
    const tooLarge = `04${p.toString(16)}${point.slice(2 + 2 * size)}`;
    const algorithm = { name: 'ECDSA', namedCurve: curve };
    const base = { algorithm, usages: ['verify'] };
    await expectAsInNode([
      { name: 'raw', format: 'raw', data: point, ...base },
      { name: 'spki', format: 'spki', data: spki, ...base },
      { name: 'jwk', format: 'jwk', data: jwk, ...base },
      { name: 'private jwk', format: 'jwk', data: own, algorithm, usages: ['sign'] },
      { name: 'raw, off the curve', format: 'raw', data: off, ...base },
      { name: 'spki, off the curve', format: 'spki', data: withPoint(off), ...base },
      { name: 'jwk, off the curve', format: 'jwk', data: { ...jwk, ...halves(off) }, ...base },
      { name: 'raw, x is p', format: 'raw', data: tooLarge, ...base },
      { name: 'jwk, x is p', format: 'jwk', data: { ...jwk, ...halves(tooLarge) }, ...base },
      { name: 'raw, zeros', format: 'raw', data: `04${'00'.repeat(2 * size)}`, ...base },
      { name: 'raw, infinity', format: 'raw', data: '00', ...base },
      ...[parity, 1 - parity].flatMap((sign) => [
        { name: `raw, hybrid ${sign}`, format: 'raw', data: hybrid(sign), ...base, standard: 'DataError' },
        { name: `spki, hybrid ${sign}`, format: 'spki', data: withPoint(hybrid(sign)), ...base, standard: 'DataError' },
      ]),
      {
        name: 'jwk, d of another',
        format: 'jwk',
        data: { ...own, d: other.d },
        algorithm,
        usages: ['sign'],
        standard: 'DataError',
      },
      {
        name: 'jwk, x and y of another',
        format: 'jwk',
        data: { ...own, x: other.x, y: other.y },
        algorithm,
        usages: ['sign'],
        standard: 'DataError',
      },
      { name: 'jwk, alg', format: 'jwk', data: { ...jwk, alg }, ...base },
      { name: 'jwk, alg of another curve', format: 'jwk', data: { ...jwk, alg: otherAlg }, ...base },
      { name: 'jwk, alg of HMAC', format: 'jwk', data: { ...jwk, alg: 'HS256' }, ...base, standard: 'DataError' },
      { name: 'a public key with the usage sign', format: 'jwk', data: jwk, algorithm, usages: ['sign'] },
      { name: 'a private key without usages', format: 'jwk', data: own, algorithm, usages: [] },
    ]);
  });
}

test('a JSON Web Key with inconsistent parts or attributes is refused', async () => {
  const [one, other] = [0, 1].map(() => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }));
  const { d: _, ...open } = /** @type {any} */ (one);
  const algorithm = { name: 'Ed25519' };
  const sign = { format: 'jwk', algorithm, usages: ['sign'] };
  const verify = { format: 'jwk', algorithm, usages: ['verify'] };
  await expectAsInNode([
    { name: 'private', data: one, ...sign },
    { name: 'public', data: open, ...verify },
    { name: 'x of another', data: { ...one, x: other?.x }, ...sign, standard: 'DataError' },
    { name: 'd of another', data: { ...one, d: other?.d }, ...sign, standard: 'DataError' },
    { name: 'no x', data: { ...one, x: undefined }, ...sign },
    { name: 'another curve', data: { ...open, crv: 'X25519' }, ...verify },
    { name: 'alg of an elliptic curve', data: { ...open, alg: 'ES256' }, ...verify, standard: 'DataError' },
    { name: 'alg', data: { ...open, alg: 'EdDSA' }, ...verify },
    { name: 'key_ops', data: { ...open, key_ops: ['verify'] }, ...verify },
    { name: 'key_ops, twice', data: { ...open, key_ops: ['verify', 'verify'] }, ...verify },
    {
      name: 'key_ops with an unknown usage twice',
      data: { ...open, key_ops: ['verify', 'own', 'own'] },
      ...verify,
      standard: 'DataError',
    },
    { name: 'key_ops of others', data: { ...open, key_ops: ['sign'] }, ...verify },
    { name: 'no key_ops', data: { ...open, key_ops: [] }, ...verify },
    { name: 'key_ops that is not a list', data: { ...open, key_ops: 'verify' }, ...verify, standard: 'TypeError' },
    { name: 'use', data: { ...open, use: 'sig' }, ...verify },
    { name: 'use for encryption', data: { ...open, use: 'enc' }, ...verify },
    { name: 'use for encryption, without usages', data: { ...open, use: 'enc' }, ...verify, usages: [] },
    { name: 'use and key_ops', data: { ...open, use: 'sig', key_ops: ['verify', 'sign'] }, ...verify },
    {
      name: 'use against key_ops',
      data: { ...open, use: 'sig', key_ops: ['verify', 'encrypt'] },
      ...verify,
      standard: 'DataError',
    },
    { name: 'ext', data: { ...open, ext: true }, ...verify },
    { name: 'not ext', data: { ...open, ext: false }, ...verify },
    { name: 'not ext, and not extractable', data: { ...open, ext: false }, extractable: false, ...verify },
  ]);
});

test('HMAC: the requested length is enforced', async () => {
  const hmac = (/** @type {unknown} */ length) => ({
    name: 'HMAC',
    hash: 'SHA-256',
    ...(length !== undefined && { length }),
  });
  const raw = (/** @type {string} */ data, /** @type {unknown} */ length, /** @type {any} */ standard = undefined) => ({
    name: `${data.length * 4} bits as ${length}`,
    format: 'raw',
    data,
    algorithm: hmac(length),
    usages: ['sign'],
    ...(standard !== undefined && { standard }),
  });
  const oct = (/** @type {any} */ more) => ({ kty: 'oct', k: b64('0102'), ...more });
  const jwk = (/** @type {string} */ name, /** @type {any} */ data, /** @type {unknown} */ length = undefined) => ({
    name: `jwk, ${name}`,
    format: 'jwk',
    data,
    algorithm: hmac(length),
    usages: ['sign'],
  });
  await expectAsInNode([
    raw('01', undefined),
    raw('01020304', 32),
    raw('', undefined, 'DataError'),
    raw('01', 16, 'DataError'),
    raw('01', 0, 'DataError'),
    raw('01020304', 8, 'DataError'),
    raw('01020304', 24, 'DataError'),
    raw('01020304', 33, 'DataError'),
    raw('01ff', 12, ['secret', 12]),
    raw('01', -1, 'TypeError'),
    raw('01', 'long', 'TypeError'),
    jwk('whole', oct({}), 16),
    { ...jwk('more', oct({}), 24), standard: 'DataError' },
    { ...jwk('less', oct({}), 8), standard: 'DataError' },
    jwk('alg', oct({ alg: 'HS256' })),
    jwk('another alg', oct({ alg: 'HS512' })),
    jwk('key_ops twice', oct({ key_ops: ['sign', 'sign'] })),
    jwk('another use', oct({ use: 'enc' })),
  ]);
  const { forge } = await createKernel();
  const { result } =
    await forge(`const hex = (buffer: ArrayBuffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
const key = await crypto.subtle.importKey('raw', new Uint8Array([1, 255]), { name: 'HMAC', hash: 'SHA-256', length: 12 }, true, ['sign']);
return hex(await crypto.subtle.exportKey('raw', key));`);
  expect(result).toBe('01f0');
});
