// `crypto.subtle`: digests, HMAC, and signatures with RSA, ECDSA and Ed25519.
(function subtleCrypto(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { DOMException, Uint8Array, algorithms, give, keyImport, keys, list, tag } = realm;
  const { typedArrayBuffer, typedArrayBytes } = realm;
  const {
    BLOCK_BYTES,
    CURVES,
    HASH_BYTES,
    contains,
    dataOf,
    hashOf,
    kindOf,
    nameOf,
    needUsages,
    only,
    unsupported,
    usagesOf,
  } = algorithms;
  const { bytesFrom, fromSpki, sameBytes, secretsOf, toBase64Url, toSpki } = keys;
  const { hmacKey, importHmac, importJwk, privateKey, publicKey } = keyImport;

  /** @param {string} binary */
  const bufferOf = (binary) => typedArrayBuffer(bytesFrom(binary));

  /** @param {Guest} key @param {string} usage */
  const usable = (key, usage) => {
    const found = secretsOf(key);
    if (found === undefined) throw new realm.TypeError('The key must be a CryptoKey');
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
      const kind = nameOf(algorithm);
      if (kind === 'HMAC') return importHmac(`${format}`, data, algorithm, !!extractable, usages);
      const wanted = kindOf(algorithm);
      switch (`${format}`) {
        case 'jwk':
          return importJwk(wanted, data, !!extractable, usages);
        case 'spki':
          return publicKey(
            wanted,
            fromSpki(dataOf(data), /** @type {Bytes} */ (wanted.spki)),
            !!extractable,
            usagesOf(usages, ['verify']),
          );
        case 'pkcs8': {
          const bytes = dataOf(data);
          const allowed = needUsages(usagesOf(usages, ['sign']));
          return privateKey(wanted, realm.copyBytes(bytes, 0, typedArrayBytes(bytes)), !!extractable, allowed);
        }
        case 'raw': {
          if (wanted.rsa) return unsupported('The format raw for RSA');
          const bytes = dataOf(data);
          return publicKey(
            wanted,
            realm.copyBytes(bytes, 0, typedArrayBytes(bytes)),
            !!extractable,
            usagesOf(usages, ['verify']),
          );
        }
        default:
          throw new realm.TypeError(`${realm.textOf(`${format}`)} is not a key format`);
      }
    }
    /** @param {Guest} format @param {Guest} key */
    async exportKey(format, key) {
      const found = secretsOf(key);
      if (found === undefined) throw new realm.TypeError('The key must be a CryptoKey');
      if (!found.extractable) throw new DOMException('The key is not extractable', 'InvalidAccessError');
      const plain = () => typedArrayBuffer(realm.copyBytes(found.bytes, 0, typedArrayBytes(found.bytes)));
      const wanted = `${format}`;
      if (wanted === 'raw' && found.type !== 'private' && !found.rsa) return plain();
      if (wanted === 'pkcs8' && found.type === 'private') return plain();
      if (wanted === 'spki' && found.type === 'public') return typedArrayBuffer(toSpki(found.bytes, found.spki));
      if (wanted !== 'jwk') return unsupported(`The format ${realm.textOf(wanted)} for this key`);
      const shown = { key_ops: realm.toArray(found.usages), ext: true };
      if (found.name === 'HMAC') {
        realm.put(shown, 'kty', 'oct');
        realm.put(shown, 'k', toBase64Url(found.bytes));
        realm.put(shown, 'alg', `HS${realm.slice(/** @type {string} */ (found.hash), 4)}`);
        return shown;
      }
      if (found.type === 'private' || found.rsa) return unsupported('The format jwk for this key');
      realm.put(shown, 'kty', found.curve === undefined ? 'OKP' : 'EC');
      realm.put(shown, 'crv', found.curve ?? 'Ed25519');
      const size = found.curve === undefined ? 32 : CURVES[found.curve].bytes;
      const from = found.curve === undefined ? 0 : 1;
      realm.put(shown, 'x', toBase64Url(realm.copyBytes(found.bytes, from, from + size)));
      if (found.curve !== undefined)
        realm.put(shown, 'y', toBase64Url(realm.copyBytes(found.bytes, 1 + size, 1 + 2 * size)));
      return shown;
    }
    /** @param {Guest} algorithm @param {Guest} extractable @param {Guest} usages */
    async generateKey(algorithm, extractable, usages) {
      if (nameOf(algorithm) === 'HMAC') {
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
      if (kind.rsa) unsupported('Generating keys for RSA');
      const all = usagesOf(usages, ['sign', 'verify']);
      if (!contains(all, 'sign')) needUsages(list());
      const pkcs8 = bytesFrom(native.keyGenerate(kind.scheme));
      const open = bytesFrom(/** @type {string} */ (native.keyPublic(kind.scheme, pkcs8)));
      const verifying = only(all, 'verify');
      return {
        publicKey: publicKey(kind, open, true, verifying),
        privateKey: privateKey(kind, pkcs8, !!extractable, only(all, 'sign')),
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
    static {
      const missing = ['encrypt', 'decrypt', 'deriveBits', 'deriveKey', 'wrapKey', 'unwrapKey'];
      for (let i = 0; i < missing.length; i++) {
        const name = missing[i];
        const { [name]: method } = {
          async [name]() {
            return unsupported(`crypto.subtle.${name}`);
          },
        };
        realm.put(SubtleCrypto.prototype, name, method);
      }
    }
  }

  const KEY = { __proto__: null };
  realm.subtle = new SubtleCrypto(KEY);
  tag('SubtleCrypto', SubtleCrypto);
  give('SubtleCrypto', SubtleCrypto);
});
