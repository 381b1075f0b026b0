/** Finds private keys in files of any name, and remembers what it found: most files are the same at the next start of a program. */

import { open } from 'node:fs/promises';
import { dropOldest } from '../boundary/drop_oldest.js';

/** What may stand between two lines of a key: in a file of keys, in a string with escapes, and in strings that are put together. */
const BREAK = String.raw`(?:\s|\\+[rnt])*(?:["'\`][\s+.,\\]*["'\`](?:\s|\\+[rnt])*)?`;
const BEGIN = '-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----';
const HEADERS = String.raw`(?:[A-Z][A-Za-z-]{1,30}: [^\r\n\\"]{0,200}(?:[\r\n]|\\+[rn])${BREAK}){0,4}`;
/**
 * How private keys look, in a file of any name. Code that only names how one begins has none. Bytes are read as Latin-1, or UTF-16. No part can
 * match one text in two ways, so that a hostile file takes no longer than another.
 */
const PRIVATE_KEYS = [
  new RegExp(String.raw`^(?:\xef\xbb\xbf)?[ \t]*(?:- )?${BEGIN}[ \t]*$`, 'm'),
  new RegExp(`${BEGIN}${BREAK}${HEADERS}[A-Za-z0-9+/]{16}`),
  /"private_key"\s*:\s*"-----BEGIN/,
  /PuTTY-User-Key-File-\d+: /,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{40}/,
  // WireGuard.
  /\bPrivateKey[ \t]*=[ \t]*[A-Za-z0-9+/]{43}=/,
  // DER of PKCS #8, PKCS #1 and SEC 1: a sequence of a version and of what such a key has next.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the bytes of that form
  /^\x30(?:[^\x80-\xff]|\x81.|\x82..)\x02\x01[\x00\x01](?:\x30.\x06|\x02[\x40-\x82]|\x04[\x1c-\x42])/s,
];
const JSON_WEB_KEY = /"kty\\*"\s*:/;
const PRIVATE_PART = /"[dk]\\*"\s*:\s*\\*"[\w-]{20}/;
const KEY_HEAD_BYTES = 1 << 20;
/** Each pattern needs one of these, or the first byte of DER. They are looked for first, without keeping Node's thread for long. */
const MARKS = ['PRIVATE KEY', 'private_key', 'PuTTY-User-Key-File-', 'AGE-SECRET-KEY-1', 'PrivateKey', '"kty'].map(
  // In UTF-16 of either order, without the zero at one of its ends.
  (mark) => ({ plain: Buffer.from(mark), wide: Buffer.from(mark, 'utf16le').subarray(0, -1) }),
);
const DER = 0x30;

/** Verdicts that are remembered; the oldest go first. */
const MAX_REMEMBERED = 100_000;
/** A file may change again without another time while its last change is younger, where times are exact, and where they are whole seconds. */
const SETTLED_MS = 50;
const SETTLED_COARSE_MS = 2_000;
const SECOND_NS = 1_000_000_000n;

/** @type {Map<string, { identity: string, isKey: boolean }>} by device and number of the file */
const remembered = new Map();

/** @param {import('node:fs').BigIntStats} about @returns {string} what is another when a file is */
export function identityOf({ ino, size, mtimeNs, ctimeNs }) {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/**
 * Whether the first megabyte of a file holds a private key.
 * @param {string} path
 * @param {import('node:fs').BigIntStats} about the file, which is read where it is not known as that
 */
export async function isPrivateKey(path, about) {
  if (about.size === 0n) return false;
  const [place, identity] = [`${about.dev}:${about.ino}`, identityOf(about)];
  const known = remembered.get(place);
  if (known?.identity === identity) return known.isKey;
  const file = await open(path, 'r');
  try {
    const length = Math.min(Number(about.size), KEY_HEAD_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length);
    const isKey = hasPrivateKey(buffer.subarray(0, bytesRead));
    const after = await file.stat({ bigint: true });
    const isSame = after.dev === about.dev && identityOf(after) === identity && isSettled(after);
    if (isSame) {
      if (known === undefined) dropOldest(remembered, MAX_REMEMBERED);
      remembered.set(place, { identity, isKey });
    }
    return isKey;
  } finally {
    await file.close();
  }
}

/** @param {import('node:fs').BigIntStats} about */
function isSettled({ ctimeMs, ctimeNs }) {
  const least = ctimeNs % SECOND_NS === 0n ? SETTLED_COARSE_MS : SETTLED_MS;
  return Date.now() - Number(ctimeMs) > least;
}

/** @param {Buffer} bytes */
function hasPrivateKey(bytes) {
  const isMarked = bytes[0] === DER || MARKS.some(({ plain }) => bytes.includes(plain));
  if (isMarked && isKeyText(bytes.toString('latin1'))) return true;
  // A file may have both.
  return MARKS.some(({ wide }) => bytes.includes(wide)) && isKeyText(bytes.toString('latin1').replaceAll('\0', ''));
}

/** @param {string} text */
function isKeyText(text) {
  return PRIVATE_KEYS.some((key) => key.test(text)) || (JSON_WEB_KEY.test(text) && PRIVATE_PART.test(text));
}
