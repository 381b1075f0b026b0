/** `crypto.subtle`. */

const HELPERS = `const caught = async (p) => { try { return ['good', await (typeof p === 'function' ? p() : p)] } catch (e) { return ['bad', e?.name ?? e] } };
const text = (t) => new TextEncoder().encode(t);
const hex = (b) => Array.from(new Uint8Array(b), (x) => x.toString(16).padStart(2, '0')).join('');
const { subtle } = crypto;
`;
const one = (/** @type {string} */ name, /** @type {string} */ code, /** @type {unknown} */ expected = undefined) => ({
  name,
  code: HELPERS + code,
  ...(expected === undefined ? {} : { expected }),
});

// Keys generated for these cases only.
const EC = JSON.stringify({
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
});
const ED = JSON.stringify({
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
});

const RSA_N =
  'sslr04Y2dJ1bzKT8LYCuWR3q2Daj0FJU9iRBzUDRAOYhNlXEnzCHcQy41CDiPPaiJW4dHF1uKwlX2_omXe1SiTCfbR2j7WNVc3WNQ5Nn_Jj9dqbwo_hgPeKdHG8oUXTD7SnRt5KtV-DjikTeTXbAhTFgoWY7wSn5I17bfcuSCyyUwKFnl6L7Sk2MouSrZLPYNagjS_ZGVHrvN4bu4JvuN-0EPSA9u0eX9Xzig7HsrwshRBNwneWsm-xM95UVT6Ft3qPUj6f5UK-RHc4tuSYeoEgeCyRxlJlQVqlNmg7cdHZd1a3FfWy4FcnQB9s9pH8lvXDWs0KSCHIZWUgyyG9xDw';

