/** Shim of `node:buffer`: the package `buffer`, extended with newer features such as `base64url`. */

const bufferPackage = require('buffer/');

const { Buffer } = bufferPackage;
const isUrl = (encoding) => typeof encoding === 'string' && encoding.toLowerCase() === 'base64url';
/** The package decodes both alphabets as `base64`. */
const supported = (encoding) => (isUrl(encoding) ? 'base64' : encoding);
const { from, byteLength, isEncoding } = Buffer;
const { toString: textOf, write } = Buffer.prototype;

Object.assign(Buffer, {
  from: (value, encoding, length) => from(value, supported(encoding), length),
  byteLength: (text, encoding) => byteLength(text, supported(encoding)),
  isEncoding: (encoding) => isUrl(encoding) || isEncoding(encoding),
  copyBytesFrom: (view, offset = 0, length = view.length) => {
    const part = view.subarray(offset, offset + length);
    return from(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  },
});
Object.assign(Buffer.prototype, {
  toString(encoding, start, end) {
    if (!isUrl(encoding)) return textOf.call(this, encoding, start, end);
    const text = textOf.call(this, 'base64', start, end);
    return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  },
  write(...args) {
    return write.apply(this, args.map(supported));
  },
});

const isUtf8 = (bytes) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

module.exports = {
  ...bufferPackage,
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
