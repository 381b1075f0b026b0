/** Shim of `node:crypto`: digests and key derivation in JavaScript, and the sandbox's random numbers. */

const { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } = require('@noble/hashes/sha2.js');
const { md5, sha1, ripemd160 } = require('@noble/hashes/legacy.js');
const { sha3_224, sha3_256, sha3_384, sha3_512 } = require('@noble/hashes/sha3.js');
const { blake2b, blake2s } = require('@noble/hashes/blake2.js');
const { hmac } = require('@noble/hashes/hmac.js');
const { pbkdf2 } = require('@noble/hashes/pbkdf2.js');
const { scrypt } = require('@noble/hashes/scrypt.js');
const { hkdf } = require('@noble/hashes/hkdf.js');
const { Buffer } = require('tgp:buffer');
const { refusingModule } = require('tgp:refusing');
const { randomness } = require('tgp:crypto_random');

const HASHES = {
  __proto__: null,
  md5,
  sha1,
  sha224,
  sha256,
  sha384,
  sha512,
  'sha512-224': sha512_224,
  'sha512-256': sha512_256,
  'sha3-224': sha3_224,
  'sha3-256': sha3_256,
  'sha3-384': sha3_384,
  'sha3-512': sha3_512,
  blake2b512: blake2b,
  blake2s256: blake2s,
  ripemd160,
  rmd160: ripemd160,
};
const OTHER_NAMES = {
  __proto__: null,
  'sha-1': 'sha1',
  'sha-224': 'sha224',
  'sha-256': 'sha256',
  'sha-384': 'sha384',
  'sha-512': 'sha512',
};

function hashOf(name) {
  const lower = String(name).toLowerCase().replace(/^rsa-/, '');
  const found = HASHES[OTHER_NAMES[lower] ?? lower];
  if (found === undefined) throw new Error('Digest method not supported');
  return found;
}

class KeyObject {
  #bytes;
  constructor(bytes) {
    this.#bytes = bytes;
  }
  get type() {
    return 'secret';
  }
  get symmetricKeySize() {
    return this.#bytes.length;
  }
  export(options) {
    return options?.format === 'jwk' ? { kty: 'oct', k: this.#bytes.toString('base64url') } : Buffer.from(this.#bytes);
  }
  equals(other) {
    return this.#bytes.equals(other.export());
  }
}

/** Text, bytes or a key as bytes. */
function bytesOf(data, encoding) {
  if (typeof data === 'string') return Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding);
  if (data instanceof KeyObject) return data.export();
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw new TypeError('The data must be of type string, Buffer, TypedArray, DataView or KeyObject');
}

const encoded = (bytes, encoding) => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding === undefined || encoding === 'buffer' ? buffer : buffer.toString(encoding);
};

/** An incremental digest: Node's `Hash` and `Hmac`. */
class Digest {
  #state;
  #isDone = false;
  constructor(state) {
    this.#state = state;
  }
  update(data, encoding) {
    if (this.#isDone) throw new Error('Digest already called');
    this.#state.update(bytesOf(data, encoding));
    return this;
  }
  digest(encoding) {
    if (this.#isDone) throw new Error('Digest already called');
    this.#isDone = true;
    return encoded(this.#state.digest(), encoding);
  }
  copy() {
    if (this.#isDone) throw new Error('Digest already called');
    return new Digest(this.#state.clone());
  }
}

/** The asynchronous version of a function, with a callback as last argument. */
const withCallback =
  (sync) =>
  (...args) => {
    const done = args.pop();
    let outcome;
    try {
      outcome = [null, sync(...args)];
    } catch (error) {
      outcome = [error];
    }
    queueMicrotask(() => done(...outcome));
  };

const pbkdf2Sync = (password, salt, iterations, length, digest) =>
  encoded(pbkdf2(hashOf(digest), bytesOf(password), bytesOf(salt), { c: iterations, dkLen: length }));

function scryptSync(password, salt, length, options = {}) {
  const N = options.N ?? options.cost ?? 16384;
  const r = options.r ?? options.blockSize ?? 8;
  const p = options.p ?? options.parallelization ?? 1;
  return encoded(scrypt(bytesOf(password), bytesOf(salt), { N, r, p, dkLen: length }));
}

const hkdfSync = (digest, key, salt, info, length) => {
  const { buffer, byteOffset } = hkdf(hashOf(digest), bytesOf(key), bytesOf(salt), bytesOf(info), length);
  return buffer.slice(byteOffset, byteOffset + length);
};

function timingSafeEqual(one, other) {
  const [left, right] = [bytesOf(one), bytesOf(other)];
  if (left.length !== right.length) throw new RangeError('Input buffers must have the same byte length');
  let difference = 0;
  for (let index = 0; index < left.length; index++) difference |= left[index] ^ right[index];
  return difference === 0;
}

const REFUSED = [
  'Sign Verify Cipheriv Decipheriv X509Certificate DiffieHellman ECDH createCipheriv createDecipheriv createSign createVerify',
  'createDiffieHellman createDiffieHellmanGroup getDiffieHellman createECDH createPrivateKey createPublicKey diffieHellman',
  'generateKey generateKeySync generateKeyPair generateKeyPairSync generatePrime generatePrimeSync checkPrime checkPrimeSync',
  'privateDecrypt privateEncrypt publicDecrypt publicEncrypt sign verify setEngine setFips secureHeapUsed',
].flatMap((line) => line.split(' '));

module.exports = {
  ...refusingModule('crypto', Object.fromEntries(REFUSED.map((name) => [name, true]))),
  ...randomness,
  constants: {},
  webcrypto: globalThis.crypto,
  get subtle() {
    return globalThis.crypto.subtle;
  },
  Hash: Digest,
  Hmac: Digest,
  KeyObject,
  createHash: (name) => new Digest(hashOf(name).create()),
  createHmac: (name, key) => new Digest(hmac.create(hashOf(name), bytesOf(key))),
  createSecretKey: (key, encoding) => new KeyObject(Buffer.from(bytesOf(key, encoding))),
  hash: (name, data, encoding = 'hex') => encoded(hashOf(name)(bytesOf(data)), encoding),
  getHashes: () => Object.keys(HASHES),
  getCiphers: () => [],
  getCurves: () => [],
  getFips: () => 0,
  timingSafeEqual,
  pbkdf2Sync,
  pbkdf2: withCallback(pbkdf2Sync),
  scryptSync,
  scrypt: withCallback(scryptSync),
  hkdfSync,
  hkdf: withCallback(hkdfSync),
};
