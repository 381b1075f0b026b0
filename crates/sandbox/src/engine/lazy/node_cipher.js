// AES and PBKDF2 for `node:crypto`. Keys and initial values are copied, because a guest may change its buffers meanwhile.
(function nodeCipher(/** @type {Realm} */ realm) {
  realm.need('aes');
  const { aesCiphers, copyBytes, put, typedArrayBytes } = realm;
  const { newBlocks, newCounter, newGcm } = aesCiphers;

  const BLOCK = 16;

  /** @param {Guest} value */
  const bytesFrom = (value) => {
    const bytes = value !== null && typeof value === 'object' ? realm.bytesOf(value) : undefined;
    if (bytes === undefined) throw new realm.TypeError('The data must be an ArrayBuffer or a view of one');
    return copyBytes(bytes, 0, typedArrayBytes(bytes));
  };

  realm.openCipher = (mode, encrypts, key, iv, aad) => {
    const secret = bytesFrom(key);
    const start = bytesFrom(iv);
    const size = typedArrayBytes(secret);
    if (size !== 16 && size !== 24 && size !== 32) throw new realm.RangeError('Invalid key length');
    if (mode !== 'gcm' && mode !== 'ecb' && typedArrayBytes(start) !== BLOCK)
      throw new realm.TypeError('Invalid initialization vector');
    const opened = {};
    if (mode === 'gcm') {
      const cipher = newGcm(!!encrypts, secret, start, bytesFrom(aad));
      put(opened, 'update', (/** @type {Guest} */ data) => cipher.update(bytesFrom(data)));
      put(opened, 'end', () => copyBytes(cipher.end(), 0, BLOCK));
      return opened;
    }
    const name = mode === 'ecb' ? 'ecb' : 'cbc';
    const cipher =
      mode === 'ctr' ? newCounter(secret, start, 128) : newBlocks(encrypts ? name : `${name}-decrypt`, secret, start);
    put(opened, 'update', (/** @type {Guest} */ data) => cipher(bytesFrom(data)));
    return opened;
  };
  realm.nodePbkdf2 = (hash, password, salt, iterations, length) => {
    realm.need('subtle');
    realm.need('suites');
    return realm.pbkdf2(
      realm.algorithms.hashOf(hash),
      bytesFrom(password),
      bytesFrom(salt),
      realm.trunc(+iterations),
      realm.trunc(+length),
    );
  };
});
