// Algorithms of `crypto.subtle`: their names and parameters, and the usages of keys.
(function algorithms(/** @type {Realm} */ realm) {
  const { DOMException, keys, list, push, toUpperCase } = realm;
  const { bytesFromHex } = keys;

  /** @type {Table<any>} */
  const HASH_BYTES = { __proto__: null, 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 };
  /** @type {Table<any>} */
  const BLOCK_BYTES = { __proto__: null, 'SHA-1': 64, 'SHA-256': 64, 'SHA-384': 128, 'SHA-512': 128 };
  /** @type {Table<any>} */
  const CURVES = {
    __proto__: null,
    'P-256': {
      __proto__: null,
      bytes: 32,
      hash: 'SHA-256',
      alg: 'ES256',
      p: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
      b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
      algorithm: '301306072a8648ce3d020106082a8648ce3d030107',
      before: '308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420',
      between: 'a144034200',
    },
    'P-384': {
      __proto__: null,
      bytes: 48,
      hash: 'SHA-384',
      alg: 'ES384',
      p: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffffn,
      b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
      algorithm: '301006072a8648ce3d020106052b81040022',
      before: '3081b6020100301006072a8648ce3d020106052b8104002204819e30819b0201010430',
      between: 'a164036200',
    },
  };
  const RSA = '300d06092a864886f70d0101010500';
  const ED25519 = {
    __proto__: null,
    bytes: 32,
    algorithm: '300506032b6570',
    before: '302e020100300506032b657004220420',
  };
  const NAMES = ['HMAC', 'RSASSA-PKCS1-v1_5', 'RSA-PSS', 'ECDSA', 'Ed25519', 'SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
  // Algorithms that encrypt, derive and agree: in scripts of their own.
  const SUITES = ['AES-CBC', 'AES-CTR', 'AES-GCM', 'AES-KW', 'PBKDF2', 'HKDF', 'ECDH', 'X25519', 'RSA-OAEP'];
  const USAGES = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];

  /** @type {Algorithms['unsupported']} */
  const unsupported = (what) => {
    throw new DOMException(`${what} is not supported in the sandbox`, 'NotSupportedError');
  };

  /** @type {Algorithms['nameOf']} */
  const nameOf = (algorithm) => {
    const input = algorithm !== null && typeof algorithm === 'object' ? algorithm.name : algorithm;
    if (input === undefined) throw new realm.TypeError('An algorithm must be a name, or an object with one');
    const wanted = toUpperCase(`${input}`);
    for (let i = 0; i < NAMES.length; i++) if (toUpperCase(NAMES[i]) === wanted) return NAMES[i];
    for (let i = 0; i < SUITES.length; i++) if (toUpperCase(SUITES[i]) === wanted) return SUITES[i];
    return unsupported(`The algorithm ${realm.textOf(`${input}`)}`);
  };
  /** @type {Algorithms['hashOf']} */
  const hashOf = (value) => {
    if (value === undefined || value === null) throw new realm.TypeError('The algorithm needs a hash');
    const name = nameOf(value);
    return HASH_BYTES[name] === undefined ? unsupported(`The hash ${name}`) : name;
  };

  /** @type {Algorithms['dataOf']} */
  const dataOf = (value) => {
    const bytes = value !== null && typeof value === 'object' ? realm.bytesOf(value) : undefined;
    if (bytes === undefined) throw new realm.TypeError('The data must be an ArrayBuffer or a view of one');
    return bytes;
  };

  // The usages of a key, in the order of the standard.
  /** @type {Algorithms['usagesOf']} */
  const usagesOf = (value, allowed, message = 'The key cannot be used for that') => {
    /** @type {Table<any>} */
    const wanted = { __proto__: null };
    for (const usage of value) {
      const name = `${usage}`;
      if (!contains(USAGES, name)) throw new realm.TypeError(`${realm.textOf(name)} is not a key usage`);
      if (!contains(allowed, name)) throw new DOMException(message, 'SyntaxError');
      wanted[name] = true;
    }
    const usages = list();
    for (let i = 0; i < USAGES.length; i++) if (wanted[USAGES[i]] === true) push(usages, USAGES[i]);
    return usages;
  };
  /** @type {Algorithms['contains']} */
  const contains = (items, wanted) => {
    for (let i = 0; i < items.length; i++) if (items[i] === wanted) return true;
    return false;
  };
  /** @type {Algorithms['among']} */
  const among = (usages, allowed) => {
    const kept = list();
    for (let i = 0; i < usages.length; i++) if (contains(allowed, usages[i])) push(kept, usages[i]);
    return kept;
  };
  /** @type {Algorithms['needUsages']} */
  const needUsages = (usages, what = 'creating a') => {
    if (usages.length === 0) throw new DOMException(`Usages cannot be empty when ${what} key.`, 'SyntaxError');
    return usages;
  };

  // An algorithm with its parameters; `scheme` combines all parameters of a signature in one name.
  /** @type {Algorithms['kindOf']} */
  const kindOf = (algorithm) => {
    const name = nameOf(algorithm);
    /** @type {KeyKind} */
    const kind = {
      __proto__: null,
      name,
      hash: undefined,
      curve: undefined,
      scheme: name,
      spki: undefined,
      rsa: false,
    };
    if (name === 'ECDSA') {
      kind.curve = `${algorithm.namedCurve}`;
      const curve = CURVES[kind.curve] ?? unsupported(`The curve ${realm.textOf(kind.curve)}`);
      kind.hash = curve.hash;
      kind.scheme = `${kind.curve}/${curve.hash}`;
      kind.spki = bytesFromHex(curve.algorithm);
    } else if (name === 'Ed25519') kind.spki = bytesFromHex(ED25519.algorithm);
    else if (name === 'RSA-PSS' || name === 'RSASSA-PKCS1-v1_5' || name === 'RSA-OAEP') {
      kind.rsa = true;
      kind.hash = hashOf(algorithm.hash);
      if (name === 'RSA-PSS' && kind.hash === 'SHA-1') unsupported('RSA-PSS with SHA-1');
      kind.scheme = `${name}/${kind.hash}`;
      kind.spki = bytesFromHex(RSA);
    } else unsupported(`A key for ${name}`);
    return kind;
  };

  realm.algorithms = {
    __proto__: null,
    BLOCK_BYTES,
    CURVES,
    ED25519,
    HASH_BYTES,
    SUITES,
    USAGES,
    among,
    contains,
    dataOf,
    hashOf,
    kindOf,
    nameOf,
    needUsages,
    unsupported,
    usagesOf,
  };
});
