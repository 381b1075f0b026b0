// Keys for AES of `crypto.subtle`, and encryption with them.
(function aesKeys(/** @type {Realm} */ realm) {
  realm.need('aes');
  const { Uint8Array, aesCiphers, algorithms, copyBytes, keyImport, keys, suiteParts, suites } = realm;
  const { typedArrayBytes, typedArraySet } = realm;
  const { dataOf, needUsages, usagesOf } = algorithms;
  const { fromBase64Url, join, newKey, sameBytes, toBase64Url } = keys;
  const { failed, formatRefused, needed, operationError, wrongData } = suiteParts;
  const { newBlocks, newCounter, newGcm, part } = aesCiphers;

  const BLOCK = 16;
  const CRYPT = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];
  const WRAP = ['wrapKey', 'unwrapKey'];
  /** @type {Table<any>} */
  const TAG_BYTES = { __proto__: null, 32: 4, 64: 8, 96: 12, 104: 13, 112: 14, 120: 15, 128: 16 };

  /** @param {string} name @param {Bytes} bytes @param {boolean} extractable @param {List<string>} usages */
  const aesKey = (name, bytes, extractable, usages) => {
    const algorithm = { name, length: typedArrayBytes(bytes) * 8 };
    return newKey(
      { __proto__: null, type: 'secret', extractable, algorithm, usages },
      { __proto__: null, name, hash: undefined, bytes },
    );
  };
  /** @param {string} name @param {number} length */
  const jwkAlg = (name, length) => `A${length * 8}${realm.slice(name, 4)}`;

  /** @param {Guest} algorithm */
  const keyLength = (algorithm) => {
    const bits = +needed(algorithm, 'length', 'AesDerivedKeyParams');
    if (bits !== 128 && bits !== 192 && bits !== 256) operationError('AES key length must be 128, 192, or 256 bits');
    return bits;
  };

  /** @type {(name: string, most: string[]) => Suite} */
  const suiteOf = (name, most) => ({
    __proto__: null,
    importKey: (format, data, _algorithm, extractable, usages) => {
      const allowed = usagesOf(usages, most, `Unsupported key usage for ${name} key`);
      let bytes;
      if (format === 'raw' || format === 'raw-secret')
        bytes = copyBytes(dataOf(data), 0, typedArrayBytes(dataOf(data)));
      else if (format === 'jwk') {
        if (data.kty !== 'oct') wrongData('Invalid JWK "kty" Parameter');
        bytes = fromBase64Url(data.k);
        keyImport.checkJwk(data, [jwkAlg(name, typedArrayBytes(bytes))], extractable, allowed, 'enc');
      } else return formatRefused(name, format);
      const length = typedArrayBytes(bytes);
      if (length !== 16 && length !== 24 && length !== 32) wrongData('Invalid key length');
      return aesKey(name, bytes, extractable, needUsages(allowed, 'importing a secret'));
    },
    exportKey: (format, found) => {
      if (format === 'raw' || format === 'raw-secret') return copyBytes(found.bytes, 0, typedArrayBytes(found.bytes));
      if (format !== 'jwk') return undefined;
      const shown = suiteParts.jwk(found, jwkAlg(name, typedArrayBytes(found.bytes)));
      realm.put(shown, 'kty', 'oct');
      realm.put(shown, 'k', toBase64Url(found.bytes));
      return shown;
    },
    generateKey: (algorithm, extractable, usages) => {
      const allowed = usagesOf(usages, most, `Unsupported key usage for ${name} key`);
      const bytes = new Uint8Array(keyLength(algorithm) / 8);
      realm.fillRandom(bytes, typedArrayBytes(bytes));
      return aesKey(name, bytes, extractable, needUsages(allowed));
    },
    keyLength,
  });

  /** @param {Guest} algorithm @param {string} dictionary */
  const ivOf = (algorithm, dictionary) => dataOf(needed(algorithm, 'iv', dictionary));

  /** @param {Guest} algorithm */
  const cbcIv = (algorithm) => {
    const iv = ivOf(algorithm, 'AesCbcParams');
    if (typedArrayBytes(iv) !== BLOCK) operationError('algorithm.iv must contain exactly 16 bytes');
    return iv;
  };
  suites['AES-CBC'] = {
    __proto__: null,
    ...suiteOf('AES-CBC', CRYPT),
    encrypt: (found, algorithm, data) => {
      const iv = cbcIv(algorithm);
      const filling = new Uint8Array(BLOCK - (typedArrayBytes(data) % BLOCK));
      for (let i = 0; i < typedArrayBytes(filling); i++) filling[i] = typedArrayBytes(filling);
      return newBlocks('cbc', found.bytes, iv)(join(data, filling));
    },
    decrypt: (found, algorithm, data) => {
      const iv = cbcIv(algorithm);
      const length = typedArrayBytes(data);
      if (length === 0 || length % BLOCK !== 0) failed();
      const out = newBlocks('cbc-decrypt', found.bytes, iv)(data);
      const filled = out[length - 1];
      if (filled === 0 || filled > BLOCK) failed();
      let difference = 0;
      for (let i = length - filled; i < length; i++) difference |= out[i] ^ filled;
      if (difference !== 0) failed();
      return copyBytes(out, 0, length - filled);
    },
  };

  /** @type {NonNullable<Suite['encrypt']>} */
  const count = (found, algorithm, data) => {
    const counter = dataOf(needed(algorithm, 'counter', 'AesCtrParams'));
    const bits = +needed(algorithm, 'length', 'AesCtrParams');
    if (typedArrayBytes(counter) !== BLOCK) operationError('algorithm.counter must contain exactly 16 bytes');
    if (!(bits >= 1 && bits <= 128)) operationError('AES-CTR algorithm.length must be between 1 and 128');
    // The same block of the counter must not be used twice.
    if (bits < 64 && typedArrayBytes(data) > 2 ** realm.trunc(bits) * BLOCK) failed();
    return newCounter(found.bytes, counter, realm.trunc(bits))(data);
  };
  suites['AES-CTR'] = {
    __proto__: null,
    ...suiteOf('AES-CTR', CRYPT),
    encrypt: count,
    decrypt: count,
  };

  /** @param {boolean} encrypts @param {KeyState} found @param {Guest} algorithm */
  const openGcm = (encrypts, found, algorithm) => {
    const iv = ivOf(algorithm, 'AesGcmParams');
    const tag = algorithm.tagLength === undefined ? 128 : +algorithm.tagLength;
    const tagBytes = TAG_BYTES[tag] ?? operationError(`${tag} is not a valid AES-GCM tag length`);
    const aad = algorithm.additionalData === undefined ? new Uint8Array(0) : dataOf(algorithm.additionalData);
    if (typedArrayBytes(iv) === 0) failed();
    return { __proto__: null, cipher: newGcm(encrypts, found.bytes, iv, aad), tagBytes };
  };
  suites['AES-GCM'] = {
    __proto__: null,
    ...suiteOf('AES-GCM', CRYPT),
    encrypt: (found, algorithm, data) => {
      const { cipher, tagBytes } = openGcm(true, found, algorithm);
      const out = cipher.update(data);
      return join(out, part(cipher.end(), 0, tagBytes));
    },
    decrypt: (found, algorithm, data) => {
      const { cipher, tagBytes } = openGcm(false, found, algorithm);
      const length = typedArrayBytes(data) - tagBytes;
      if (length < 0) failed();
      const out = cipher.update(part(data, 0, length));
      if (!sameBytes(part(cipher.end(), 0, tagBytes), part(data, length, length + tagBytes))) failed();
      return out;
    },
  };

  // RFC 3394: six rounds over the halves of the key data, with a check value in front.
  /** @param {string} mode @param {Bytes} key @param {Bytes} data @param {number} from @param {number} step */
  const shuffle = (mode, key, data, from, step) => {
    const halves = typedArrayBytes(data) / 8 - 1;
    const run = newBlocks(mode, key, new Uint8Array(BLOCK));
    const check = copyBytes(data, 0, 8);
    /** @param {number} round */
    const mark = (round) => {
      let rest = round;
      for (let i = 7; i >= 0; i--) {
        check[i] ^= rest % 256;
        rest = realm.floor(rest / 256);
      }
    };
    for (let round = from; round >= 1 && round <= 6 * halves; round += step) {
      const at = (((round - 1) % halves) + 1) * 8;
      if (step < 0) mark(round);
      const block = run(join(check, part(data, at, at + 8)));
      typedArraySet(check, part(block, 0, 8), 0);
      typedArraySet(data, part(block, 8, BLOCK), at);
      if (step > 0) mark(round);
    }
    typedArraySet(data, check, 0);
    return data;
  };
  const CHECK = new Uint8Array(8);
  for (let i = 0; i < 8; i++) CHECK[i] = 0xa6;
  suites['AES-KW'] = {
    __proto__: null,
    ...suiteOf('AES-KW', WRAP),
    wrap: (found, _algorithm, data) => {
      const length = typedArrayBytes(data);
      if (length < BLOCK || length % 8 !== 0) failed();
      return shuffle('ecb', found.bytes, join(CHECK, data), 1, 1);
    },
    unwrap: (found, _algorithm, data) => {
      const length = typedArrayBytes(data);
      if (length < 24 || length % 8 !== 0) failed();
      const out = shuffle('ecb-decrypt', found.bytes, copyBytes(data, 0, length), 6 * (length / 8 - 1), -1);
      if (!sameBytes(part(out, 0, 8), CHECK)) failed();
      return copyBytes(out, 8, length);
    },
  };
});
