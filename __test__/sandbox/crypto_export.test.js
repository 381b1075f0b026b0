/** Private keys of curves, exported by `crypto.subtle` as in Node 24, and imported again. */

import { createPrivateKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const CURVES = /** @type {const} */ ([
  { title: 'ECDSA with P-256', algorithm: { name: 'ECDSA', namedCurve: 'P-256' }, type: 'ec', usage: 'sign' },
  { title: 'ECDSA with P-384', algorithm: { name: 'ECDSA', namedCurve: 'P-384' }, type: 'ec', usage: 'sign' },
  { title: 'Ed25519', algorithm: { name: 'Ed25519' }, type: 'ed25519', usage: 'sign' },
  { title: 'ECDH with P-256', algorithm: { name: 'ECDH', namedCurve: 'P-256' }, type: 'ec', usage: 'deriveBits' },
  { title: 'ECDH with P-384', algorithm: { name: 'ECDH', namedCurve: 'P-384' }, type: 'ec', usage: 'deriveBits' },
  { title: 'X25519', algorithm: { name: 'X25519' }, type: 'x25519', usage: 'deriveBits' },
]);

/** A private key of Node with its encodings. @param {(typeof CURVES)[number]} curve */
function nodeKey({ algorithm, type }) {
  const { namedCurve = '' } = /** @type {{ namedCurve?: string }} */ (algorithm);
  const { privateKey } = generateKeyPairSync(/** @type {any} */ (type), { namedCurve });
  return { jwk: privateKey.export({ format: 'jwk' }), pkcs8: privateKey.export({ format: 'der', type: 'pkcs8' }) };
}

/** The text of a private key as Node 24 exports it from `crypto.subtle`. @param {(typeof CURVES)[number]} curve @param {any} jwk */
function inNode24({ algorithm, usage }, { crv, d, kty, x, y }) {
  const head = { key_ops: [usage], ext: true };
  if (kty === 'EC') return JSON.stringify({ ...head, kty, x, y, crv, d });
  return JSON.stringify({ ...head, ...(algorithm.name === 'Ed25519' ? { alg: 'Ed25519' } : {}), crv, d, x, kty });
}

const EXPORTS = `
const { algorithm, usage, jwk, pkcs8 } = args;
const bytes = Uint8Array.from(pkcs8);
const keys = [
  await crypto.subtle.importKey('jwk', jwk, algorithm, true, [usage]),
  await crypto.subtle.importKey('pkcs8', bytes, algorithm, true, [usage]),
];
const texts = [];
for (const key of keys) {
  texts.push(JSON.stringify(await crypto.subtle.exportKey('jwk', key)));
  texts.push([...new Uint8Array(await crypto.subtle.exportKey('pkcs8', key))]);
}
const closed = await crypto.subtle.importKey('jwk', jwk, algorithm, false, [usage]);
texts.push(await crypto.subtle.exportKey('jwk', closed).catch((error: any) => error.name));
return texts;`;

test.each(CURVES)('$title: an imported key is exported with the same members, in the order of Node', async (curve) => {
  const { jwk, pkcs8 } = nodeKey(curve);
  const { forge } = await createKernel();
  const { algorithm, usage } = curve;
  const { result } = await forge(EXPORTS, { algorithm, usage, jwk, pkcs8: [...pkcs8] });
  const expected = [inNode24(curve, jwk), [...pkcs8]];
  expect(result).toEqual([...expected, ...expected, 'InvalidAccessError']);
});

const GENERATED = `
const { algorithm, usages } = args;
const pair = await crypto.subtle.generateKey(algorithm, true, usages) as CryptoKeyPair;
const aes = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['wrapKey', 'unwrapKey']) as CryptoKey;
const gcm = { name: 'AES-GCM', iv: new Uint8Array(12) };
const wrapped = await crypto.subtle.wrapKey('jwk', pair.privateKey, aes, gcm);
const again = await crypto.subtle.unwrapKey('jwk', wrapped, aes, gcm, algorithm, true, usages.slice(0, 1));
const texts = [];
for (const key of [pair.privateKey, again]) texts.push(JSON.stringify(await crypto.subtle.exportKey('jwk', key)));
const pkcs8 = [...new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey))];
return [texts, JSON.stringify(await crypto.subtle.exportKey('jwk', pair.publicKey)), pkcs8];`;

test.each(CURVES)('$title: Node imports a new key, and both encodings are of the same key', async (curve) => {
  const { algorithm, usage } = curve;
  const { forge } = await createKernel();
  const usages = usage === 'sign' ? ['sign', 'verify'] : [usage];
  const { result } = await forge(GENERATED, { algorithm, usages });
  const [[text, again], open, pkcs8] = /** @type {[[string, string], string, number[]]} */ (result);
  const jwk = JSON.parse(text);
  expect(again).toBe(text);
  expect(text).toBe(inNode24(curve, jwk));
  const inNode = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
  expect(jwk).toMatchObject(inNode.export({ format: 'jwk' }));
  expect([...inNode.export({ format: 'der', type: 'pkcs8' })]).toEqual(pkcs8);
  const { d: _, key_ops: __, ...shared } = jwk;
  expect(JSON.parse(open)).toEqual({ ...shared, key_ops: usage === 'sign' ? ['verify'] : [] });
  if (usage !== 'sign') return;
  const [key, verifier] = await Promise.all([
    webcrypto.subtle.importKey('jwk', jwk, algorithm, true, ['sign']),
    webcrypto.subtle.importKey('jwk', JSON.parse(open), algorithm, true, ['verify']),
  ]);
  const how = { ...algorithm, hash: jwk.crv === 'P-384' ? 'SHA-384' : 'SHA-256' };
  const signature = await webcrypto.subtle.sign(how, key, Buffer.from('data'));
  expect(await webcrypto.subtle.verify(how, verifier, signature, Buffer.from('data'))).toBe(true);
});

const REFUSED = `
const { algorithm, usage, jwk, changes } = args;
const found: [string, string][] = [];
for (const [name, change] of Object.entries(changes)) {
  const changed: any = { ...jwk, ...(change as object) };
  for (const member of Object.keys(changed)) if (changed[member] === 'absent') delete changed[member];
  const key = crypto.subtle.importKey('jwk', changed, algorithm, true, [usage]);
  found.push([name, await key.then(({ type }) => type, (error) => error.name)]);
}
return Object.fromEntries(found);`;

test.each(CURVES)('$title: a private JSON Web Key whose members disagree is refused', async (curve) => {
  const { algorithm, usage } = curve;
  const { jwk } = nodeKey(curve);
  const other = nodeKey(curve).jwk;
  const signs = usage === 'sign';
  const right = signs ? { use: 'sig' } : { use: 'enc' };
  const wrong = signs ? { use: 'enc' } : { use: 'sig' };
  const accepted = { same: {}, use: right, 'no key_ops': { key_ops: 'absent' }, 'no ext': { ext: 'absent' } };
  const refused = {
    'd of another': { d: other.d },
    'x of another': { x: other.x },
    'no x': { x: 'absent' },
    'short d': { d: jwk.d?.slice(0, -4) },
    'long d': { d: `${jwk.d}AAAA` },
    'd zero': { d: Buffer.alloc(Buffer.from(jwk.d ?? '', 'base64url').length).toString('base64url') },
    'another use': wrong,
    'key_ops empty': { key_ops: [] },
    'key_ops twice': { key_ops: [usage, usage] },
    'key_ops of the public key': { key_ops: ['verify'] },
    'ext false': { ext: false },
    ...(signs ? { 'alg of another': { alg: 'ES512' }, 'alg of HMAC': { alg: 'HS256' } } : {}),
    'another curve': { crv: 'P-521' },
    'another kty': { kty: 'oct' },
  };
  const { forge } = await createKernel();
  const { result } = await forge(REFUSED, { algorithm, usage, jwk, changes: { ...accepted, ...refused } });
  expect(result).toEqual({
    ...Object.fromEntries(Object.keys(accepted).map((name) => [name, 'private'])),
    ...Object.fromEntries(Object.keys(refused).map((name) => [name, 'DataError'])),
  });
});
