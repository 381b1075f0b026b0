/** AES of `node:crypto`: `createCipheriv` and `createDecipheriv`, by the sandbox's engine. */

const { Buffer } = require('tgp:buffer');
const { nodeError, invalidType, invalidValue } = require('tgp:node_error');
const part = require('tgp:engine');

const BLOCK = 16;
const EMPTY = Buffer.alloc(0);
const MAX_GCM_IV = 128;
const MODES = ['cbc', 'ctr', 'ecb', 'gcm'];
const TAG_BYTES = [4, 8, 12, 13, 14, 15, 16];
const NIDS = { 128: { cbc: 419, ctr: 904, ecb: 418, gcm: 895 }, 192: { cbc: 423, ctr: 905, ecb: 422, gcm: 898 } };
NIDS[256] = { cbc: 427, ctr: 906, ecb: 426, gcm: 901 };
const BYTES = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];

/** The mode and the length of the key of a cipher by its name; undefined for others than AES. */
function cipherOf(name) {
  const lower = String(name).toLowerCase();
  const plain = /^aes(128|192|256)$/.exec(lower);
  const found = plain ? [undefined, plain[1], 'cbc'] : /^(?:id-)?aes-?(128|192|256)-(cbc|ctr|ecb|gcm)$/.exec(lower);
  if (!found) return undefined;
  const [, bits, mode] = found;
  return { bits, mode, keyLength: bits / 8, ivLength: { ecb: 0, gcm: 12 }[mode] ?? BLOCK };
}

const invalidState = (operation) =>
  nodeError(Error, 'ERR_CRYPTO_INVALID_STATE', `Invalid state${operation ? ` for operation ${operation}` : ''}`);
const invalidTag = (length) =>
  nodeError(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${length}`);
const invalidIv = () => nodeError(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
const unauthentic = () => new Error('Unsupported state or unable to authenticate data');

function providerError(number, reason) {
  const error = new Error(`error:1C8000${number}:Provider routines::${reason}`);
  const code = `ERR_OSSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
  return Object.assign(error, { library: 'Provider routines', reason, code });
}
const wrongLength = () => providerError('6B', 'wrong final block length');

/** Text or bytes as a Buffer. */
function bytesOf(value, name, types, encoding) {
  if (typeof value === 'string') return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer && types.includes('ArrayBuffer')) return Buffer.from(value);
  throw invalidType(name, types, value);
}

