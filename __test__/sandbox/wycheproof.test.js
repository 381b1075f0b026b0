/**
 * The vectors of Wycheproof for every algorithm of `crypto.subtle` that they cover. A valid vector gives exactly what it says, an
 * invalid one an error or `false`, and an acceptable one either of both. AES-CTR and PBKDF2, for which the crate has no vectors, are
 * compared with Node in `crypto_encryption.test.js`.
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { IS_LONG } from '../helpers/how_often.js';
import { wycheproofGroups } from '../helpers/wycheproof.js';

/** @typedef {import('../helpers/wycheproof.js').WycheproofGroup} Group @typedef {import('../helpers/wycheproof.js').WycheproofVector} Vector */

const TOOL = readFileSync(new URL('../fixtures/wycheproof_tool.ts', import.meta.url), 'utf8');
const SANDBOX = { timeoutMs: 60_000, wallMs: 120_000, argsBytes: 16 << 20 };
/** The errors of a refused vector; others are faults. */
const REFUSALS = ['DataError', 'OperationError', 'NotSupportedError', false];

/** @param {string} name @returns {any} */
const hashOf = (name) => /^SHA-(1|256|384|512)$/.exec(name)?.[0];

/**
 * What a vector of each procedure gives if it is valid.
 * @type {Record<string, (vector: Vector) => unknown>}
 */
const EXPECTED = {
  aead: ({ msg, ct, tag }) => `${msg}:${ct}${tag}`,
  cbc: ({ msg, ct }) => `${msg}:${ct}`,
  wrap: ({ msg, ct }) => `${msg}:${ct}`,
  ecdhJwk: ({ shared }) => shared,
  ecdhRaw: ({ shared }) => shared,
  ecdhSpki: ({ shared }) => shared,
  x25519: ({ shared }) => shared,
  x25519Spki: ({ shared }) => shared,
  x25519Jwk: ({ shared }) => shared,
  oaep: ({ msg }) => msg,
  hkdf: ({ okm }) => okm,
  hmac: () => true,
  ecdsa: () => true,
  ed25519: () => true,
  pkcs1: () => true,
  pss: () => true,
};

/** @typedef {[algorithm: string, procedure: string, files: string[], group?: object]} Row `group`: more members of each group */

/** @type {Row[]} */
const LONG = [
  ['ECDH with P-384, points', 'ecdhRaw', ['ecdh_secp384r1_ecpoint']],
  ['ECDH with P-384, SPKI', 'ecdhSpki', ['ecdh_secp384r1']],
  [
    'RSA-OAEP with long keys',
    'oaep',
    ['3072_sha256', '3072_sha512', '4096_sha256', '4096_sha512'].map((name) => `rsa_oaep_${name}_mgf1${name.slice(5)}`),
  ],
  [
    'RSASSA-PKCS1-v1_5 with long keys',
    'pkcs1',
    ['3072_sha256', '3072_sha384', '3072_sha512', '4096_sha256', '4096_sha384', '4096_sha512'].map(
      (name) => `rsa_signature_${name}`,
    ),
  ],
  [
    'RSA-PSS with long keys',
    'pss',
    ['3072_sha256_mgf1_32', '4096_sha256_mgf1_32', '4096_sha384_mgf1_48'].map((name) => `rsa_pss_${name}`),
  ],
];

/** @type {Row[]} */
const FILES = [
  ['AES-GCM', 'aead', ['aes_gcm']],
  ['AES-CBC', 'cbc', ['aes_cbc_pkcs5']],
  ['AES-KW', 'wrap', ['aes_wrap']],
  ['ECDH, JSON Web Keys', 'ecdhJwk', ['ecdh_secp256r1_webcrypto', 'ecdh_secp384r1_webcrypto']],
  ['ECDH, points', 'ecdhRaw', ['ecdh_secp256r1_ecpoint']],
  ['ECDH, SPKI', 'ecdhSpki', ['ecdh_secp256r1']],
  ['X25519', 'x25519', ['x25519']],
  ['X25519, SPKI and PKCS #8', 'x25519Spki', ['x25519_asn']],
  ['X25519, JSON Web Keys', 'x25519Jwk', ['x25519_jwk']],
  ['RSA-OAEP', 'oaep', ['1', '256', '384', '512'].map((sha) => `rsa_oaep_2048_sha${sha}_mgf1sha${sha}`)],
  ...['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'].flatMap((hash) => [
    /** @type {Row} */ ([`HKDF with ${hash}`, 'hkdf', [`hkdf_${hash.replace('-', '').toLowerCase()}`], { hash }]),
    /** @type {Row} */ ([`HMAC with ${hash}`, 'hmac', [`hmac_${hash.replace('-', '').toLowerCase()}`], { hash }]),
  ]),
  ['ECDSA, P-256', 'ecdsa', ['ecdsa_secp256r1_sha256_p1363'], { curve: 'P-256' }],
  ['ECDSA, P-384', 'ecdsa', ['ecdsa_secp384r1_sha384_p1363'], { curve: 'P-384' }],
  ['Ed25519', 'ed25519', ['ed25519']],
  ['RSASSA-PKCS1-v1_5', 'pkcs1', [256, 384, 512].map((sha) => `rsa_signature_2048_sha${sha}`)],
  // With a salt as long as the hash, which is the only one that the sandbox has.
  ['RSA-PSS', 'pss', ['rsa_pss_2048_sha256_mgf1_32', 'rsa_pss_2048_sha384_mgf1_48', 'rsa_pss_4096_sha512_mgf1_64']],
  ...(IS_LONG ? LONG : []),
];

test.each(FILES)(
  'THREAT: lax cryptography: vectors of Wycheproof for %s',
  async (_algorithm, procedure, files, more = {}) => {
    const { kernel, tools } = await createKernel({ sandbox: SANDBOX });
    await tools.write_file.execute({ path: 'tools/vectors.ts', content: TOOL });
    let count = 0;
    const wrong = [];
    for (const file of files) {
      for (const group of wycheproofGroups(file)) {
        const { tests: vectors, publicKey, ...facts } = group;
        const given = { hash: hashOf(facts.sha ?? ''), publicKeyDer: publicKey?.pk, ...facts, ...more };
        const { result } = await kernel.exec('tools/vectors.ts', { procedure, group: given, vectors });
        const found = /** @type {unknown[]} */ (result);
        expect(found).toHaveLength(vectors.length);
        for (const [at, vector] of vectors.entries()) {
          count += 1;
          if (!isRight(vector, found[at], EXPECTED[procedure]?.(vector)))
            wrong.push(
              `${file} ${vector.tcId}, ${vector.result} (${vector.comment} ${vector.flags}): ${String(found[at]).slice(0, 80)}`,
            );
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(80);
  },
);

/** @param {Vector} vector @param {unknown} found @param {unknown} expected */
function isRight({ result }, found, expected) {
  const isRefused = REFUSALS.some((refusal) => refusal === found);
  if (result === 'valid') return found === expected;
  return result === 'invalid' ? isRefused : isRefused || found === expected;
}
