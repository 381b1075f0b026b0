/** Encoded messages of RSA signatures, valid and invalid ones, by RFC 8017. */

import { constants, createHash, privateEncrypt } from 'node:crypto';

const SHA256_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');
const ZERO = Buffer.from([0]);

/** @param {import('node:crypto').KeyObject} key @param {Buffer} opened */
export function closed(key, opened) {
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, opened);
}

/** @param {Buffer} message */
const sha256 = (message) => createHash('sha256').update(message).digest();

/**
 * @param {Buffer} info
 * @param {{ kind?: number, fill?: number[], behind?: Buffer, size?: number }} [odd]
 */
function padded(info, { kind = 1, fill = [], behind = Buffer.alloc(0), size = 256 } = {}) {
  const ps = Buffer.alloc(size - 3 - info.length - behind.length, 0xff);
  for (const at of fill) ps[at] = 0;
  return Buffer.concat([Buffer.from([0, kind]), ps, ZERO, info, behind]);
}

/**
 * PKCS #1 v1.5 with SHA-256: the valid encoding, and invalid ones that lax verifiers accept.
 * @param {Buffer} message
 */
export function pkcs1Encodings(message) {
  const hash = sha256(message);
  const info = Buffer.concat([SHA256_INFO, hash]);
  const wrongHash = Buffer.concat([SHA256_INFO, sha256(Buffer.from('another'))]);
  const withoutNull = Buffer.concat([Buffer.from('302f300b06096086480165030402010420', 'hex'), hash]);
  const longLength = Buffer.concat([Buffer.from('308131300d060960864801650304020105000420', 'hex'), hash]);
  const otherHash = Buffer.concat([Buffer.from('3031300d060960864801650304020205000420', 'hex'), hash]);
  const early = Buffer.concat([Buffer.from([0, 1]), Buffer.alloc(8, 0xff), ZERO, info]);
  return {
    right: padded(info),
    wrong: {
      'another hash': padded(wrongHash),
      'no NULL behind the name of the hash': padded(withoutNull),
      'a length in its long form': padded(longLength),
      'the name of another hash': padded(otherHash),
      'bytes behind the hash': padded(info, { behind: Buffer.alloc(8, 1) }),
      'short padding and bytes behind the hash': Buffer.concat([early, Buffer.alloc(256 - early.length, 7)]),
      'padding for encryption': padded(info, { kind: 2 }),
      'padding of kind 0': padded(info, { kind: 0 }),
      'a zero in the padding': padded(info, { fill: [100] }),
      'a hash that is cut': padded(info.subarray(0, -1)),
      'a bare hash': padded(hash),
    },
  };
}

/** @param {string} hash @param {Buffer} seed @param {number} length */
function mask(hash, seed, length) {
  const parts = [];
  for (let count = 0; parts.length * 20 < length; count++) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(count);
    parts.push(createHash(hash).update(seed).update(number).digest());
  }
  return Buffer.concat(parts).subarray(0, length);
}

/**
 * PSS with SHA-256, with deviations.
 * @param {Buffer} message
 * @param {{ salt?: number, trailer?: number, mgf?: string, one?: number, fill?: number, top?: boolean }} [odd]
 */
function pss(message, { salt: size = 32, trailer = 0xbc, mgf = 'sha256', one = 1, fill = 0, top = false } = {}) {
  const salt = Buffer.alloc(size, 5);
  const hash = sha256(Buffer.concat([Buffer.alloc(8), sha256(message), salt]));
  const length = 256 - hash.length - 1;
  const block = Buffer.concat([Buffer.alloc(length - size - 1, fill), Buffer.from([one]), salt]);
  const covered = mask(mgf, hash, length);
  for (let at = 0; at < length; at++) block[at] = (block[at] ?? 0) ^ (covered[at] ?? 0);
  // 2047 bits hold what is signed: the highest bit must be clear.
  block[0] = top ? 0x80 : (block[0] ?? 0) & 0x7f;
  return Buffer.concat([block, hash, Buffer.from([trailer])]);
}

/** @param {Buffer} message */
export function pssEncodings(message) {
  return {
    right: pss(message),
    wrong: {
      'another message': pss(Buffer.from('another')),
      'no salt': pss(message, { salt: 0 }),
      'a salt that is too short': pss(message, { salt: 31 }),
      'a salt that is too long': pss(message, { salt: 33 }),
      'another last byte': pss(message, { trailer: 0xbd }),
      'the last byte of other schemes': pss(message, { trailer: 0xcc }),
      'a mask by another hash': pss(message, { mgf: 'sha1' }),
      'no one before the salt': pss(message, { one: 0 }),
      'two before the salt': pss(message, { one: 2 }),
      'padding that is not zero': pss(message, { fill: 1 }),
    },
  };
}
