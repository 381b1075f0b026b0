// RSA-OAEP of `crypto.subtle`, and what all keys for RSA have in common: new keys, and their form as JSON Web Keys.
(function rsaOaep(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, algorithms, aesCiphers, copyBytes, keyImport, keys, rsaNumbers, suiteParts, suites } = realm;
  const { typedArrayBytes } = realm;
  const { HASH_BYTES, dataOf, kindOf, needUsages, unsupported, usagesOf } = algorithms;
  const { bytesFrom, join, sameBytes, toBase64Url } = keys;
  const { failed, needed, operationError } = suiteParts;
  const { part } = aesCiphers;

  const MEMBERS = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

  // A mask of the given length over bytes, and the bytes under it.
  /** @param {string} hash @param {Bytes} seed @param {Bytes} bytes */
  const masked = (hash, seed, bytes) => {
    const out = copyBytes(bytes, 0, typedArrayBytes(bytes));
    const size = HASH_BYTES[hash];
    const number = new Uint8Array(4);
    for (let at = 0; at < typedArrayBytes(out); at += size, number[3] += 1) {
      const mask = bytesFrom(native.digest(hash, join(seed, number)));
      for (let i = 0; i < size && at + i < typedArrayBytes(out); i++) out[at + i] ^= mask[i];
    }
    return out;
  };
  /** @param {string} hash @param {Guest} algorithm */
  const labelHash = (hash, algorithm) => {
    const label = algorithm !== null && typeof algorithm === 'object' ? algorithm.label : undefined;
    return bytesFrom(native.digest(hash, label === undefined ? new Uint8Array(0) : dataOf(label)));
  };

  suites['RSA-OAEP'] = {
    __proto__: null,
    encrypt: (found, algorithm, data) => {
      const hash = /** @type {string} */ (found.hash);
      const size = HASH_BYTES[hash];
      const label = labelHash(hash, algorithm);
      const room = typedArrayBytes(rsaNumbers.partsOf(found)[0]) - 2 * size - 2 - typedArrayBytes(data);
      if (room < 0) failed();
      const mark = new Uint8Array(1);
      mark[0] = 1;
      const seed = new Uint8Array(realm.trunc(size));
      native.fillRandom(seed);
      const block = masked(hash, seed, join(label, new Uint8Array(room), mark, data));
      return rsaNumbers.open(found, join(new Uint8Array(1), masked(hash, block, seed), block));
    },
    decrypt: (found, algorithm, data) => {
      const hash = /** @type {string} */ (found.hash);
      const size = HASH_BYTES[hash];
      const label = labelHash(hash, algorithm);
      const message = rsaNumbers.secret(found, data);
      const length = typedArrayBytes(message);
      if (length < 2 * size + 2) failed();
      const hidden = part(message, 1 + size, length);
      const block = masked(hash, masked(hash, hidden, part(message, 1, 1 + size)), hidden);
      // All checks are made, whatever fails: the caller must not learn which.
      let wrong = message[0] | (sameBytes(part(block, 0, size), label) ? 0 : 1);
      let start = 0;
      for (let i = size; i < typedArrayBytes(block); i++) {
        const isMark = block[i] === 1 ? 1 : 0;
        const isBefore = start === 0 ? 1 : 0;
        wrong |= isBefore & (block[i] === 0 || isMark === 1 ? 0 : 1);
        start += isBefore & isMark & (wrong === 0 ? 1 : 0) ? i + 1 : 0;
      }
      if (wrong !== 0 || start === 0) failed();
      return copyBytes(block, start, typedArrayBytes(block));
    },
  };

  realm.rsaJwk = (found) => {
    const hash = realm.slice(/** @type {string} */ (found.hash), 4);
    const prefix = found.name === 'RSA-PSS' ? 'PS' : found.name === 'RSA-OAEP' ? 'RSA-OAEP-' : 'RS';
    const shown = suiteParts.jwk(found, found.name === 'RSA-OAEP' && hash === '1' ? 'RSA-OAEP' : `${prefix}${hash}`);
    realm.put(shown, 'kty', 'RSA');
    const parts = rsaNumbers.partsOf(found);
    for (let i = 0; i < parts.length; i++) realm.put(shown, MEMBERS[i], toBase64Url(parts[i]));
    return shown;
  };

  realm.newRsaKeys = (algorithm, extractable, usages) => {
    const kind = kindOf(algorithm);
    const bits = +needed(algorithm, 'modulusLength', 'RsaHashedKeyGenParams');
    const exponent = dataOf(needed(algorithm, 'publicExponent', 'RsaHashedKeyGenParams'));
    const open = keyImport.usagesFor(kind.name, false);
    const secret = keyImport.usagesFor(kind.name, true);
    const all = usagesOf(usages, keyImport.usagesFor(kind.name), `Unsupported key usage for ${kind.name} key`);
    const allowed = algorithms.among(all, secret);
    needUsages(allowed);
    if (bits !== 2048 && bits !== 3072 && bits !== 4096) {
      if (!(bits >= 256)) operationError('The operation failed for an operation-specific reason');
      unsupported(`A new key for RSA with ${bits} bits`);
    }
    let value = 0;
    for (let i = 0; i < typedArrayBytes(exponent); i++) value = value * 256 + exponent[i];
    if (value % 2 === 0) failed();
    if (value !== 65537) unsupported('A public exponent other than 65537');
    const pkcs8 = rsaNumbers.newKey(bits, /** @type {Bytes} */ (kind.spki));
    const binary = /** @type {string} */ (native.keyPublic('RSA-PSS/SHA-256', pkcs8));
    return {
      publicKey: keyImport.publicKey(kind, bytesFrom(binary), true, algorithms.among(all, open)),
      privateKey: keyImport.privateKey(kind, pkcs8, extractable, allowed),
    };
  };
});
