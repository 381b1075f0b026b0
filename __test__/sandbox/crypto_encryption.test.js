/** Encryption, derivation and agreement of `crypto.subtle`: published vectors, and code that gave its results in Node 24. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CASES, HELPERS, VECTORS } from '../fixtures/crypto_encryption/cases.js';
import { createKernel } from '../helpers/create_kernel.js';

const EXPECTED = new URL('../fixtures/crypto_encryption/expected.json', import.meta.url);
const SANDBOX = { timeoutMs: 20_000, wallMs: 40_000 };

const inTool = (/** @type {string[]} */ codes) =>
  `// @ts-nocheck\nconst { subtle } = crypto;\n${HELPERS}const out = [];\nfor (const work of [\n${codes.map((code) => `async () => { ${code} }`).join(',\n')}\n]) out.push(await work().catch((error) => String(error)));\nreturn out;`;

describe('crypto.subtle encrypts, derives and agrees', () => {
  it('as in the published vectors', async () => {
    const { forge } = await createKernel({ sandbox: SANDBOX });
    const { result } = await forge(inTool(VECTORS.map(([, code = '']) => code)));
    const found = /** @type {unknown[]} */ (result);
    expect(VECTORS.map(([name], at) => [name, found[at]])).toEqual(VECTORS.map(([name, , value]) => [name, value]));
  });

  it('as Node does, with the same errors', async () => {
    const { forge } = await createKernel({ sandbox: SANDBOX });
    const found = /** @type {unknown[]} */ ((await forge(inTool(CASES))).result);
    const expected = JSON.parse(readFileSync(EXPECTED, 'utf8'));
    for (const [at, code] of CASES.entries()) expect(found[at], code.slice(0, 200)).toEqual(expected[at]);
  });
});

describe('THREAT: a tool that derives or encrypts without end', () => {
  it.each([
    [
      'iterations of PBKDF2',
      "const k = await crypto.subtle.importKey('raw', new Uint8Array(9), 'PBKDF2', false, ['deriveBits']); await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt: new Uint8Array(8), iterations: 4294967295 }, k, 512);",
    ],
    [
      'a long password',
      "const k = await crypto.subtle.importKey('raw', new Uint8Array(8 << 20), 'PBKDF2', false, ['deriveBits']); await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: new Uint8Array(8), iterations: 4294967295 }, k, 512);",
    ],
    [
      'many bytes of PBKDF2',
      "const k = await crypto.subtle.importKey('raw', new Uint8Array(9), 'PBKDF2', false, ['deriveBits']); await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: new Uint8Array(8), iterations: 100 }, k, 8 * (16 << 20));",
    ],
    [
      'AES',
      "const k = await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-CTR', false, ['encrypt']); const data = new Uint8Array(8 << 20); for (;;) await crypto.subtle.encrypt({ name: 'AES-CTR', counter: new Uint8Array(16), length: 128 }, k, data);",
    ],
    [
      'a long key to unwrap',
      "const k = await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-KW', false, ['unwrapKey']); await crypto.subtle.unwrapKey('raw', new Uint8Array(16 << 20), k, 'AES-KW', 'HKDF', false, ['deriveBits']);",
    ],
    [
      'new keys for RSA',
      "for (;;) await crypto.subtle.generateKey({ name: 'RSA-OAEP', modulusLength: 4096, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-1' }, true, ['decrypt']);",
    ],
  ])('is stopped at its CPU time: %s', async (_name, body) => {
    const { forge } = await createKernel({ sandbox: { workers: 1, timeoutMs: 300, wallMs: 20_000, memoryMb: 64 } });
    await expect(forge(body)).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
    expect((await forge('return 1')).result).toBe(1);
  });
});
