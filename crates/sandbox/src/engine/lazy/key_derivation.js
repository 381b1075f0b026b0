// HKDF and PBKDF2 of `crypto.subtle`.
(function keyDerivation(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { DOMException, Uint8Array, algorithms, copyBytes, keys, min, suiteParts, suites } = realm;
  const { typedArrayBytes, typedArraySet } = realm;
  const { BLOCK_BYTES, HASH_BYTES, dataOf, hashOf, needUsages, usagesOf } = algorithms;
  const { bytesFrom, join, newKey } = keys;
  const { failed, formatRefused, needed, operationError, wholeBytes } = suiteParts;

  /** Iterations of PBKDF2 until the time of the run is checked. */
  const ROUNDS = 4096;
  const MOST_BLOCKS = 255;

  // Longer keys are hashed first, here once instead of in each call.
  /** @param {string} hash @param {Bytes} key */
  const shortKey = (hash, key) =>
    typedArrayBytes(key) > BLOCK_BYTES[hash] ? bytesFrom(native.digest(hash, key)) : key;

  /** @type {Realm['pbkdf2']} */
  const pbkdf2 = (hash, password, salt, iterations, length) => {
    const key = shortKey(hash, password);
    const size = HASH_BYTES[hash];
    const out = new Uint8Array(realm.trunc(length));
    for (let at = 0, block = 1; at < length; at += size, block += 1) {
      const number = new Uint8Array(4);
      for (let i = 3, rest = block; i >= 0; i--) {
        number[i] = rest % 256;
        rest = realm.floor(rest / 256);
      }
      const link = bytesFrom(native.hmac(hash, key, join(salt, number)));
      const sum = copyBytes(link, 0, size);
      for (let done = 1; done < iterations; done += ROUNDS) {
        native.hmacRounds(hash, key, link, sum, min(ROUNDS, iterations - done));
      }
      typedArraySet(out, copyBytes(sum, 0, min(size, length - at)), at);
    }
    return out;
  };

  /** @type {Realm['hkdf']} */
  const hkdf = (hash, secret, salt, info, length) => {
    const size = HASH_BYTES[hash];
    const key = bytesFrom(native.hmac(hash, salt, secret));
    const out = new Uint8Array(realm.trunc(length));
    const number = new Uint8Array(1);
    let last = new Uint8Array(0);
    for (let at = 0; at < length; at += size) {
      number[0] += 1;
      last = bytesFrom(native.hmac(hash, key, join(last, info, number)));
      typedArraySet(out, copyBytes(last, 0, min(size, length - at)), at);
    }
    return out;
  };

  /** @type {(name: string, deriveBits: NonNullable<Suite['deriveBits']>) => void} */
  const add = (name, deriveBits) => {
    suites[name] = {
      __proto__: null,
      importKey: (format, data, _algorithm, extractable, usages) => {
        const allowed = usagesOf(usages, ['deriveKey', 'deriveBits'], `Unsupported key usage for a ${name} key`);
        if (extractable) throw new DOMException(`${name} keys are not extractable`, 'SyntaxError');
        if (format !== 'raw' && format !== 'raw-secret') return formatRefused(name, format);
        const bytes = copyBytes(dataOf(data), 0, typedArrayBytes(dataOf(data)));
        return newKey(
          {
            __proto__: null,
            type: 'secret',
            extractable,
            algorithm: { name },
            usages: needUsages(allowed, 'importing a secret'),
          },
          { __proto__: null, name, hash: undefined, bytes },
        );
      },
      deriveBits,
      keyLength: () => undefined,
    };
  };
  add('PBKDF2', (found, algorithm, bits) => {
    const hash = hashOf(needed(algorithm, 'hash', 'Pbkdf2Params'));
    const iterations = realm.trunc(+needed(algorithm, 'iterations', 'Pbkdf2Params'));
    const salt = dataOf(needed(algorithm, 'salt', 'Pbkdf2Params'));
    if (!(iterations >= 0 && iterations < 2 ** 32))
      throw new realm.TypeError('The iterations of PBKDF2 must be a number from 1 to 4294967295');
    if (iterations === 0) operationError('iterations cannot be zero');
    return pbkdf2(hash, found.bytes, salt, iterations, wholeBytes(bits));
  });
  add('HKDF', (found, algorithm, bits) => {
    const hash = hashOf(needed(algorithm, 'hash', 'HkdfParams'));
    const salt = dataOf(needed(algorithm, 'salt', 'HkdfParams'));
    const info = dataOf(needed(algorithm, 'info', 'HkdfParams'));
    const length = wholeBytes(bits);
    if (length > MOST_BLOCKS * HASH_BYTES[hash]) failed();
    return hkdf(hash, found.bytes, salt, info, length);
  });
  realm.pbkdf2 = pbkdf2;
  realm.hkdf = hkdf;
});
