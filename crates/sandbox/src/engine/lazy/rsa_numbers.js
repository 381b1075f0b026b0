// Numbers of RSA for `crypto.subtle`: keys as numbers, new keys, and the operations of RSA-OAEP. Private operations are blinded, because
// their time depends on the numbers.
(function rsaNumbers(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, bigintToString, copyBytes, keys, list, push, suiteParts, typedArrayBytes } = realm;
  const { bytesFromHex, der, derContent, derInteger, join } = keys;

  /** @type {List<bigint>} */
  const BYTES = list();
  for (let i = 0, number = 0n; i < 256; i++, number += 1n) push(BYTES, number);

  /** @param {Bytes} bytes */
  const toNumber = (bytes) => {
    let number = 0n;
    for (let i = 0; i < typedArrayBytes(bytes); i++) number = number * 256n + BYTES[bytes[i]];
    return number;
  };
  // With zeros in front, if a length is given.
  /** @param {bigint} number @param {number} length */
  const toBytes = (number, length = 0) => {
    let hex = bigintToString(number, 16);
    if (hex.length % 2 === 1) hex = `0${hex}`;
    const bytes = bytesFromHex(hex);
    const missing = length - typedArrayBytes(bytes);
    return missing > 0 ? join(new Uint8Array(missing), bytes) : bytes;
  };

  /** @param {bigint} base @param {bigint} exponent @param {bigint} modulus */
  const power = (base, exponent, modulus) => {
    /** @type {List<bigint>} */
    const powers = list();
    let next = 1n;
    for (let i = 0; i < 16; i++) {
      push(powers, next);
      next = (next * base) % modulus;
    }
    let result = 1n;
    const digits = bigintToString(exponent, 16);
    for (let i = 0; i < digits.length; i++) {
      for (let bit = 0; bit < 4; bit++) result = (result * result) % modulus;
      result = (result * powers[realm.parseInt(digits[i], 16)]) % modulus;
    }
    return result;
  };
  /** @param {bigint} number @param {bigint} modulus */
  const inverse = (number, modulus) => {
    let r = modulus;
    let next = number % modulus;
    let s = 0n;
    let t = 1n;
    while (next > 0n) {
      const times = r / next;
      const remainder = r - times * next;
      r = next;
      next = remainder;
      const factor = s - times * t;
      s = t;
      t = factor;
    }
    return r === 1n ? (s + modulus) % modulus : undefined;
  };

  /** @param {number} length */
  const randomNumber = (length) => {
    const bytes = new Uint8Array(realm.trunc(length));
    native.fillRandom(bytes);
    return toNumber(bytes);
  };

  // The numbers of a key: n and e, of a private key also d, p, q, dp, dq and qi.
  /** @type {RsaNumbers['partsOf']} */
  const partsOf = (found) => {
    let { bytes } = found;
    let at = derContent(bytes, 0, 0x30).from;
    let count = 2;
    if (found.type === 'private') {
      const algorithm = derContent(bytes, derContent(bytes, at, 2).to, 0x30);
      const inner = derContent(bytes, algorithm.to, 4);
      bytes = copyBytes(bytes, inner.from, inner.to);
      at = derContent(bytes, derContent(bytes, 0, 0x30).from, 2).to;
      count = 8;
    }
    /** @type {List<Bytes>} */
    const parts = list();
    for (let i = 0; i < count; i++) {
      const part = derContent(bytes, at, 2);
      let { from } = part;
      while (from < part.to - 1 && bytes[from] === 0) from++;
      push(parts, copyBytes(bytes, from, part.to));
      at = part.to;
    }
    return parts;
  };

  /** @type {RsaNumbers['open']} */
  const open = (found, data) => {
    const parts = partsOf(found);
    const n = toNumber(parts[0]);
    const m = toNumber(data);
    return m < n ? toBytes(power(m, toNumber(parts[1]), n), typedArrayBytes(parts[0])) : suiteParts.failed();
  };
  /** @type {RsaNumbers['secret']} */
  const secret = (found, data) => {
    const parts = partsOf(found);
    const size = typedArrayBytes(parts[0]);
    const n = toNumber(parts[0]);
    const e = toNumber(parts[1]);
    const p = toNumber(parts[3]);
    const q = toNumber(parts[4]);
    const c = toNumber(data);
    if (typedArrayBytes(data) !== size || c >= n) suiteParts.failed();
    let blind = 0n;
    let unblind;
    while (unblind === undefined) {
      blind = randomNumber(size) % n;
      unblind = inverse(blind, n);
    }
    const hidden = (c * power(blind, e, n)) % n;
    const one = power(hidden % p, toNumber(parts[5]), p);
    const other = power(hidden % q, toNumber(parts[6]), q);
    const rest = ((((one - other) % p) + p) * toNumber(parts[7])) % p;
    const m = ((other + rest * q) * unblind) % n;
    // A wrong result would give the factors of the key away.
    if (power(m, e, n) !== c) suiteParts.failed();
    return toBytes(m, size);
  };

  const SMALL = [3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n, 43n, 47n, 53n, 59n, 61n, 67n, 71n, 73n, 79n];
  const SURE = 6;
  /** @param {bigint} number */
  const isComposite = (number) => {
    for (let i = 0; i < SMALL.length; i++) if (number % SMALL[i] === 0n) return true;
    let odd = number - 1n;
    let twos = 0;
    for (; odd % 2n === 0n; odd /= 2n) twos += 1;
    const size = typedArrayBytes(toBytes(number));
    for (let round = 0; round < SURE; round++) {
      const base = round === 0 ? 2n : (randomNumber(size) % (number - 3n)) + 2n;
      let x = power(base, odd, number);
      let isWitness = x !== 1n && x !== number - 1n;
      for (let i = 1; i < twos && isWitness; i++) {
        x = (x * x) % number;
        if (x === number - 1n) isWitness = false;
      }
      if (isWitness) return true;
    }
    return false;
  };
  /** @param {number} bytes @param {bigint} e */
  const newPrime = (bytes, e) => {
    for (;;) {
      const drawn = new Uint8Array(realm.trunc(bytes));
      native.fillRandom(drawn);
      // Two primes with their first two bits set have a product of full length.
      drawn[0] |= 0xc0;
      drawn[bytes - 1] |= 1;
      for (let prime = toNumber(drawn), i = 0; i < 4096; i++, prime += 2n) {
        if ((prime - 1n) % e !== 0n && !isComposite(prime)) return prime;
      }
    }
  };

  /** @type {RsaNumbers['newKey']} */
  const newKey = (bits, algorithm) => {
    const e = 65537n;
    const one = newPrime(bits / 16, e);
    const other = newPrime(bits / 16, e);
    const p = one > other ? one : other;
    const q = one > other ? other : one;
    const d = /** @type {bigint} */ (inverse(e, (p - 1n) * (q - 1n)));
    const numbers = [p * q, e, d, p, q, d % (p - 1n), d % (q - 1n), /** @type {bigint} */ (inverse(q, p))];
    let body = derInteger(new Uint8Array(1));
    for (let i = 0; i < numbers.length; i++) body = join(body, derInteger(toBytes(numbers[i])));
    return der(0x30, join(derInteger(new Uint8Array(1)), algorithm, der(4, der(0x30, body))));
  };

  realm.rsaNumbers = { __proto__: null, newKey, open, partsOf, secret };
});
