/** Detects private keys by file content, with a cache. */

import type { BigIntStats } from 'node:fs';
import { open } from 'node:fs/promises';
import { dropOldest } from '../boundary/drop_oldest.js';

/** Line separators within a key: in a key file, in a string with escapes, and in concatenated strings. */
const BREAK = String.raw`(?:\s|\\+[rnt])*(?:["'\`][\s+.,\\]*["'\`](?:\s|\\+[rnt])*)?`;
const BEGIN = '-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----';
const HEADERS = String.raw`(?:[A-Z][A-Za-z-]{1,30}: [^\r\n\\"]{0,200}(?:[\r\n]|\\+[rn])${BREAK}){0,4}`;
/**
 * Patterns of private keys. Code that only mentions a key header does not match. Bytes are read as Latin-1 or UTF-16. The patterns
 * are unambiguous, so that a hostile file cannot cause backtracking.
 */
const PRIVATE_KEYS = [
  new RegExp(String.raw`^(?:\xef\xbb\xbf)?[ \t]*(?:- )?${BEGIN}[ \t]*$`, 'm'),
  new RegExp(`${BEGIN}${BREAK}${HEADERS}[A-Za-z0-9+/]{16}`),
  /"private_key"\s*:\s*"-----BEGIN/,
  /PuTTY-User-Key-File-\d+: /,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{40}/,
  // WireGuard.
  /\bPrivateKey[ \t]*=[ \t]*[A-Za-z0-9+/]{43}=/,
  // DER of PKCS #8, PKCS #1 and SEC 1: a sequence of a version and the next field of such a key.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the bytes of that form
  /^\x30(?:[^\x80-\xff]|\x81.|\x82..)\x02\x01[\x00\x01](?:\x30.\x06|\x02[\x40-\x82]|\x04[\x1c-\x42])/s,
];
const JSON_WEB_KEY = /"kty\\*"\s*:/;
const PRIVATE_PART = /"[dk]\\*"\s*:\s*\\*"[\w-]{20}/;
const KEY_HEAD_BYTES = 1 << 20;
/** Every pattern requires one of these marks, or the first byte of DER. A fast check before the patterns. */
const MARKS = ['PRIVATE KEY', 'private_key', 'PuTTY-User-Key-File-', 'AGE-SECRET-KEY-1', 'PrivateKey', '"kty'].map(
  // UTF-16 of either byte order, without the leading or trailing zero.
  (mark) => ({ plain: Buffer.from(mark), wide: Buffer.from(mark, 'utf16le').subarray(0, -1) }),
);
const DER = 0x30;

/** Maximum number of cached verdicts. */
const MAX_CACHED = 100_000;
/**
 * A verdict is cached only if the last change is older than this: a later change could have the same time. For exact and
 * whole-second times.
 */
const SETTLED_MS = 50;
const SETTLED_COARSE_MS = 2_000;
const SECOND_NS = 1_000_000_000n;

/** By device and inode. */
const cache = new Map<string, { identity: string; isKey: boolean }>();

/** @returns a fingerprint of the file */
export function identityOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/**
 * Whether the first megabyte of a file holds a private key.
 * @param about the stats of the file
 */
export async function isPrivateKey(path: string, about: BigIntStats) {
  if (about.size === 0n) return false;
  const [place, identity] = [`${about.dev}:${about.ino}`, identityOf(about)];
  const cached = cache.get(place);
  if (cached?.identity === identity) return cached.isKey;
  const file = await open(path, 'r');
  try {
    const length = Math.min(Number(about.size), KEY_HEAD_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length);
    const isKey = hasPrivateKey(buffer.subarray(0, bytesRead));
    const after = await file.stat({ bigint: true });
    const isSame = after.dev === about.dev && identityOf(after) === identity && isSettled(after);
    if (isSame) {
      if (cached === undefined) dropOldest(cache, MAX_CACHED);
      cache.set(place, { identity, isKey });
    }
    return isKey;
  } finally {
    await file.close();
  }
}

function isSettled({ ctimeMs, ctimeNs }: BigIntStats) {
  const least = ctimeNs % SECOND_NS === 0n ? SETTLED_COARSE_MS : SETTLED_MS;
  return Date.now() - Number(ctimeMs) > least;
}

function hasPrivateKey(bytes: Buffer) {
  const isMarked = bytes[0] === DER || MARKS.some(({ plain }) => bytes.includes(plain));
  if (isMarked && isKeyText(bytes.toString('latin1'))) return true;
  // A file may contain both encodings.
  return MARKS.some(({ wide }) => bytes.includes(wide)) && isKeyText(bytes.toString('latin1').replaceAll('\0', ''));
}

function isKeyText(text: string) {
  return PRIVATE_KEYS.some((key) => key.test(text)) || (JSON_WEB_KEY.test(text) && PRIVATE_PART.test(text));
}
