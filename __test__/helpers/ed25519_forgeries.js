/**
 * Ed25519 by RFC 8032, in plain arithmetic: for signatures that satisfy its equation but must be refused.
 */

import { createHash } from 'node:crypto';

const P = 2n ** 255n - 19n;
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = mod(-121665n * power(121666n, P - 2n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);
const BYTES = 32;

/** @typedef {[x: bigint, y: bigint]} Point */

/** @param {bigint} value */
function mod(value, by = P) {
  const rest = value % by;
  return rest < 0n ? rest + by : rest;
}

/** @param {bigint} base @param {bigint} exponent */
function power(base, exponent) {
  let result = 1n;
  let square = mod(base);
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}

/** @param {Point} one @param {Point} other @returns {Point} */
function add([x1, y1], [x2, y2]) {
  const k = mod(D * x1 * x2 * y1 * y2);
  return [mod((x1 * y2 + x2 * y1) * power(1n + k, P - 2n)), mod((y1 * y2 + x1 * x2) * power(mod(1n - k), P - 2n))];
}

/** @type {Point} */
const IDENTITY = [0n, 1n];

/** @param {bigint} times @param {Point} point */
function multiply(times, point) {
  let result = IDENTITY;
  let double = point;
  for (let left = times; left > 0n; left >>= 1n) {
    if (left & 1n) result = add(result, double);
    double = add(double, double);
  }
  return result;
}

/** The point with that y and an even x. @param {bigint} y @returns {Point} */
function pointAt(y) {
  const square = mod((y * y - 1n) * power(D * y * y + 1n, P - 2n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * ROOT_OF_MINUS_ONE);
  if (mod(x * x) !== square) throw new Error('There is no such point.');
  return [x & 1n ? P - x : x, y];
}

const BASE = pointAt(mod(4n * power(5n, P - 2n)));
/** A point of order 8: the rest of a point after its part of large order was removed. */
const TORSION = [2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n, 11n]
  .flatMap((y) => {
    try {
      return [multiply(L, pointAt(y))];
    } catch {
      return [];
    }
  })
  .find((point) => multiply(4n, point).some((part, at) => part !== IDENTITY[at]));
if (TORSION === undefined) throw new Error('No point of order 8 was found.');
const SMALL = Array.from({ length: 8 }, (_, times) => multiply(BigInt(times), /** @type {Point} */ (TORSION)));
/** A multiple of the point of order 8. @param {number} times @returns {Point} */
const small = (times) => SMALL[((times % 8) + 8) % 8] ?? IDENTITY;

/** @param {bigint} value */
export function littleEndian(value) {
  return Buffer.from(value.toString(16).padStart(2 * BYTES, '0'), 'hex').reverse();
}

/** @param {Point} point */
const encoded = ([x, y]) => littleEndian(y | ((x & 1n) << 255n));

/** The number that the key is multiplied with. @param {Uint8Array[]} parts */
function hashed(...parts) {
  const digest = createHash('sha512').update(Buffer.concat(parts)).digest();
  return mod(BigInt(`0x${digest.reverse().toString('hex')}`), L);
}

/** The signature of a message for which `make` finds one. @param {(message: Buffer) => Buffer | undefined} make */
function firstFor(make) {
  for (let count = 0; ; count++) {
    const message = Buffer.from(`message ${count}`);
    const signature = make(message);
    if (signature) return { message, signature };
  }
}

/**
 * Signatures that satisfy the equation, with a key or a first point of small order or in a second encoding.
 * @param {Buffer} seed of an ordinary key
 */
export function forgeries(seed) {
  const half = createHash('sha512').update(seed).digest().subarray(0, BYTES);
  half[0] = (half[0] ?? 0) & 0xf8;
  half[31] = ((half[31] ?? 0) & 0x7f) | 0x40;
  const secret = BigInt(`0x${Buffer.from(half).reverse().toString('hex')}`);
  const ordinary = multiply(secret, BASE);
  const nonce = 1234567890123456789n;
  const point = multiply(nonce, BASE);
  const found = [];
  for (const [order, key] of SMALL.entries()) {
    const keyBytes = encoded(key);
    // S = 0, and R is one of the small points too.
    const both = firstFor((message) =>
      SMALL.map(encoded).find((first) =>
        encoded(small(-order * Number(hashed(first, keyBytes, message) % 8n))).equals(first),
      ),
    );
    const zero = Buffer.alloc(BYTES);
    found.push({
      name: `key ${order} of small order, R too`,
      key: keyBytes,
      message: both.message,
      signature: Buffer.concat([both.signature, zero]),
    });
    const firsts = SMALL.map((_, times) => encoded(add(point, small(-order * times))));
    const large = firstFor((message) =>
      firsts.find((first, times) => hashed(first, keyBytes, message) % 8n === BigInt(times)),
    );
    found.push({
      name: `key ${order} of small order, R of large order`,
      key: keyBytes,
      message: large.message,
      signature: Buffer.concat([large.signature, littleEndian(nonce)]),
    });
  }
  const message = Buffer.from('any message');
  // The owner of an ordinary key can make R the neutral point.
  const neutral = encoded(IDENTITY);
  const answer = mod(hashed(neutral, encoded(ordinary), message) * secret, L);
  found.push({
    name: 'R is the neutral point',
    key: encoded(ordinary),
    message,
    signature: Buffer.concat([neutral, littleEndian(answer)]),
  });
  // The neutral point as a key, written as p + 1.
  const second = littleEndian(P + 1n);
  for (const sign of [0n, 1n]) {
    const key = littleEndian(P + 1n + (sign << 255n));
    const signature = Buffer.concat([encoded(point), littleEndian(nonce)]);
    found.push({ name: `the neutral point in another encoding, sign ${sign}`, key, message, signature });
  }
  found.push({
    name: 'R in another encoding',
    key: encoded(ordinary),
    message,
    signature: Buffer.concat([second, littleEndian(mod(hashed(second, encoded(ordinary), message) * secret, L))]),
  });
  return found;
}

/**
 * A signature by a key that has a part of small order, where that part does not count: what the standard accepts.
 * @param {Buffer} seed
 */
export function mixedOrder(seed) {
  const secret = mod(BigInt(`0x${createHash('sha512').update(seed).digest('hex')}`), L);
  const key = encoded(add(multiply(secret, BASE), /** @type {Point} */ (TORSION)));
  const point = encoded(multiply(99n, BASE));
  const { message, signature } = firstFor((text) => {
    const hash = hashed(point, key, text);
    return hash % 8n === 0n ? Buffer.concat([point, littleEndian(mod(99n + hash * secret, L))]) : undefined;
  });
  return { name: 'a key of mixed order', key, message, signature };
}