/** @type {{ name: string, code: string, expected?: unknown }[]} */
export const cases = [
  one(
    'RSA: what a key says about itself',
    `const k = await subtle.importKey('jwk', { kty: 'RSA', n: RSA_N, e: 'AQAB' }, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, true, ['verify']); return [k.algorithm.name, k.algorithm.modulusLength, [...k.algorithm.publicExponent], k.algorithm.hash.name]`.replace(
      'RSA_N',
      JSON.stringify(RSA_N),
    ),
    ['RSASSA-PKCS1-v1_5', 2048, [1, 0, 1], 'SHA-256'],
  ),
  one(
    'RSA: what would never be verified is not taken',
    `const jwk = { kty: 'RSA', n: RSA_N, e: 'AQAB' }; return [await caught(subtle.importKey('jwk', { ...jwk, n: jwk.n.slice(0, 172) }, { name: 'RSA-PSS', hash: 'SHA-256' }, true, ['verify'])), await caught(subtle.importKey('jwk', jwk, { name: 'RSA-PSS', hash: 'SHA-1' }, true, ['verify']))]`.replace(
      'RSA_N',
      JSON.stringify(RSA_N),
    ),
    [
      ['bad', 'NotSupportedError'],
      ['bad', 'NotSupportedError'],
    ],
  ),
  one(
    'JSON Web Keys: what they are not for',
    'const hmac = { name: "HMAC", hash: "SHA-256" }; const take = async (more, extractable) => (await caught(subtle.importKey("jwk", { kty: "oct", k: "AAAA", ...more }, hmac, extractable, ["sign"]).then((k) => k.type))); return [await take({ ext: false }, true), await take({ ext: false }, false), await take({ key_ops: ["verify"] }, false), await take({ use: "enc" }, false), await take({ alg: "HS512" }, false), await take({ use: "sig", alg: "HS256", key_ops: ["sign"], ext: true }, true)]',
  ),
  ...['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512', 'sha-256'].map((hash) =>
    one(
      `digest ${hash}`,
      `return [hex(await subtle.digest('${hash}', text('abc'))), hex(await subtle.digest({ name: '${hash}' }, new Uint8Array(0))), (await subtle.digest('${hash}', new ArrayBuffer(1000))).byteLength]`,
    ),
  ),
  one(
    'digest of nothing known',
    "return [await caught(subtle.digest('MD5', text('a'))), await caught(subtle.digest('SHA-256', 'text'))]",
  ),
  ...['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'].map((hash) =>
    one(
      `HMAC ${hash}`,
      `const k = await subtle.importKey('raw', text('key'), { name: 'HMAC', hash: '${hash}' }, true, ['sign', 'verify']); const s = await subtle.sign('HMAC', k, text('data')); return [hex(s), await subtle.verify('HMAC', k, s, text('data')), await subtle.verify('HMAC', k, s, text('other')), await subtle.verify('HMAC', k, new Uint8Array(3), text('data')), k.type, k.extractable, k.algorithm, k.usages]`,
    ),
  ),
  one(
    'HMAC: keys come and go',
    "const k = await subtle.importKey('raw', text('key'), { name: 'hmac', hash: { name: 'sha-256' } }, true, ['sign', 'verify']); const j = await subtle.exportKey('jwk', k); const b = await subtle.importKey('jwk', j, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']); return [Object.fromEntries(Object.entries(j).sort()), hex(await subtle.exportKey('raw', b)), b.usages]",
  ),
  one(
    'HMAC: generated',
    "const k = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']); const l = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-512', length: 256 }, true, ['sign']); return [k.algorithm, (await subtle.exportKey('raw', l)).byteLength, k.type]",
  ),
  one(
    'HMAC: refusals',
    "const raw = (u) => subtle.importKey('raw', text('key'), { name: 'HMAC', hash: 'SHA-256' }, true, u); const k = await raw(['sign']); return [await caught(raw([])), await caught(raw(['encrypt'])), await caught(raw(['x'])), await caught(subtle.verify('HMAC', k, text('a'), text('b'))), await caught(subtle.sign('HMAC', {}, text('a'))), await caught(subtle.importKey('raw', text('key'), { name: 'HMAC' }, true, ['sign']))]",
  ),
  one(
    'ECDSA',
    `const j = ${EC}; const { d, ...open } = j; const k = await subtle.importKey('jwk', j, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']); const v = await subtle.importKey('jwk', open, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']); const a = { name: 'ECDSA', hash: 'SHA-256' }; const s = await subtle.sign(a, k, text('data')); return [s.byteLength, await subtle.verify(a, v, s, text('data')), await subtle.verify(a, v, s, text('other')), k.type, v.type, k.algorithm, hex(await subtle.exportKey('spki', v)), hex(await subtle.exportKey('raw', v)), (await subtle.exportKey('jwk', v)).x]`,
  ),
  one(
    'ECDSA: generated',
    "const k = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, true, ['sign', 'verify']); const a = { name: 'ECDSA', hash: 'SHA-384' }; const s = await subtle.sign(a, k.privateKey, text('x')); const p = await subtle.importKey('spki', await subtle.exportKey('spki', k.publicKey), { name: 'ECDSA', namedCurve: 'P-384' }, true, ['verify']); const q = await subtle.importKey('pkcs8', await subtle.exportKey('pkcs8', k.privateKey), { name: 'ECDSA', namedCurve: 'P-384' }, true, ['sign']); return [s.byteLength, await subtle.verify(a, p, s, text('x')), await subtle.verify(a, p, await subtle.sign(a, q, text('y')), text('y')), k.publicKey.usages, k.privateKey.usages]",
  ),
  one(
    'Ed25519',
    `const j = ${ED}; const { d, ...open } = j; const k = await subtle.importKey('jwk', j, { name: 'Ed25519' }, false, ['sign']); const v = await subtle.importKey('jwk', open, { name: 'Ed25519' }, true, ['verify']); const s = await subtle.sign('Ed25519', k, new Uint8Array(0)); return [hex(s), await subtle.verify('Ed25519', v, s, new Uint8Array(0)), await subtle.verify('Ed25519', v, s, text('x'))]`,
  ),
  one(
    'wrong keys',
    "return [await caught(subtle.importKey('spki', text('no key'), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify'])), await caught(subtle.importKey('raw', new Uint8Array(3), { name: 'Ed25519' }, true, ['verify']))]",
  ),
  one(
    'what is not there',
    "return [await caught(subtle.encrypt({ name: 'AES-GCM' }, {}, text('a'))), await caught(subtle.deriveBits({ name: 'PBKDF2' }, {}, 8))].map(([how]) => how)",
  ),
  one(
    'names',
    'return [Object.prototype.toString.call(subtle), Object.prototype.toString.call(crypto), crypto.subtle === subtle]',
  ),
];
