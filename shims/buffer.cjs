/** Shim of `node:buffer`: the package `buffer`, extended with newer features such as `base64url`. */

const bufferPackage = require('buffer/');
const { checkNumbers } = require('tgp:buffer_numbers');
const { invalidType, needType, nodeError, outOfRange, received } = require('tgp:node_error');

const { Buffer } = bufferPackage;
const isUrl = (encoding) => typeof encoding === 'string' && encoding.toLowerCase() === 'base64url';
/** The package decodes both alphabets as `base64`. */
const supported = (encoding) => (isUrl(encoding) ? 'base64' : encoding);
const { from, byteLength, isEncoding } = Buffer;
const { toString: textOf, write } = Buffer.prototype;

const unknown = (encoding) => nodeError(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
const KINDS = 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object';

/** The package's errors have other messages and no codes. */
function newBuffer(value, encoding, length) {
  try {
    return from(value, supported(encoding), length);
  } catch (error) {
    if (typeof value === 'string') throw unknown(encoding);
    if (error instanceof RangeError) throw error;
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `The first argument must be ${KINDS}.${received(value)}`);
  }
}

/** A method that takes the size of a new buffer. */
const withSize = (create) => (size, fill, encoding) => {
  needType('size', 'number', size);
  if (!(size >= 0 && size <= Number.MAX_SAFE_INTEGER))
    throw outOfRange('size', `>= 0 && <= ${Number.MAX_SAFE_INTEGER}`, size);
  return create(size, fill, supported(encoding));
};

const { concat } = Buffer;
function checkedConcat(list, length) {
  if (!Array.isArray(list)) throw invalidType('list', ['Array'], list);
  const at = list.findIndex((one) => !(one instanceof Uint8Array));
  if (at >= 0) throw invalidType(`list[${at}]`, ['Buffer', 'Uint8Array'], list[at]);
  return concat(list, length);
}

Object.assign(Buffer, {
  from: newBuffer,
  concat: checkedConcat,
  alloc: withSize(Buffer.alloc),
  allocUnsafe: withSize(Buffer.allocUnsafe),
  allocUnsafeSlow: withSize(Buffer.allocUnsafeSlow),
  byteLength: (text, encoding) => byteLength(text, supported(encoding)),
  isEncoding: (encoding) => isUrl(encoding) || isEncoding(encoding),
  copyBytesFrom: (view, offset = 0, length = view.length) => {
    const part = view.subarray(offset, offset + length);
    return from(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  },
});
Object.assign(Buffer.prototype, {
  toString(encoding, start, end) {
    if (encoding !== undefined && !Buffer.isEncoding(encoding)) throw unknown(encoding);
    if (!isUrl(encoding)) return textOf.call(this, encoding, start, end);
    const text = textOf.call(this, 'base64', start, end);
    return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  },
  write(...args) {
    return write.apply(this, args.map(supported));
  },
});

checkNumbers(Buffer.prototype);

function inspect() {
  const most = module.exports.INSPECT_MAX_BYTES;
  const shown = this.toString('hex', 0, most).replaceAll(/../g, ' $&');
  const more = this.length - most;
  return `<Buffer${shown || ' '}${more > 0 ? ` ... ${more} more byte${more > 1 ? 's' : ''}` : ''}>`;
}
Object.assign(Buffer.prototype, { inspect, [Symbol.for('nodejs.util.inspect.custom')]: inspect });

const isUtf8 = (bytes) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

const CODINGS = ['utf8', 'utf-8', 'utf16le', 'utf-16le', 'ucs2', 'ucs-2', 'latin1', 'binary', 'ascii'];

/** The bytes of a text in another encoding. */
function transcode(source, fromEncoding, toEncoding) {
  if (!(source instanceof Uint8Array)) throw invalidType('source', ['Buffer', 'Uint8Array'], source);
  const isKnown = [fromEncoding, toEncoding].every((name) => CODINGS.includes(`${name}`.toLowerCase()));
  if (!isKnown)
    throw nodeError(Error, 'U_ILLEGAL_ARGUMENT_ERROR', 'Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]');
  const text = from(source.buffer, source.byteOffset, source.byteLength).toString(fromEncoding);
  const most = /^(?:latin1|binary)$/i.test(toEncoding) ? 0xff : /^ascii$/i.test(toEncoding) ? 0x7f : 0x10ffff;
  return Buffer.from(
    most === 0x10ffff ? text : [...text].map((one) => (one.codePointAt(0) > most ? '?' : one)).join(''),
    toEncoding,
  );
}

module.exports = {
  ...bufferPackage,
  transcode,
  constants: { MAX_LENGTH: bufferPackage.kMaxLength, MAX_STRING_LENGTH: 0x1fffffe8 },
  atob: globalThis.atob,
  btoa: globalThis.btoa,
  isUtf8,
  isAscii: (bytes) =>
    new Uint8Array(bytes.buffer ?? bytes, bytes.byteOffset, bytes.byteLength).every((byte) => byte < 128),
  get Blob() {
    return globalThis.Blob;
  },
  get File() {
    return globalThis.File;
  },
};
