/** Shim of `node:crypto`: digests and key derivation in JavaScript, ciphers of the engine, and the sandbox's random numbers. */

const { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } = require('@noble/hashes/sha2.js');
const { md5, sha1, ripemd160 } = require('@noble/hashes/legacy.js');
const { sha3_224, sha3_256, sha3_384, sha3_512, shake128, shake256 } = require('@noble/hashes/sha3.js');
const { blake2b, blake2s } = require('@noble/hashes/blake2.js');
const { hmac } = require('@noble/hashes/hmac.js');
const { pbkdf2 } = require('@noble/hashes/pbkdf2.js');
const { scrypt } = require('@noble/hashes/scrypt.js');
const { hkdf } = require('@noble/hashes/hkdf.js');
const { Buffer } = require('tgp:buffer');
const { classOf, getCipherInfo, getCiphers } = require('tgp:crypto_ciphers');
const part = require('tgp:engine');
const { invalidType, nodeError, outOfRange } = require('tgp:node_error');
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
  shake128,
  shake256,
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

/** A digest by its name; undefined if it is not known. */
function hashOf(name) {
  const lower = String(name).toLowerCase().replace(/^rsa-/, '');
  return HASHES[OTHER_NAMES[lower] ?? lower];
}

function needHash(name) {
  if (typeof name !== 'string') throw invalidType('digest', ['string'], name);
  const found = hashOf(name);
  if (found === undefined) throw nodeError(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${name}`);
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

const DATA = ['string', 'Buffer', 'TypedArray', 'DataView'];
const KEYS = ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'KeyObject', 'CryptoKey'];

/** Text, bytes or a key as bytes. */
function bytesOf(data, encoding, name = 'data', types = DATA) {
  if (typeof data === 'string') return Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding);
  if (data instanceof KeyObject) return data.export();
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw invalidType(name, types, data);
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
    if (this.#isDone) throw nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    this.#state.update(bytesOf(data, encoding));
    return this;
  }
  digest(encoding) {
    if (this.#isDone) throw nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    this.#isDone = true;
    return encoded(this.#state.digest(), encoding);
  }
  copy() {
    if (this.#isDone) throw nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
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

/** Digests that the engine has. */
const ENGINE_HASHES = { __proto__: null, sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };
const MOST = 0x7fffffff;

function pbkdf2Sync(password, salt, iterations, length, digest) {
  const hash = needHash(digest);
  const [secret, salted] = [bytesOf(password, undefined, 'password', KEYS), bytesOf(salt, undefined, 'salt', KEYS)];
  for (const [name, value, least] of [
    ['iterations', iterations, 1],
    ['keylen', length, 0],
  ]) {
    if (typeof value !== 'number') throw invalidType(name, ['number'], value);
    if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
    if (value < least || value > MOST) throw outOfRange(name, `>= ${least} && <= ${MOST}`, value);
  }
  const lower = digest.toLowerCase();
  const native = ENGINE_HASHES[OTHER_NAMES[lower] ?? lower];
  return encoded(
    native === undefined
      ? pbkdf2(hash, secret, salted, { c: iterations, dkLen: length })
      : part('crypto').pbkdf2(native, secret, salted, iterations, length),
  );
}

function scryptSync(password, salt, length, options = {}) {
  const N = options.N ?? options.cost ?? 16384;
  const r = options.r ?? options.blockSize ?? 8;
  const p = options.p ?? options.parallelization ?? 1;
  return encoded(scrypt(bytesOf(password), bytesOf(salt), { N, r, p, dkLen: length }));
}

const hkdfSync = (digest, key, salt, info, length) => {
  if (length > 255 * needHash(digest).outputLen) {
    throw nodeError(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
  }
  const { buffer, byteOffset } = hkdf(needHash(digest), bytesOf(key), bytesOf(salt), bytesOf(info), length);
  return buffer.slice(byteOffset, byteOffset + length);
};

function timingSafeEqual(one, other) {
  const types = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];
  if (typeof one === 'string') throw invalidType('buf1', types, one);
  if (typeof other === 'string') throw invalidType('buf2', types, other);
  const [left, right] = [bytesOf(one, undefined, 'buf1', types), bytesOf(other, undefined, 'buf2', types)];
  if (left.length !== right.length) {
    const message = 'Input buffers must have the same byte length';
    throw nodeError(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', message);
  }
  let difference = 0;
  for (let index = 0; index < left.length; index++) difference |= left[index] ^ right[index];
  return difference === 0;
}

const REFUSED = [
  'Sign Verify X509Certificate DiffieHellman ECDH createSign createVerify',
  'createDiffieHellman createDiffieHellmanGroup getDiffieHellman createECDH createPrivateKey createPublicKey diffieHellman',
  'generateKey generateKeySync generateKeyPair generateKeyPairSync generatePrime generatePrimeSync checkPrime checkPrimeSync',
  'privateDecrypt privateEncrypt publicDecrypt publicEncrypt sign verify setEngine setFips secureHeapUsed',
].flatMap((line) => line.split(' '));

const keyBytes = (key) => bytesOf(key, undefined, 'key', KEYS);
const Cipheriv = classOf('Cipheriv', true, keyBytes);
const Decipheriv = classOf('Decipheriv', false, keyBytes);

/** A digest with the options of Node: some digests have output of any length. */
function createHash(name, options) {
  const found = hashOf(name);
  if (found === undefined) throw new Error('Digest method not supported');
  const length = options?.outputLength;
  if (/^shake/i.test(name)) return new Digest(found.create({ dkLen: length }));
  if (length !== undefined && length !== found.outputLen) {
    const message = 'error:030000B2:digital envelope routines::not XOF or invalid length';
    throw Object.assign(new Error(message), { code: 'ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH' });
  }
  return new Digest(found.create());
}

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
  createHash,
  createHmac: (name, key) => new Digest(hmac.create(needHash(name), keyBytes(key))),
  createSecretKey: (key, encoding) => new KeyObject(Buffer.from(bytesOf(key, encoding))),
  hash(name, data, encoding = 'hex') {
    if (hashOf(name) === undefined) throw new Error(`Digest method ${name} is not supported`);
    return createHash(name).update(data).digest(encoding);
  },
  getHashes: () => Object.keys(HASHES),
  Cipheriv,
  Decipheriv,
  createCipheriv: (cipher, key, iv, options) => new Cipheriv(cipher, key, iv, options),
  createDecipheriv: (cipher, key, iv, options) => new Decipheriv(cipher, key, iv, options),
  getCiphers,
  getCipherInfo,
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
