/** XXH64 with seed 0: a fast checksum that detects corruption. */

const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;
const STRIPE = 32;

/** @param {bigint} value */
const wrap = (value) => BigInt.asUintN(64, value);
/** @param {bigint} value @param {bigint} bits */
const rotate = (value, bits) => wrap(value << bits) | (value >> (64n - bits));
/** @param {bigint} lane @param {bigint} word */
const round = (lane, word) => wrap(rotate(wrap(lane + word * P2), 31n) * P1);

/**
 * @param {Buffer} bytes
 * @returns {bigint}
 */
export function xxh64(bytes) {
  let at = 0;
  /** @type {bigint} */
  let hash = P5;
  if (bytes.length >= STRIPE) {
    const lanes = [wrap(P1 + P2), P2, 0n, wrap(-P1)];
    for (; at + STRIPE <= bytes.length; at += STRIPE) {
      for (let lane = 0; lane < 4; lane++) lanes[lane] = round(lanes[lane] ?? 0n, bytes.readBigUInt64LE(at + 8 * lane));
    }
    const turns = [1n, 7n, 12n, 18n];
    hash = wrap(lanes.reduce((sum, lane, index) => sum + rotate(lane, turns[index] ?? 0n), 0n));
    for (const lane of lanes) hash = wrap((hash ^ round(0n, lane)) * P1 + P4);
  }
  hash = wrap(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8) {
    hash = wrap(rotate(hash ^ round(0n, bytes.readBigUInt64LE(at)), 27n) * P1 + P4);
  }
  for (; at + 4 <= bytes.length; at += 4) {
    hash = wrap(rotate(hash ^ wrap(BigInt(bytes.readUInt32LE(at)) * P1), 23n) * P2 + P3);
  }
  for (; at < bytes.length; at++) hash = wrap(rotate(hash ^ wrap(BigInt(bytes[at] ?? 0) * P5), 11n) * P1);
  hash = wrap((hash ^ (hash >> 33n)) * P2);
  hash = wrap((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}