/** Both directions; a cipher starts with the first data, because the options of GCM come after the constructor. */
class AesCipher {
  #encrypts;
  #cipher;
  #key;
  #iv;
  #tag;
  #tagLength;
  #aad = EMPTY;
  #engine;
  #rest = EMPTY;
  #pads = true;
  #isOver = false;
  #encoding;
  constructor(encrypts, name, key, iv, options, keyBytes) {
    if (typeof name !== 'string') throw invalidType('cipher', ['string'], name);
    const cipher = cipherOf(name);
    if (cipher === undefined) throw nodeError(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
    const secret = keyBytes(key);
    const start = iv === null ? undefined : bytesOf(iv, 'iv', ['string', ...BYTES]);
    if (secret.length !== cipher.keyLength)
      throw nodeError(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
    if (
      cipher.mode === 'gcm'
        ? !(start?.length <= MAX_GCM_IV && start.length > 0)
        : (start?.length ?? 0) !== cipher.ivLength
    )
      throw invalidIv();
    const tagLength = options?.authTagLength;
    if (cipher.mode === 'gcm' && tagLength !== undefined && !TAG_BYTES.includes(tagLength)) throw invalidTag(tagLength);
    this.#encrypts = encrypts;
    this.#cipher = cipher;
    this.#key = Buffer.from(secret);
    // The engine takes a block, also where there is no initial value.
    this.#iv = cipher.mode === 'ecb' ? Buffer.alloc(BLOCK) : Buffer.from(start);
    this.#tagLength = tagLength;
  }
  get #isGcm() {
    return this.#cipher.mode === 'gcm';
  }
  #run(data) {
    const { openCipher } = part('crypto');
    this.#engine ??= openCipher(this.#cipher.mode, this.#encrypts, this.#key, this.#iv, this.#aad);
    const bytes = this.#engine.update(data);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  #encoded(bytes, encoding) {
    if (encoding === undefined || encoding === null || encoding === 'buffer') return bytes;
    if (this.#encoding !== undefined && this.#encoding !== encoding) {
      throw invalidValue('outputEncoding', encoding, `cannot be changed from '${this.#encoding}'`);
    }
    this.#encoding = encoding;
    // Characters and groups of base64 may be divided between pieces.
    const { StringDecoder } = require('tgp:string_decoder');
    this.#decoder ??= new StringDecoder(encoding);
    return this.#decoder.write(bytes);
  }
  #decoder;
  update(data, inputEncoding, outputEncoding) {
    const types = ['string', 'Buffer', 'TypedArray', 'DataView'];
    const bytes = bytesOf(data, 'data', types, inputEncoding);
    if (this.#isOver) throw new Error('Trying to add data in unsupported state');
    if (this.#cipher.ivLength === 12 || this.#cipher.mode === 'ctr')
      return this.#encoded(this.#run(bytes), outputEncoding);
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    // A decipher that removes padding keeps the last block for the end.
    const kept = !this.#encrypts && this.#pads ? 1 : 0;
    const whole = Math.max(0, Math.floor((all.length - kept) / BLOCK)) * BLOCK;
    this.#rest = Buffer.from(all.subarray(whole));
    return this.#encoded(whole === 0 ? Buffer.alloc(0) : this.#run(all.subarray(0, whole)), outputEncoding);
  }
  final(encoding) {
    if (this.#isOver) throw invalidState('');
    const last = this.#isGcm ? this.#finishGcm() : this.#cipher.mode === 'ctr' ? EMPTY : this.#lastBlock();
    this.#isOver = true;
    const out = this.#encoded(Buffer.from(last), encoding);
    return typeof out === 'string' ? out + this.#decoder.end() : out;
  }
  #finishGcm() {
    this.#run(EMPTY);
    const tag = Buffer.from(this.#engine.end());
    if (this.#encrypts) {
      this.#tag = tag.subarray(0, this.#tagLength ?? BLOCK);
      return EMPTY;
    }
    this.#isOver = true;
    let difference = this.#tag === undefined ? 1 : 0;
    this.#tag?.forEach((byte, index) => {
      difference |= byte ^ tag[index];
    });
    if (difference !== 0) throw unauthentic();
    return EMPTY;
  }
  #lastBlock() {
    const { length } = this.#rest;
    if (!this.#pads) {
      if (length > 0) throw wrongLength();
      return EMPTY;
    }
    if (this.#encrypts) return this.#run(Buffer.concat([this.#rest, Buffer.alloc(BLOCK - length, BLOCK - length)]));
    if (length !== BLOCK) throw wrongLength();
    const block = this.#run(this.#rest);
    const filled = block[BLOCK - 1];
    const isFilled = filled > 0 && filled <= BLOCK && block.subarray(BLOCK - filled).every((byte) => byte === filled);
    if (!isFilled) throw providerError('64', 'bad decrypt');
    return block.subarray(0, BLOCK - filled);
  }
  setAutoPadding(pads = true) {
    if (this.#isOver) throw invalidState('setAutoPadding');
    this.#pads = Boolean(pads);
    return this;
  }
  setAAD(data) {
    const bytes = bytesOf(data, 'aadbuf', ['string', ...BYTES]);
    if (!this.#isGcm || this.#engine !== undefined || this.#isOver) throw invalidState('setAAD');
    this.#aad = Buffer.concat([this.#aad, bytes]);
    return this;
  }
  tag() {
    if (!this.#isGcm || this.#tag === undefined) throw invalidState('getAuthTag');
    return Buffer.from(this.#tag);
  }
  expectTag(tag, encoding) {
    const bytes = bytesOf(tag, 'buffer', ['string', ...BYTES], encoding);
    if (!this.#isGcm || this.#isOver || this.#tag !== undefined) throw invalidState('setAuthTag');
    const isWrong =
      this.#tagLength === undefined ? !TAG_BYTES.includes(bytes.length) : bytes.length !== this.#tagLength;
    if (isWrong) throw invalidTag(bytes.length);
    this.#tag = Buffer.from(bytes);
    return this;
  }
}

/** Node's classes have the operations of one direction. They can be called without `new`. */
function classOf(name, encrypts, keyBytes) {
  const inner = new WeakMap();
  const of = (self) => inner.get(self);
  function Class(cipher, key, iv, options) {
    if (!(this instanceof Class)) return new Class(cipher, key, iv, options);
    inner.set(this, new AesCipher(encrypts, cipher, key, iv, options, keyBytes));
  }
  const methods = {
    update(data, inputEncoding, outputEncoding) {
      return of(this).update(data, inputEncoding, outputEncoding);
    },
    final(encoding) {
      return of(this).final(encoding);
    },
    setAutoPadding(pads) {
      of(this).setAutoPadding(pads);
      return this;
    },
    setAAD(data) {
      of(this).setAAD(data);
      return this;
    },
  };
  const own = encrypts
    ? {
        getAuthTag() {
          return of(this).tag();
        },
      }
    : {
        setAuthTag(tag, encoding) {
          of(this).expectTag(tag, encoding);
          return this;
        },
      };
  for (const [method, value] of Object.entries({ ...methods, ...own })) {
    Object.defineProperty(Class.prototype, method, { value, writable: true, configurable: true });
  }
  Object.defineProperty(Class, 'name', { value: name });
  return Class;
}

const getCiphers = () => Object.keys(NIDS).flatMap((bits) => MODES.map((mode) => `aes-${bits}-${mode}`));

function getCipherInfo(name) {
  const cipher = cipherOf(name);
  if (cipher === undefined) return undefined;
  const { mode, bits, keyLength, ivLength } = cipher;
  const info = { mode, name: mode === 'gcm' ? `id-aes${bits}-gcm` : `aes-${bits}-${mode}`, nid: NIDS[bits][mode] };
  return { ...info, blockSize: mode === 'cbc' || mode === 'ecb' ? BLOCK : 1, ...(ivLength && { ivLength }), keyLength };
}

module.exports = { classOf, getCiphers, getCipherInfo };
