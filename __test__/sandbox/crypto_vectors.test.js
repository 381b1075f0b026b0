/**
 * Valid and invalid vectors for `crypto.subtle`, by algorithm, in the style of Wycheproof: generated from the published rules and
 * with Node's cryptography as a second implementation.
 */

import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import {
  bigEndian,
  damaged,
  expectVerdicts,
  flipped,
  inSandbox,
  MESSAGE,
  pkcs8Of,
  SANDBOX,
  spkiOf,
} from '../helpers/crypto_vectors.js';
import { forgeries, L, littleEndian, mixedOrder } from '../helpers/ed25519_forgeries.js';
import { closed, pkcs1Encodings, pssEncodings } from '../helpers/rsa_encodings.js';

test('Ed25519: small order and non-canonical encodings are refused, even if the equation holds', async () => {
  const algorithm = { name: 'Ed25519' };
  const seed = Buffer.alloc(32, 7);
  const pair = generateKeyPairSync('ed25519');
  const key = spkiOf(pair.publicKey).subarray(-32);
  const signature = sign(null, MESSAGE, pair.privateKey);
  const right = { name: 'Ed25519', algorithm, format: 'raw', key, signature, message: MESSAGE };
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`);
  const withS = (/** @type {bigint} */ other) => Buffer.concat([signature.subarray(0, 32), littleEndian(other)]);
  const forged = forgeries(seed).map((vector) => ({ ...right, ...vector }));
  // At least 19 forgeries satisfy the equation, so the test is meaningful.
  const der = (/** @type {Buffer} */ raw) => Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
  const satisfying = forged.filter((vector) =>
    verify(
      null,
      vector.message,
      createPublicKey({ key: der(vector.key), format: 'der', type: 'spki' }),
      vector.signature,
    ),
  );
  expect(satisfying.length).toBeGreaterThanOrEqual(19);
  await expectVerdicts(
    [
      right,
      { ...right, name: 'as SPKI', format: 'spki', key: spkiOf(pair.publicKey) },
      {
        ...right,
        name: 'no message',
        message: Buffer.alloc(0),
        signature: sign(null, Buffer.alloc(0), pair.privateKey),
      },
      { ...right, ...mixedOrder(Buffer.alloc(32, 9)) },
    ],
    [
      {
        ...right,
        name: 'neutral point as key and as R',
        key: littleEndian(1n),
        signature: Buffer.concat([littleEndian(1n), littleEndian(0n)]),
      },
      ...forged,
      ...damaged(right),
      { ...right, name: 'S + L', signature: withS(s + L) },
      { ...right, name: 'S = L', signature: withS(L) },
      { ...right, name: 'S = 0', signature: withS(0n) },
      { ...right, name: 'another key', key: littleEndian(4n) },
      { ...right, name: 'y above p', key: Buffer.alloc(32, 0xff) },
      {
        ...right,
        name: 'halves swapped',
        signature: Buffer.concat([signature.subarray(32), signature.subarray(0, 32)]),
      },
    ],
  );
});

test.each([
  {
    namedCurve: 'P-256',
    hash: 'SHA-256',
    size: 32,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  {
    namedCurve: 'P-384',
    hash: 'SHA-384',
    size: 48,
    order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
])(
  'ECDSA with $namedCurve: zero, the order, points off the curve and non-standard encodings are refused',
  async (curve) => {
    const { namedCurve, hash, size, order } = curve;
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
    const digest = hash.toLowerCase().replace('-', '');
    const key = spkiOf(publicKey).subarray(-(2 * size + 1));
    const dsa = (/** @type {'ieee-p1363' | 'der'} */ dsaEncoding) =>
      sign(digest, MESSAGE, { key: privateKey, dsaEncoding });
    const signature = dsa('ieee-p1363');
    const algorithm = { name: 'ECDSA', namedCurve, hash };
    const right = { name: namedCurve, algorithm, format: 'raw', key, signature, message: MESSAGE };
    const [r, s] = [signature.subarray(0, size), signature.subarray(size)];
    const [zero, one, n] = [0n, 1n, order].map((value) => bigEndian(value, size));
    const of = (/** @type {(Buffer | undefined)[]} */ ...parts) =>
      Buffer.concat(/** @type {Buffer[]} */ (parts.filter((part) => part !== undefined)));
    const rest = bigEndian(order - BigInt(`0x${s.toString('hex')}`), size);
    const point = (/** @type {number} */ first) => of(Buffer.from([first]), key.subarray(1));
    /** @type {[string, Buffer][]} */
    const signatures = [
      ['r = 0', of(zero, s)],
      ['s = 0', of(r, zero)],
      ['r = n', of(n, s)],
      ['s = n', of(r, n)],
      ['r = n, s = n', of(n, n)],
      ['r = 1, s = 1', of(one, one)],
      ['r = 1, s = 0', of(one, zero)],
      ['r = 0, s = 1', of(zero, one)],
      ['r and s swapped', of(s, r)],
      ['-r', of(bigEndian(order - BigInt(`0x${r.toString('hex')}`), size), s)],
      ['DER', dsa('der')],
      ['a zero before r and s', of(Buffer.alloc(1), r, Buffer.alloc(1), s)],
    ];
    /** @type {[string, Buffer][]} */
    const keys = [
      ['off the curve', flipped(key, key.length - 1)],
      ['the point (0, 0)', of(Buffer.from([4]), zero, zero)],
      ['the point (n, n)', of(Buffer.from([4]), n, n)],
      ['coordinates above p', Buffer.concat([Buffer.from([4]), Buffer.alloc(2 * size, 0xff)])],
      ['the neutral point', Buffer.from([0])],
      ['hybrid', point(6)],
      ['hybrid, odd', point(7)],
      ['compressed', of(Buffer.from([2]), key.subarray(1, size + 1))],
      ['marked as compressed', point(2)],
      ['no key', Buffer.alloc(0)],
      ['a trailing byte', of(key, Buffer.alloc(1))],
    ];
    const more = Array.from({ length: 20 }, (_, at) => {
      const message = Buffer.from(`message ${at}`.repeat(at));
      const made = sign(digest, message, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return { ...right, name: `message ${at}`, message, signature: made };
    });
    await expectVerdicts(
      [
        right,
        { ...right, name: 'as SPKI', format: 'spki', key: spkiOf(publicKey) },
        { ...right, name: 'as a JSON Web Key', format: 'jwk', key: publicKey.export({ format: 'jwk' }) },
        // ECDSA has two valid signatures for each message; the standard accepts both.
        { ...right, name: '-s', signature: of(r, rest) },
        ...more,
      ],
      [
        ...damaged(right),
        ...signatures.map(([name, other]) => ({ ...right, name, signature: other })),
        ...keys.map(([name, other]) => ({ ...right, name: `key: ${name}`, key: other })),
        { ...right, name: 'another hash', algorithm: { ...algorithm, hash: 'SHA-512' } },
        {
          ...right,
          name: 'a signature for another hash',
          signature: sign('sha1', MESSAGE, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
        },
      ],
    );
  },
);

test('RSA: each scheme accepts exactly one encoding', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const three = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });
  const key = spkiOf(publicKey);
  const jwk = publicKey.export({ format: 'jwk' });
  const modulus = BigInt(`0x${Buffer.from(String(jwk.n), 'base64url').toString('hex')}`);
  const schemes = [
    { algorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, ...pkcs1Encodings(MESSAGE) },
    { algorithm: { name: 'RSA-PSS', hash: 'SHA-256', saltLength: 32 }, ...pssEncodings(MESSAGE) },
  ];
  for (const { algorithm, right: opened, wrong } of schemes) {
    const right = {
      name: algorithm.name,
      algorithm,
      format: 'spki',
      key,
      signature: closed(privateKey, opened),
      message: MESSAGE,
    };
    const as = (/** @type {string} */ name, /** @type {Buffer} */ signature) => ({ ...right, name, signature });
    const number = BigInt(`0x${right.signature.toString('hex')}`);
    const big = number + modulus;
    await expectVerdicts(
      [
        right,
        { ...right, name: 'as a JSON Web Key', format: 'jwk', key: jwk },
        { ...right, name: 'exponent 3', key: spkiOf(three.publicKey), signature: closed(three.privateKey, opened) },
      ],
      [
        ...damaged(right),
        ...Object.entries(wrong).map(([name, other]) => as(name, closed(privateKey, other))),
        as('1', bigEndian(1n, 256)),
        as('n - 1', bigEndian(modulus - 1n, 256)),
        as('n', bigEndian(modulus, 256)),
        as('the signature + n', bigEndian(big, big >> 2048n === 0n ? 256 : 257)),
        as(
          'the signature of the other scheme',
          closed(
            privateKey,
            (schemes[0] === undefined || opened === schemes[0].right ? pssEncodings(MESSAGE) : pkcs1Encodings(MESSAGE))
              .right,
          ),
        ),
        { ...as('exponent 1', opened), format: 'jwk', key: { ...jwk, e: 'AQ' } },
        { ...as('exponent 0', opened), format: 'jwk', key: { ...jwk, e: 'AA' } },
        { ...right, name: 'an even exponent', format: 'jwk', key: { ...jwk, e: 'AQAA' } },
        {
          ...right,
          name: 'an even modulus',
          format: 'jwk',
          key: { ...jwk, n: bigEndian(modulus - 1n, 256).toString('base64url') },
        },
        { ...right, name: 'another hash', algorithm: { ...algorithm, hash: 'SHA-512', saltLength: 64 } },
        { ...right, name: 'a small key', key: spkiOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey) },
      ],
    );
  }
});

test('HMAC and digests: equal to Node for lengths around a block; truncated tags are refused', async () => {
  const lengths = [0, 1, 19, 20, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 129, 1000];
  const bytes = (/** @type {number} */ length) =>
    Buffer.from(Array.from({ length }, (_, at) => (at * 7 + length) & 255));
  const hashes = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
  const valid = hashes.flatMap((hash) =>
    lengths.flatMap((length) => {
      const [key, message] = [bytes(length + 1), bytes(length)];
      const signature = createHmac(hash.replace('-', ''), key).update(message).digest();
      return [{ name: `${hash} ${length}`, algorithm: { name: 'HMAC', hash }, format: 'raw', key, message, signature }];
    }),
  );
  const some = valid.filter(({ message }) => message.length === 64);
  const invalid = some.flatMap((right) => [
    ...damaged(right),
    { ...right, name: `${right.name}: half`, signature: right.signature.subarray(0, right.signature.length / 2) },
    { ...right, name: `${right.name}: another key`, key: flipped(right.key, 0) },
    { ...right, name: `${right.name}: no key`, key: Buffer.alloc(0) },
  ]);
  await expectVerdicts(valid, invalid);
  const { forge } = await createKernel({ sandbox: SANDBOX });
  const { result } = await forge(
    `const found: string[] = [];
    for (const hash of args.hashes) for (const text of args.texts) {
      const data = Uint8Array.from(text.match(/../g) ?? [], (pair: string) => Number.parseInt(pair, 16));
      found.push(Array.from(new Uint8Array(await crypto.subtle.digest(hash, data)), (byte) => byte.toString(16).padStart(2, '0')).join(''));
    }
    return found;`,
    { hashes, texts: lengths.map((length) => bytes(length).toString('hex')) },
  );
  expect(result).toEqual(
    hashes.flatMap((hash) =>
      lengths.map((length) => createHash(hash.replace('-', '')).update(bytes(length)).digest('hex')),
    ),
  );
});

test('keys in a non-standard form and invalid private keys are refused', async () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ed = generateKeyPairSync('ed25519');
  const [spki, edSpki, pkcs8, edPkcs8] = [
    spkiOf(ec.publicKey),
    spkiOf(ed.publicKey),
    pkcs8Of(ec.privateKey),
    pkcs8Of(ed.privateKey),
  ];
  const jwk = ec.publicKey.export({ format: 'jwk' });
  const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const { x = '', y = '' } = jwk;
  const scalar = pkcs8.indexOf(Buffer.from('0420', 'hex')) + 2;
  const withScalar = (/** @type {Buffer} */ value) => {
    const copy = Buffer.from(pkcs8);
    value.copy(copy, scalar);
    return copy;
  };
  const unused = Buffer.from(spki);
  unused[spki.length - 66] = 1;
  /** @type {[string, any, string, any, string][]} */
  const forms = [
    ['SPKI with a trailing byte', ecdsa, 'spki', Buffer.concat([spki, Buffer.alloc(1)]), 'verify'],
    ['SPKI with unused bits', ecdsa, 'spki', unused, 'verify'],
    ['SPKI with a long length', ecdsa, 'spki', Buffer.concat([Buffer.from([0x30, 0x81]), spki.subarray(1)]), 'verify'],
    ['SPKI of another algorithm', { name: 'Ed25519' }, 'spki', spki, 'verify'],
    ['truncated SPKI', { name: 'Ed25519' }, 'spki', edSpki.subarray(0, -1), 'verify'],
    ['a JSON Web Key with padding', ecdsa, 'jwk', { ...jwk, x: `${x}=` }, 'verify'],
    ['a JSON Web Key in base64', ecdsa, 'jwk', { ...jwk, x: `+/${x.slice(2)}` }, 'verify'],
    ['a JSON Web Key with spaces', ecdsa, 'jwk', { ...jwk, x: ` ${x}` }, 'verify'],
    ['a coordinate that is too short', ecdsa, 'jwk', { ...jwk, x: x.slice(0, -2), y: `AA${y}` }, 'verify'],
    ['another curve', ecdsa, 'jwk', { ...jwk, crv: 'P-384' }, 'verify'],
    ['PKCS #8 with a trailing byte', ecdsa, 'pkcs8', Buffer.concat([pkcs8, Buffer.alloc(1)]), 'sign'],
    ['a private key of 0', ecdsa, 'pkcs8', withScalar(Buffer.alloc(32)), 'sign'],
    ['a private key above the order', ecdsa, 'pkcs8', withScalar(Buffer.alloc(32, 0xff)), 'sign'],
    ['the private key of another public one', ecdsa, 'pkcs8', withScalar(Buffer.alloc(32, 5)), 'sign'],
    ['PKCS #8 of another algorithm', { name: 'Ed25519' }, 'pkcs8', pkcs8, 'sign'],
    ['truncated PKCS #8', { name: 'Ed25519' }, 'pkcs8', edPkcs8.subarray(0, -1), 'sign'],
  ];
  const found = await inSandbox(
    forms.map(([name, algorithm, format, key, usage]) => ({ name, algorithm, format, key, usage })),
  );
  expect(forms.map(([name], at) => [name, found[at]])).toEqual(forms.map(([name]) => [name, 'DataError']));
});

test('Node verifies signatures of the sandbox', async () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ec384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const ed = generateKeyPairSync('ed25519');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pssOf = (/** @type {import('node:crypto').KeyObject} */ key) => ({
    key,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: 32,
  });
  const p1363 = (/** @type {import('node:crypto').KeyObject} */ key) => ({
    key,
    dsaEncoding: /** @type {const} */ ('ieee-p1363'),
  });
  /** @type {[any, { privateKey: import('node:crypto').KeyObject }, string | null, any][]} */
  const signers = [
    [{ name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }, ec, 'sha256', p1363(ec.publicKey)],
    [{ name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }, ec384, 'sha384', p1363(ec384.publicKey)],
    [{ name: 'Ed25519' }, ed, null, ed.publicKey],
    [{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, rsa, 'sha256', rsa.publicKey],
    [{ name: 'RSA-PSS', hash: 'SHA-256', saltLength: 32 }, rsa, 'sha256', pssOf(rsa.publicKey)],
  ];
  const made = await inSandbox(
    signers.map(([algorithm, { privateKey }]) => ({
      name: algorithm.name,
      algorithm,
      format: 'pkcs8',
      key: pkcs8Of(createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))),
      usage: 'sign',
    })),
    'sign',
  );
  const verdicts = signers.map(([, , hash, key], at) =>
    verify(hash, MESSAGE, key, Buffer.from(String(made[at]), 'hex')),
  );
  expect(verdicts).toEqual(signers.map(() => true));
});
