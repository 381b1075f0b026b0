// `crypto.subtle`: digests, HMAC, and signatures with RSA, ECDSA and Ed25519.
(function subtleCrypto(realm, native) {
  const { DOMException, Uint8Array, give, keys, list, push, tag, toUpperCase, typedArrayBuffer, typedArrayBytes } = realm;
  const { bytesFrom, bytesFromHex, der, derContent, derInteger, fromBase64Url, fromSpki, isOnCurve, join, newKey, refuse } = keys;
  const { sameBytes, secretsOf, toBase64Url, toSpki } = keys;

  const HASH_BYTES = { __proto__: null, 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 };
  const BLOCK_BYTES = { __proto__: null, 'SHA-1': 64, 'SHA-256': 64, 'SHA-384': 128, 'SHA-512': 128 };
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
  const ED25519 = '300506032b6570';
  const NAMES = ['HMAC', 'RSASSA-PKCS1-v1_5', 'RSA-PSS', 'ECDSA', 'Ed25519', 'SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
  const USAGES = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];

  const unsupported = (what) => {
    throw new DOMException(`${what} is not supported in the sandbox`, 'NotSupportedError');
  };

  const nameOf = (algorithm) => {
    const input = algorithm !== null && typeof algorithm === 'object' ? algorithm.name : algorithm;
    if (input === undefined) throw new realm.TypeError('An algorithm must be a name, or an object with one');
    const wanted = toUpperCase(`${input}`);
    for (let i = 0; i < NAMES.length; i++) if (toUpperCase(NAMES[i]) === wanted) return NAMES[i];
    return unsupported(`The algorithm ${realm.textOf(`${input}`)}`);
  };
  const hashOf = (value) => {
    if (value === undefined || value === null) throw new realm.TypeError('The algorithm needs a hash');
    const name = nameOf(value);
    return HASH_BYTES[name] === undefined ? unsupported(`The hash ${name}`) : name;
  };

  const dataOf = (value) => {
    const bytes = value !== null && typeof value === 'object' ? realm.bytesOf(value) : undefined;
    if (bytes === undefined) throw new realm.TypeError('The data must be an ArrayBuffer or a view of one');
    return bytes;
  };
  const bufferOf = (binary) => typedArrayBuffer(bytesFrom(binary));

  // The usages of a key, in the order of the standard.
  const usagesOf = (value, allowed) => {
    const wanted = { __proto__: null };
    for (const usage of value) {
      const name = `${usage}`;
      if (!contains(USAGES, name)) throw new realm.TypeError(`${realm.textOf(name)} is not a key usage`);
      if (!contains(allowed, name)) throw new DOMException('The key cannot be used for that', 'SyntaxError');
      wanted[name] = true;
    }
    const usages = list();
    for (let i = 0; i < USAGES.length; i++) if (wanted[USAGES[i]] === true) push(usages, USAGES[i]);
    return usages;
  };
  const contains = (items, wanted) => {
    for (let i = 0; i < items.length; i++) if (items[i] === wanted) return true;
    return false;
  };
  const only = (usages, name) => {
    const kept = list();
    if (contains(usages, name)) push(kept, name);
    return kept;
  };
  const needUsages = (usages) => {
    if (usages.length === 0) throw new DOMException('A key needs at least one usage', 'SyntaxError');
    return usages;
  };

  // Keys with the algorithm as the standard names it; `scheme` combines all parameters of a signature in one name.
  const hmacKey = (hash, bytes, extractable, usages, length = typedArrayBytes(bytes) * 8) => {
    const algorithm = { name: 'HMAC', hash: { name: hash }, length };
    return newKey({ __proto__: null, type: 'secret', extractable, algorithm, usages }, { __proto__: null, name: 'HMAC', hash, bytes });
  };
  const facts = (kind, type, extractable, usages, numbers) => {
    const algorithm = { name: kind.name };
    if (kind.curve !== undefined) realm.put(algorithm, 'namedCurve', kind.curve);
    if (kind.rsa) {
      realm.put(algorithm, 'modulusLength', numbers.bits);
      realm.put(algorithm, 'publicExponent', numbers.exponent);
      realm.put(algorithm, 'hash', { name: kind.hash });
    }
    return { __proto__: null, type, extractable, algorithm, usages };
  };
  // Modulus length and exponent of a public RSA key.
  const numbersOf = (bytes) => {
    const modulus = derContent(bytes, derContent(bytes, 0, 0x30).from, 2);
    const exponent = derContent(bytes, modulus.to, 2);
    let { from } = modulus;
    while (from < modulus.to && bytes[from] === 0) from++;
    let bits = (modulus.to - from) * 8;
    for (let top = bytes[from]; bits > 0 && top < 128; top *= 2) bits -= 1;
    if (bits < 2048 || bits > 8192) unsupported(`A key for RSA with ${bits} bits`);
    return { __proto__: null, bits, exponent: realm.copyBytes(bytes, exponent.from, exponent.to) };
  };
  const kindOf = (algorithm) => {
    const name = nameOf(algorithm);
    const kind = { __proto__: null, name, hash: undefined, curve: undefined, scheme: name, spki: undefined, rsa: false };
    if (name === 'ECDSA') {
      kind.curve = `${algorithm.namedCurve}`;
      const curve = CURVES[kind.curve] ?? unsupported(`The curve ${realm.textOf(kind.curve)}`);
      kind.hash = curve.hash;
      kind.scheme = `${kind.curve}/${curve.hash}`;
      kind.spki = bytesFromHex(curve.algorithm);
    } else if (name === 'Ed25519') kind.spki = bytesFromHex(ED25519);
    else if (name === 'RSA-PSS' || name === 'RSASSA-PKCS1-v1_5') {
      kind.rsa = true;
      kind.hash = hashOf(algorithm.hash);
      if (name === 'RSA-PSS' && kind.hash === 'SHA-1') unsupported('RSA-PSS with SHA-1');
      kind.scheme = `${name}/${kind.hash}`;
      kind.spki = bytesFromHex(RSA);
    } else unsupported(`A key for ${name}`);
    return kind;
  };
  const publicKey = (kind, bytes, extractable, usages) => {
    const size = kind.name === 'Ed25519' ? 32 : kind.curve === undefined ? undefined : CURVES[kind.curve].bytes * 2 + 1;
    if (size !== undefined && typedArrayBytes(bytes) !== size) refuse('The key has the wrong length');
    if (kind.curve !== undefined && !isOnCurve(bytes, CURVES[kind.curve])) refuse('The key is not a point of the curve');
    const numbers = kind.rsa ? numbersOf(bytes) : undefined;
    return newKey(facts(kind, 'public', extractable, usages, numbers), { __proto__: null, ...kind, bytes });
  };
  const privateKey = (kind, pkcs8, extractable, usages, named) => {
    const open = native.keyPublic(kind.rsa ? `${kind.name}/SHA-256` : kind.scheme, pkcs8);
    if (open === undefined) refuse('The key cannot be used: it is not a key of that algorithm, or it is too small');
    if (named !== undefined && !sameBytes(bytesFrom(open), named)) refuse('The parts of the JSON Web Key do not belong together');
    const numbers = kind.rsa ? numbersOf(bytesFrom(open)) : undefined;
    return newKey(facts(kind, 'private', extractable, usages, numbers), { __proto__: null, ...kind, bytes: pkcs8 });
  };

  // Checks that the members of a JSON Web Key allow the requested usages.
  const checkJwk = (jwk, algs, extractable, usages) => {
    if (extractable && jwk.ext !== undefined && !jwk.ext) refuse('The JSON Web Key must not be extractable');
    if (usages.length > 0 && jwk.use !== undefined && jwk.use !== 'sig') refuse('The use of the JSON Web Key is not sig');
    if (jwk.alg !== undefined && !contains(algs, jwk.alg)) refuse('The JSON Web Key is for another algorithm');
    if (jwk.key_ops === undefined) return;
    if (jwk.key_ops === null || typeof jwk.key_ops !== 'object') throw new realm.TypeError('The key_ops of a JSON Web Key must be a list');
    const ops = list();
    for (const op of jwk.key_ops) {
      const name = `${op}`;
      if (contains(ops, name)) refuse('The key_ops of the JSON Web Key hold a duplicate');
      if (jwk.use === 'sig' && contains(USAGES, name) && name !== 'sign' && name !== 'verify') {
        refuse('The key_ops of the JSON Web Key do not fit its use');
      }
      push(ops, name);
    }
    for (let i = 0; i < usages.length; i++) {
      if (!contains(ops, usages[i])) refuse('The key_ops of the JSON Web Key do not include all usages');
    }
  };

  const importJwk = (kind, jwk, extractable, usages) => {
    const part = (name) => fromBase64Url(jwk[name]);
    // Coordinates are zero-padded to the full length.
    const coordinate = (name) => {
      const bytes = part(name);
      const size = kind.curve === undefined ? 32 : CURVES[kind.curve].bytes;
      return typedArrayBytes(bytes) === size ? bytes : refuse('A part of the JSON Web Key has the wrong length');
    };
    const isPrivate = jwk.d !== undefined;
    const allowed = usagesOf(usages, isPrivate ? ['sign'] : ['verify']);
    let algs = ['EdDSA', 'Ed25519'];
    if (kind.rsa) algs = [`${kind.name === 'RSA-PSS' ? 'PS' : 'RS'}${realm.slice(kind.hash, 4)}`];
    else if (kind.curve !== undefined) algs = [CURVES[kind.curve].alg];
    checkJwk(jwk, algs, extractable, allowed);
    if (kind.rsa) {
      if (jwk.kty !== 'RSA') refuse('The kty of the JSON Web Key is not RSA');
      if (!isPrivate) {
        return publicKey(kind, der(0x30, join(derInteger(part('n')), derInteger(part('e')))), extractable, allowed);
      }
      if (jwk.oth !== undefined) unsupported('A key for RSA with more than two primes');
      const names = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];
      let body = derInteger(new Uint8Array(1));
      for (let i = 0; i < names.length; i++) body = join(body, derInteger(part(names[i])));
      const wrapped = join(derInteger(new Uint8Array(1)), kind.spki, der(4, der(0x30, body)));
      return privateKey(kind, der(0x30, wrapped), extractable, needUsages(allowed));
    }
    if (jwk.kty !== (kind.curve === undefined ? 'OKP' : 'EC') || jwk.crv !== (kind.curve ?? 'Ed25519')) {
      refuse('The JSON Web Key is for another algorithm');
    }
    const four = new Uint8Array(1);
    four[0] = 4;
    const point = kind.curve === undefined ? coordinate('x') : join(four, coordinate('x'), coordinate('y'));
    if (!isPrivate) return publicKey(kind, point, extractable, allowed);
    const curve = CURVES[kind.curve];
    const pkcs8 =
      curve === undefined
        ? join(bytesFromHex('302e020100300506032b657004220420'), coordinate('d'))
        : join(bytesFromHex(curve.before), coordinate('d'), bytesFromHex(curve.between), point);
    return privateKey(kind, pkcs8, extractable, needUsages(allowed), point);
  };

  // The length of an HMAC key in bits: all bits of the bytes, or fewer of the last byte; unused bits are cleared.
  const hmacLength = (length, bytes) => {
    const most = typedArrayBytes(bytes) * 8;
    if (length === undefined) return most;
    const bits = +length;
    if (!(bits > -1 && bits < 4294967296)) throw new realm.TypeError('The length of a key must be a number of bits');
    const whole = realm.floor(bits);
    if (whole > most || whole <= most - 8) refuse('The key does not have the given length');
    if (whole < most) bytes[typedArrayBytes(bytes) - 1] &= 0xff << (most - whole);
    return whole;
  };

  const importHmac = (format, data, algorithm, extractable, usages) => {
    const hash = hashOf(algorithm.hash);
    const allowed = needUsages(usagesOf(usages, ['sign', 'verify']));
    let bytes;
    if (format === 'raw') bytes = realm.copyBytes(dataOf(data), 0, typedArrayBytes(dataOf(data)));
    else if (format === 'jwk') {
      if (data.kty !== 'oct') refuse('The kty of the JSON Web Key is not oct');
      checkJwk(data, [`HS${realm.slice(hash, 4)}`], extractable, allowed);
      bytes = fromBase64Url(data.k);
    } else unsupported(`The format ${realm.textOf(format)} for HMAC`);
    if (typedArrayBytes(bytes) === 0) refuse('The key is empty');
    return hmacKey(hash, bytes, extractable, allowed, hmacLength(algorithm.length, bytes));
  };

  const usable = (key, usage) => {
    const found = secretsOf(key);
    if (found === undefined) throw new realm.TypeError('The key must be a CryptoKey');
    if (!contains(found.usages, usage)) throw new DOMException(`The key cannot be used to ${usage}`, 'InvalidAccessError');
    return found;
  };
  const matching = (algorithm, key, usage) => {
    const found = usable(key, usage);
    if (nameOf(algorithm) !== found.name) throw new DOMException('The key is for another algorithm', 'InvalidAccessError');
    if (found.curve !== undefined && hashOf(algorithm.hash) !== found.hash) {
      unsupported(`${found.curve} with another hash than ${found.hash}`);
    }
    if (found.name === 'RSA-PSS' && algorithm.saltLength !== HASH_BYTES[found.hash]) {
      unsupported(`A saltLength other than that of the hash (${HASH_BYTES[found.hash]})`);
    }
    return found;
  };

  class SubtleCrypto {
    constructor(key) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: use crypto.subtle');
    }
    async digest(algorithm, data) {
      const hash = hashOf(algorithm);
      return bufferOf(native.digest(hash, dataOf(data)));
    }
    async importKey(format, data, algorithm, extractable, usages) {
      const kind = nameOf(algorithm);
      if (kind === 'HMAC') return importHmac(`${format}`, data, algorithm, !!extractable, usages);
      const wanted = kindOf(algorithm);
      switch (`${format}`) {
        case 'jwk':
          return importJwk(wanted, data, !!extractable, usages);
        case 'spki':
          return publicKey(wanted, fromSpki(dataOf(data), wanted.spki), !!extractable, usagesOf(usages, ['verify']));
        case 'pkcs8': {
          const bytes = dataOf(data);
          const allowed = needUsages(usagesOf(usages, ['sign']));
          return privateKey(wanted, realm.copyBytes(bytes, 0, typedArrayBytes(bytes)), !!extractable, allowed);
        }
        case 'raw': {
          if (wanted.rsa) return unsupported('The format raw for RSA');
          const bytes = dataOf(data);
          return publicKey(wanted, realm.copyBytes(bytes, 0, typedArrayBytes(bytes)), !!extractable, usagesOf(usages, ['verify']));
        }
        default:
          throw new realm.TypeError(`${realm.textOf(`${format}`)} is not a key format`);
      }
    }
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
        realm.put(shown, 'alg', `HS${realm.slice(found.hash, 4)}`);
        return shown;
      }
      if (found.type === 'private' || found.rsa) return unsupported('The format jwk for this key');
      realm.put(shown, 'kty', found.curve === undefined ? 'OKP' : 'EC');
      realm.put(shown, 'crv', found.curve ?? 'Ed25519');
      const size = found.curve === undefined ? 32 : CURVES[found.curve].bytes;
      const from = found.curve === undefined ? 0 : 1;
      realm.put(shown, 'x', toBase64Url(realm.copyBytes(found.bytes, from, from + size)));
      if (found.curve !== undefined) realm.put(shown, 'y', toBase64Url(realm.copyBytes(found.bytes, 1 + size, 1 + 2 * size)));
      return shown;
    }
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
      const open = bytesFrom(native.keyPublic(kind.scheme, pkcs8));
      const verifying = only(all, 'verify');
      return {
        publicKey: publicKey(kind, open, true, verifying),
        privateKey: privateKey(kind, pkcs8, !!extractable, only(all, 'sign')),
      };
    }
    async sign(algorithm, key, data) {
      const found = matching(algorithm, key, 'sign');
      const bytes = dataOf(data);
      if (found.name === 'HMAC') return bufferOf(native.hmac(found.hash, found.bytes, bytes));
      const signature = native.sign(found.scheme, found.bytes, bytes);
      if (signature === undefined) throw new DOMException('The key cannot sign this', 'OperationError');
      return bufferOf(signature);
    }
    async verify(algorithm, key, signature, data) {
      const found = matching(algorithm, key, 'verify');
      const input = dataOf(signature);
      const bytes = dataOf(data);
      if (found.name !== 'HMAC') return native.verify(found.scheme, found.bytes, input, bytes);
      return sameBytes(bytesFrom(native.hmac(found.hash, found.bytes, bytes)), input);
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
