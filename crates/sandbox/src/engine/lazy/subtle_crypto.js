// `crypto.subtle`: digests, HMAC, and signatures with RSA, ECDSA and Ed25519. Algorithms that encrypt, derive and agree are in
// scripts that are loaded for the first of them.
(function subtleCrypto(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { DOMException, Uint8Array, algorithms, give, keyImport, keys, list, push, tag } = realm;
  const { typedArrayBuffer, typedArrayBytes } = realm;
  const {
    BLOCK_BYTES,
    HASH_BYTES,
    SUITES,
    among,
    contains,
    dataOf,
    hashOf,
    kindOf,
    nameOf,
    needUsages,
    unsupported,
    usagesOf,
  } = algorithms;
  const { bytesFrom, fromSpki, sameBytes, secretIn, secretsOf, toBase64Url, toSpki } = keys;
  const { curveJwk, hmacKey, importHmac, importJwk, privateKey, publicKey, usagesFor } = keyImport;

  /** @param {string} binary */
  const bufferOf = (binary) => typedArrayBuffer(bytesFrom(binary));

  // The functions of an algorithm that encrypts, derives or agrees; undefined for the others.
  /** @param {string} name */
  const suiteOf = (name) => {
    if (!contains(SUITES, name)) return undefined;
    realm.need('suites');
    return realm.suites[name];
  };
  /** @param {Guest} key */
  const known = (key) => {
    const found = secretsOf(key);
    if (found === undefined) throw new realm.TypeError('The key must be a CryptoKey');
    return found;
  };
  // An operation of an algorithm with a key that is meant for it.
  /** @type {<Name extends 'encrypt' | 'decrypt' | 'deriveBits' | 'wrap' | 'unwrap'>(operation: Name, algorithm: Guest, found: KeyState, usage: string, refusal: string) => NonNullable<Suite[Name]>} */
  const operationOf = (operation, algorithm, found, usage, refusal) => {
    const name = nameOf(algorithm);
    const run = suiteOf(name)?.[operation];
    if (run === undefined) throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
    if (found.name !== name) throw new DOMException('Key algorithm mismatch', 'InvalidAccessError');
    if (!contains(found.usages, usage)) throw new DOMException(refusal, 'InvalidAccessError');
    return run;
  };
  /** @param {'encrypt' | 'decrypt'} operation @param {Guest} algorithm @param {Guest} key @param {Guest} data */
  const crypt = (operation, algorithm, key, data) => {
    const found = known(key);
    const bytes = dataOf(data);
    const run = operationOf(operation, algorithm, found, operation, `Unable to use this key to ${operation}`);
    return typedArrayBuffer(run(found, algorithm, bytes));
  };
  /** @param {Guest} key */
  const exportable = (key) => {
    const found = known(key);
    if (!found.extractable) throw new DOMException('key is not extractable', 'InvalidAccessError');
    return found;
  };

  // A key with the values of `importKey`, which are not of the guest any more.
  /** @param {string} format @param {Guest} data @param {Guest} algorithm @param {boolean} extractable @param {Guest} usages */
  const importAny = (format, data, algorithm, extractable, usages) => {
    const kind = nameOf(algorithm);
    const imports = suiteOf(kind)?.importKey;
    if (imports !== undefined) return imports(format, data, algorithm, extractable, usages);
    if (kind === 'HMAC') return importHmac(format, data, algorithm, extractable, usages);
    const wanted = kindOf(algorithm);
    switch (format) {
      case 'jwk':
        return importJwk(wanted, data, extractable, usages);
      case 'spki': {
        const bytes = fromSpki(dataOf(data), /** @type {Bytes} */ (wanted.spki));
        return publicKey(wanted, bytes, extractable, usagesOf(usages, usagesFor(kind, false)));
      }
      case 'pkcs8': {
        const bytes = dataOf(data);
        const allowed = needUsages(usagesOf(usages, usagesFor(kind, true)));
        return privateKey(wanted, realm.copyBytes(bytes, 0, typedArrayBytes(bytes)), extractable, allowed);
      }
      case 'raw': {
        if (wanted.rsa) return unsupported('The format raw for RSA');
        const bytes = dataOf(data);
        return publicKey(
          wanted,
          realm.copyBytes(bytes, 0, typedArrayBytes(bytes)),
          extractable,
          usagesOf(usages, ['verify']),
        );
      }
      default:
        throw new realm.TypeError(`${realm.textOf(format)} is not a key format`);
    }
  };
  // Bytes, or a JSON Web Key.
  /** @param {string} wanted @param {KeyState} found */
  const exportAny = (wanted, found) => {
    const exports = suiteOf(found.name)?.exportKey;
    if (exports !== undefined) {
      const exported = exports(wanted, found);
      if (exported !== undefined) return exported;
      const what = `Unable to export ${found.name} ${found.type} key using ${wanted} format`;
      throw new DOMException(what, 'NotSupportedError');
    }
    const plain = () => realm.copyBytes(found.bytes, 0, typedArrayBytes(found.bytes));
    if (wanted === 'raw' && found.type !== 'private' && !found.rsa) return plain();
    if (wanted === 'pkcs8' && found.type === 'private') return plain();
    if (wanted === 'spki' && found.type === 'public') return toSpki(found.bytes, found.spki);
    if (wanted !== 'jwk') return unsupported(`The format ${realm.textOf(wanted)} for this key`);
    if (found.rsa) {
      realm.need('suites');
      return realm.rsaJwk(found);
    }
    const shown = { key_ops: realm.toArray(found.usages), ext: true };
    if (found.name === 'HMAC') {
      realm.put(shown, 'alg', `HS${realm.slice(/** @type {string} */ (found.hash), 4)}`);
      realm.put(shown, 'kty', 'oct');
      realm.put(shown, 'k', toBase64Url(found.bytes));
      return shown;
    }
    if (found.curve === undefined) realm.put(shown, 'alg', found.name);
    if (found.point === undefined) return curveJwk(shown, found, found.bytes);
    return curveJwk(shown, found, found.point, secretIn(found.bytes, found.spki, found.curve === undefined));
  };

  // The text of a JSON Web Key. Its members are its own: a copy without a prototype keeps `toJSON` of guests away.
  /** @param {Guest} jwk */
  const jsonOf = (jwk) => {
    /** @type {KeyedText & Table<Guest>} */
    const copy = { __proto__: null };
    const names = realm.objectKeys(jwk);
    for (let i = 0; i < names.length; i++) copy[names[i]] = jwk[names[i]];
    realm.put(copy.key_ops, 'toJSON', undefined);
    return realm.JSONStringify(copy);
  };
  // The unwrapped key must not reach the guest, so neither it nor its list of operations has a prototype.
  /** @param {Bytes} bytes */
  const parsedJwk = (bytes) => {
    const text = native.decode('utf-8', bytes, true, false);
    let parsed;
    try {
      parsed = realm.JSONParse(text ?? '');
    } catch {
      // Refused below.
    }
    if (parsed === null || typeof parsed !== 'object')
      throw new DOMException('The unwrapped key is not a JSON Web Key', 'DataError');
    /** @type {Table<Guest>} */
    const jwk = { __proto__: null };
    const names = realm.objectKeys(parsed);
    for (let i = 0; i < names.length; i++) jwk[names[i]] = parsed[names[i]];
    if (realm.isArray(jwk.key_ops)) {
      const ops = list();
      for (let i = 0; i < jwk.key_ops.length; i++) push(ops, jwk.key_ops[i]);
      jwk.key_ops = ops;
    } else if (jwk.key_ops !== undefined) jwk.key_ops = null;
    return jwk;
  };

  // The bits of a key of the algorithm; undefined if it takes any number.
  /** @param {Guest} algorithm */
  const lengthOf = (algorithm) => {
    const name = nameOf(algorithm);
    const measure = suiteOf(name)?.keyLength;
    if (measure !== undefined) return measure(algorithm);
    if (name !== 'HMAC') return unsupported(`A derived key for ${name}`);
    if (algorithm.length === undefined) return BLOCK_BYTES[hashOf(algorithm.hash)] * 8;
    if (+algorithm.length > 0) return +algorithm.length;
    throw new realm.TypeError('The length of a key must be a number of bits');
  };

  /** @param {Guest} key @param {string} usage */
  const usable = (key, usage) => {
    const found = known(key);
    if (!contains(found.usages, usage))
      throw new DOMException(`The key cannot be used to ${usage}`, 'InvalidAccessError');
    return found;
  };
  /** @param {Guest} algorithm @param {Guest} key @param {string} usage */
  const matching = (algorithm, key, usage) => {
    const found = usable(key, usage);
    if (nameOf(algorithm) !== found.name)
      throw new DOMException('The key is for another algorithm', 'InvalidAccessError');
    if (found.curve !== undefined && hashOf(algorithm.hash) !== found.hash) {
      unsupported(`${found.curve} with another hash than ${found.hash}`);
    }
    const saltLength = HASH_BYTES[found.hash ?? ''];
    if (found.name === 'RSA-PSS' && algorithm.saltLength !== saltLength) {
      unsupported(`A saltLength other than that of the hash (${saltLength})`);
    }
    return found;
  };

  class SubtleCrypto {
    /** @param {Guest} key */
    constructor(key) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: use crypto.subtle');
    }
    /** @param {Guest} algorithm @param {Guest} data */
    async digest(algorithm, data) {
      const hash = hashOf(algorithm);
      return bufferOf(native.digest(hash, dataOf(data)));
    }
    /** @param {Guest} format @param {Guest} data @param {Guest} algorithm @param {Guest} extractable @param {Guest} usages */
    async importKey(format, data, algorithm, extractable, usages) {
      return importAny(`${format}`, data, algorithm, !!extractable, usages);
    }
    /** @param {Guest} format @param {Guest} key */
    async exportKey(format, key) {
      const wanted = `${format}`;
      const { name } = known(key);
      if (name === 'HKDF' || name === 'PBKDF2')
        throw new DOMException(`${name} key export is not supported`, 'NotSupportedError');
      const exported = exportAny(wanted, exportable(key));
      return wanted === 'jwk' ? exported : typedArrayBuffer(exported);
    }
    /** @param {Guest} algorithm @param {Guest} extractable @param {Guest} usages */
    async generateKey(algorithm, extractable, usages) {
      const name = nameOf(algorithm);
      const suite = suiteOf(name);
      if (suite?.generateKey !== undefined) return suite.generateKey(algorithm, !!extractable, usages);
      if (name === 'HMAC') {
        const hash = hashOf(algorithm.hash);
        const bits = algorithm.length === undefined ? BLOCK_BYTES[hash] * 8 : +algorithm.length;
        if (!(bits > 0 && bits <= 65536 && bits % 8 === 0)) {
          throw new DOMException('The length of a key must be a multiple of 8 from 8 to 65536 bits', 'OperationError');
        }
        const allowed = needUsages(usagesOf(usages, ['sign', 'verify']));
        const bytes = new Uint8Array(bits / 8);
        realm.fillRandom(bytes, bits / 8);
        return hmacKey(hash, bytes, !!extractable, allowed);
      }
      const kind = kindOf(algorithm);
      if (kind.rsa) {
        realm.need('suites');
        return realm.newRsaKeys(algorithm, !!extractable, usages);
      }
      const all = usagesOf(usages, ['sign', 'verify']);
      if (!contains(all, 'sign')) needUsages(list());
      const pkcs8 = bytesFrom(native.keyGenerate(kind.scheme));
      const open = bytesFrom(/** @type {string} */ (native.keyPublic(kind.scheme, pkcs8)));
      const verifying = among(all, ['verify']);
      return {
        publicKey: publicKey(kind, open, true, verifying),
        privateKey: privateKey(kind, pkcs8, !!extractable, among(all, ['sign'])),
      };
    }
    /** @param {Guest} algorithm @param {Guest} key @param {Guest} data */
    async sign(algorithm, key, data) {
      const found = matching(algorithm, key, 'sign');
      const bytes = dataOf(data);
      if (found.name === 'HMAC') return bufferOf(native.hmac(/** @type {string} */ (found.hash), found.bytes, bytes));
      const signature = native.sign(found.scheme, found.bytes, bytes);
      if (signature === undefined) throw new DOMException('The key cannot sign this', 'OperationError');
      return bufferOf(signature);
    }
    /** @param {Guest} algorithm @param {Guest} key @param {Guest} signature @param {Guest} data */
    async verify(algorithm, key, signature, data) {
      const found = matching(algorithm, key, 'verify');
      const input = dataOf(signature);
      const bytes = dataOf(data);
      if (found.name !== 'HMAC') return native.verify(found.scheme, found.bytes, input, bytes);
      return sameBytes(bytesFrom(native.hmac(/** @type {string} */ (found.hash), found.bytes, bytes)), input);
    }
    /** @param {Guest} algorithm @param {Guest} key @param {Guest} data */
    async encrypt(algorithm, key, data) {
      return crypt('encrypt', algorithm, key, data);
    }
    /** @param {Guest} algorithm @param {Guest} key @param {Guest} data */
    async decrypt(algorithm, key, data) {
      return crypt('decrypt', algorithm, key, data);
    }
    /** @param {Guest} algorithm @param {Guest} baseKey @param {Guest} length */
    async deriveBits(algorithm, baseKey, length = undefined) {
      const found = known(baseKey);
      const usage = 'deriveBits';
      const derive = operationOf(usage, algorithm, found, usage, 'baseKey does not have deriveBits usage');
      return typedArrayBuffer(derive(found, algorithm, length));
    }
    /** @param {Guest} algorithm @param {Guest} baseKey @param {Guest} derived @param {Guest} extractable @param {Guest} usages */
    async deriveKey(algorithm, baseKey, derived, extractable, usages) {
      const found = known(baseKey);
      const refusal = 'baseKey does not have deriveKey usage';
      const derive = operationOf('deriveBits', algorithm, found, 'deriveKey', refusal);
      const bits = derive(found, algorithm, lengthOf(derived));
      return importAny('raw', bits, derived, !!extractable, usages);
    }
    /** @param {Guest} format @param {Guest} key @param {Guest} wrappingKey @param {Guest} algorithm */
    async wrapKey(format, key, wrappingKey, algorithm) {
      const found = known(wrappingKey);
      const wanted = `${format}`;
      const how = suiteOf(nameOf(algorithm))?.wrap === undefined ? 'encrypt' : 'wrap';
      const run = operationOf(how, algorithm, found, 'wrapKey', 'Unable to use this key to wrapKey');
      const exported = exportAny(wanted, exportable(key));
      const bytes = wanted === 'jwk' ? realm.encodeText(jsonOf(exported)) : exported;
      return typedArrayBuffer(run(found, algorithm, bytes));
    }
    /** @param {Guest} format @param {Guest} wrapped @param {Guest} unwrappingKey @param {Guest} algorithm @param {Guest} unwrapped @param {Guest} extractable @param {Guest} usages */
    async unwrapKey(format, wrapped, unwrappingKey, algorithm, unwrapped, extractable, usages) {
      const found = known(unwrappingKey);
      const wanted = `${format}`;
      const how = suiteOf(nameOf(algorithm))?.unwrap === undefined ? 'decrypt' : 'unwrap';
      const run = operationOf(how, algorithm, found, 'unwrapKey', 'Unable to use this key to unwrapKey');
      const bytes = run(found, algorithm, dataOf(wrapped));
      const data = wanted === 'jwk' ? parsedJwk(bytes) : bytes;
      return importAny(wanted, data, unwrapped, !!extractable, usages);
    }
  }

  const KEY = { __proto__: null };
  realm.subtle = new SubtleCrypto(KEY);
  tag('SubtleCrypto', SubtleCrypto);
  give('SubtleCrypto', SubtleCrypto);
});
