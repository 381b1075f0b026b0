/** Random numbers for the `crypto` shim, from the sandbox's generator, so that seeded runs are reproducible. */

const { Buffer } = require('tgp:buffer');

/** Maximum bytes per call of `getRandomValues`. */
const MAX_AT_ONCE = 65536;
const WORDS = 2 ** 32;

function fill(bytes) {
  for (let start = 0; start < bytes.length; start += MAX_AT_ONCE) {
    globalThis.crypto.getRandomValues(bytes.subarray(start, start + MAX_AT_ONCE));
  }
  return bytes;
}

const bytesIn = (target, offset = 0, size = target.byteLength - offset) =>
  ArrayBuffer.isView(target)
    ? new Uint8Array(target.buffer, target.byteOffset + offset, size)
    : new Uint8Array(target, offset, size);

function randomFillSync(target, offset, size) {
  fill(bytesIn(target, offset, size));
  return target;
}

function randomFill(target, ...rest) {
  const done = rest.pop();
  randomFillSync(target, ...rest);
  queueMicrotask(() => done(null, target));
}

function randomBytes(size, done) {
  const bytes = fill(Buffer.alloc(size));
  if (done === undefined) return bytes;
  queueMicrotask(() => done(null, bytes));
  return undefined;
}

/** A uniformly distributed number: values beyond the last multiple of the range are redrawn. */
function below(range) {
  const limit = Math.floor(2 ** 53 / range) * range;
  const words = new Uint32Array(2);
  while (true) {
    globalThis.crypto.getRandomValues(words);
    const drawn = (words[0] >>> 11) * WORDS + words[1];
    if (drawn < limit) return drawn % range;
  }
}

function randomInt(...args) {
  const done = typeof args.at(-1) === 'function' ? args.pop() : undefined;
  const [min, max] = args.length > 1 ? args : [0, args[0]];
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || max <= min || max - min >= 2 ** 48) {
    throw new RangeError('min and max must be integers, min below max, with a range smaller than 2 ** 48');
  }
  const drawn = min + below(max - min);
  if (done === undefined) return drawn;
  queueMicrotask(() => done(null, drawn));
  return undefined;
}

module.exports = {
  randomness: {
    getRandomValues: (array) => globalThis.crypto.getRandomValues(array),
    randomUUID: () => globalThis.crypto.randomUUID(),
    randomBytes,
    pseudoRandomBytes: randomBytes,
    randomFill,
    randomFillSync,
    randomInt,
  },
};
