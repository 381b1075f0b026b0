// Keys of `crypto.subtle` from bytes and from JSON Web Keys.
(function keyImport(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Uint8Array, algorithms, keys, list, push, typedArrayBytes } = realm;
  const { CURVES, ED25519, USAGES, contains, dataOf, hashOf, needUsages, unsupported, usagesOf } = algorithms;
  const { bytesFrom, bytesFromHex, der, derContent, derInteger, fromBase64Url, isOnCurve, join } = keys;
  const { newKey, refuse, sameBytes, secretIn, toBase64Url } = keys;

  // Keys with the algorithm as the standard names it.
  /** @type {KeyImport['hmacKey']} */
  const hmacKey = (hash, bytes, extractable, usages, length = typedArrayBytes(bytes) * 8) => {
    const algorithm = { name: 'HMAC', length, hash: { name: hash } };
    return newKey(
      { __proto__: null, type: 'secret', extractable, algorithm, usages },
      { __proto__: null, name: 'HMAC', hash, bytes },
    );
  };
  /** @param {KeyKind} kind @param {string} type @param {boolean} extractable @param {List<string>} usages @param {{ bits: number; exponent: Bytes } | undefined} numbers */
  const facts = (kind, type, extractable, usages, numbers) => {
    const algorithm = { name: kind.name };
    if (kind.curve !== undefined) realm.put(algorithm, 'namedCurve', kind.curve);
    if (numbers !== undefined) {
      realm.put(algorithm, 'modulusLength', numbers.bits);
      realm.put(algorithm, 'publicExponent', numbers.exponent);
      realm.put(algorithm, 'hash', { name: kind.hash });
    }
    return { __proto__: null, type, extractable, algorithm, usages };
  };
  // Modulus length and exponent of a public RSA key.
  /** @param {Bytes} bytes */
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
  /** @type {KeyImport['publicKey']} */
  const publicKey = (kind, bytes, extractable, usages) => {
    const size =
      kind.name === 'Ed25519' ? ED25519.bytes : kind.curve === undefined ? undefined : CURVES[kind.curve].bytes * 2 + 1;
    if (size !== undefined && typedArrayBytes(bytes) !== size) refuse('The key has the wrong length');
    if (kind.curve !== undefined && !isOnCurve(bytes, CURVES[kind.curve]))
      refuse('The key is not a point of the curve');
    const numbers = kind.rsa ? numbersOf(bytes) : undefined;
    return newKey(facts(kind, 'public', extractable, usages, numbers), { __proto__: null, ...kind, bytes });
  };
  // A PrivateKeyInfo as OpenSSL writes it: with the public key for ECDSA, without for Ed25519.
  /** @param {KeyKind} kind @param {Bytes} secret @param {Bytes} point */
  const privateInfo = (kind, secret, point) => {
    if (kind.curve === undefined) return join(bytesFromHex(ED25519.before), secret);
    const { before, between } = CURVES[kind.curve];
    return join(bytesFromHex(before), secret, bytesFromHex(between), point);
  };
  /** @type {KeyImport['privateKey']} */
  const privateKey = (kind, pkcs8, extractable, usages, named) => {
    const open = native.keyPublic(kind.rsa ? 'RSA-PSS/SHA-256' : kind.scheme, pkcs8);
    if (open === undefined)
      return refuse('The key cannot be used: it is not a key of that algorithm, or it is too small');
    if (named !== undefined && !sameBytes(bytesFrom(open), named))
      refuse('The parts of the JSON Web Key do not belong together');
    const point = bytesFrom(open);
    const numbers = kind.rsa ? numbersOf(point) : undefined;
    const bytes = kind.rsa
      ? pkcs8
      : privateInfo(kind, secretIn(pkcs8, /** @type {Bytes} */ (kind.spki), kind.curve === undefined), point);
    return newKey(facts(kind, 'private', extractable, usages, numbers), { __proto__: null, ...kind, bytes, point });
  };

  const SIGNING = ['sign', 'verify'];
  // The usages of keys of an algorithm: of both keys of a pair, of the private one, or of the public one.
  /** @type {KeyImport['usagesFor']} */
  const usagesFor = (name, isPrivate) => {
    const isOaep = name === 'RSA-OAEP';
    if (isPrivate === undefined) return isOaep ? ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'] : SIGNING;
    if (isPrivate) return isOaep ? ['decrypt', 'unwrapKey'] : ['sign'];
    return isOaep ? ['encrypt', 'wrapKey'] : ['verify'];
  };

  // Checks that the members of a JSON Web Key allow the requested usages.
  /** @type {KeyImport['checkJwk']} */
  const checkJwk = (jwk, algs, extractable, usages, use = 'sig') => {
    if (extractable && jwk.ext !== undefined && !jwk.ext) refuse('The JSON Web Key must not be extractable');
    if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use)
      refuse(`The use of the JSON Web Key is not ${use}`);
    if (algs !== undefined && jwk.alg !== undefined && !contains(algs, jwk.alg))
      refuse('JWK "alg" does not match the requested algorithm');
    if (jwk.key_ops === undefined) return;
    if (jwk.key_ops === null || typeof jwk.key_ops !== 'object')
      throw new realm.TypeError('The key_ops of a JSON Web Key must be a list');
    // The list of an unwrapped key has no prototype, and so no iterator.
    const isUnwrapped = realm.getPrototypeOf(jwk.key_ops) === null;
    const ops = list();
    /** @param {Guest} op */
    const add = (op) => {
      // Of an unwrapped key, values other than text would be objects that the guest must not get.
      const name = typeof op === 'object' && isUnwrapped ? '' : `${op}`;
      if (contains(ops, name)) refuse('The key_ops of the JSON Web Key hold a duplicate');
      if (jwk.use === 'sig' && contains(USAGES, name) && !contains(SIGNING, name)) {
        refuse('The key_ops of the JSON Web Key do not fit its use');
      }
      push(ops, name);
    };
    if (isUnwrapped) for (let i = 0; i < jwk.key_ops.length; i++) add(jwk.key_ops[i]);
    else for (const op of jwk.key_ops) add(op);
    for (let i = 0; i < usages.length; i++) {
      if (!contains(ops, usages[i])) refuse('The key_ops of the JSON Web Key do not include all usages');
    }
  };

  /** @type {KeyImport['importJwk']} */
  const importJwk = (kind, jwk, extractable, usages) => {
    /** @param {string} name */
    const part = (name) => fromBase64Url(jwk[name]);
    // Coordinates are zero-padded to the full length.
    /** @param {string} name */
    const coordinate = (name) => {
      const bytes = part(name);
      const { bytes: size } = kind.curve === undefined ? ED25519 : CURVES[kind.curve];
      return typedArrayBytes(bytes) === size ? bytes : refuse('A part of the JSON Web Key has the wrong length');
    };
    const isPrivate = jwk.d !== undefined;
    const allowed = usagesOf(usages, usagesFor(kind.name, isPrivate));
    let algs = ['EdDSA', 'Ed25519'];
    const number = realm.slice(kind.hash ?? '', 4);
    if (kind.name === 'RSA-OAEP') algs = [number === '1' ? kind.name : `RSA-OAEP-${number}`];
    else if (kind.rsa) algs = [`${kind.name === 'RSA-PSS' ? 'PS' : 'RS'}${number}`];
    else if (kind.curve !== undefined) algs = [CURVES[kind.curve].alg];
    checkJwk(jwk, algs, extractable, allowed, kind.name === 'RSA-OAEP' ? 'enc' : 'sig');
    if (kind.rsa) {
      if (jwk.kty !== 'RSA') refuse('The kty of the JSON Web Key is not RSA');
      if (!isPrivate) {
        return publicKey(kind, der(0x30, join(derInteger(part('n')), derInteger(part('e')))), extractable, allowed);
      }
      if (jwk.oth !== undefined) unsupported('A key for RSA with more than two primes');
      const names = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];
      let body = derInteger(new Uint8Array(1));
      for (let i = 0; i < names.length; i++) body = join(body, derInteger(part(names[i])));
      const wrapped = join(derInteger(new Uint8Array(1)), /** @type {Bytes} */ (kind.spki), der(4, der(0x30, body)));
      return privateKey(kind, der(0x30, wrapped), extractable, needUsages(allowed));
    }
    if (jwk.kty !== (kind.curve === undefined ? 'OKP' : 'EC') || jwk.crv !== (kind.curve ?? 'Ed25519')) {
      refuse('The JSON Web Key is for another algorithm');
    }
    const four = new Uint8Array(1);
    four[0] = 4;
    const point = kind.curve === undefined ? coordinate('x') : join(four, coordinate('x'), coordinate('y'));
    if (!isPrivate) return publicKey(kind, point, extractable, allowed);
    return privateKey(kind, privateInfo(kind, coordinate('d'), point), extractable, needUsages(allowed), point);
  };

  // The members of a JSON Web Key of a curve, in Node's order.
  /** @type {KeyImport['curveJwk']} */
  const curveJwk = (shown, { curve, name }, point, secret) => {
    if (curve === undefined) {
      realm.put(shown, 'crv', name);
      if (secret !== undefined) realm.put(shown, 'd', toBase64Url(secret));
      realm.put(shown, 'x', toBase64Url(point));
      realm.put(shown, 'kty', 'OKP');
      return shown;
    }
    const { bytes } = CURVES[curve];
    realm.put(shown, 'kty', 'EC');
    realm.put(shown, 'x', toBase64Url(realm.copyBytes(point, 1, 1 + bytes)));
    realm.put(shown, 'y', toBase64Url(realm.copyBytes(point, 1 + bytes, 1 + 2 * bytes)));
    realm.put(shown, 'crv', curve);
    if (secret !== undefined) realm.put(shown, 'd', toBase64Url(secret));
    return shown;
  };

  // The length of an HMAC key in bits: all bits of the bytes, or fewer of the last byte; unused bits are cleared.
  /** @param {Guest} length @param {Bytes} bytes */
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

  /** @type {KeyImport['importHmac']} */
  const importHmac = (format, data, algorithm, extractable, usages) => {
    const hash = hashOf(algorithm.hash);
    const allowed = needUsages(usagesOf(usages, SIGNING));
    let bytes;
    if (format === 'raw') bytes = realm.copyBytes(dataOf(data), 0, typedArrayBytes(dataOf(data)));
    else if (format === 'jwk') {
      if (data.kty !== 'oct') refuse('The kty of the JSON Web Key is not oct');
      checkJwk(data, [`HS${realm.slice(hash, 4)}`], extractable, allowed);
      bytes = fromBase64Url(data.k);
    } else return unsupported(`The format ${realm.textOf(format)} for HMAC`);
    if (typedArrayBytes(bytes) === 0) refuse('The key is empty');
    return hmacKey(hash, bytes, extractable, allowed, hmacLength(algorithm.length, bytes));
  };

  realm.keyImport = {
    __proto__: null,
    checkJwk,
    curveJwk,
    hmacKey,
    importHmac,
    importJwk,
    privateKey,
    publicKey,
    usagesFor,
  };
});
