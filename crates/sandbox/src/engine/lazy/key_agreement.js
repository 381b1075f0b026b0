// ECDH and X25519 of `crypto.subtle`. A private key is its secret number, with the public key beside it.
(function keyAgreement(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { DOMException, Uint8Array, algorithms, copyBytes, keyImport, keys, list, suiteParts, suites } = realm;
  const { typedArrayBytes } = realm;
  const { CURVES, dataOf, needUsages, usagesOf } = algorithms;
  const { bytesFrom, bytesFromHex, fromBase64Url, fromSpki, isOnCurve, join, newKey, sameBytes } = keys;
  const { secretIn, secretsOf, toSpki } = keys;
  const { formatRefused, needed, noAccess, operationError, wrongData } = suiteParts;

  const DERIVE = ['deriveKey', 'deriveBits'];
  const X25519 = {
    __proto__: null,
    name: 'X25519',
    bytes: 32,
    algorithm: '300506032b656e',
    before: '302e020100300506032b656e04220420',
  };

  /** @type {(name: string, curve: string | undefined, type: string, extractable: boolean, usages: List<string>, bytes: Bytes, point: Bytes) => object} */
  const keyOf = (name, curve, type, extractable, usages, bytes, point) => {
    const algorithm = { name };
    if (curve !== undefined) realm.put(algorithm, 'namedCurve', curve);
    return newKey(
      { __proto__: null, type, extractable, algorithm, usages },
      {
        __proto__: null,
        name,
        hash: undefined,
        curve,
        bytes,
        point,
      },
    );
  };

  /** @type {(name: string) => Suite} */
  const suiteOf = (name) => {
    const isPlain = name === X25519.name;
    /** @param {Guest} algorithm */
    const curveOf = (algorithm) => {
      if (isPlain) return X25519;
      const named = `${needed(algorithm, 'namedCurve', 'EcKeyGenParams')}`;
      const curve = CURVES[named];
      if (curve === undefined) throw new DOMException('Unrecognized namedCurve', 'NotSupportedError');
      return { __proto__: null, ...curve, name: named };
    };
    /** @param {string} named */
    const shownCurve = (named) => (isPlain ? undefined : named);

    /** @param {{ name: string; bytes: number }} curve @param {Bytes} point @param {boolean} extractable @param {Guest} usages */
    const publicKey = (curve, point, extractable, usages) => {
      usagesOf(usages, [], `Unsupported key usage for ${name} key`);
      const isValid = isPlain
        ? typedArrayBytes(point) === curve.bytes
        : typedArrayBytes(point) === curve.bytes * 2 + 1 && isOnCurve(point, CURVES[curve.name]);
      if (!isValid) wrongData('Invalid keyData');
      return keyOf(name, shownCurve(curve.name), 'public', extractable, list(), point, point);
    };
    /** @param {{ name: string; bytes: number }} curve @param {Bytes} secret @param {boolean} extractable @param {List<string>} usages @param {Bytes | undefined} named */
    const privateKey = (curve, secret, extractable, usages, named) => {
      const binary = native.agreementPublic(curve.name, secret);
      const point = binary === undefined ? wrongData('Invalid keyData') : bytesFrom(binary);
      if (named !== undefined && !sameBytes(point, named)) wrongData('Invalid JWK');
      needUsages(usages, 'importing a private');
      return keyOf(name, shownCurve(curve.name), 'private', extractable, usages, secret, point);
    };

    return {
      __proto__: null,
      importKey: (format, data, algorithm, extractable, usages) => {
        const curve = curveOf(algorithm);
        const encoding = bytesFromHex(curve.algorithm);
        if (format === 'raw' || format === 'raw-public')
          return publicKey(curve, copyBytes(dataOf(data), 0, typedArrayBytes(dataOf(data))), extractable, usages);
        if (format === 'spki') return publicKey(curve, fromSpki(dataOf(data), encoding), extractable, usages);
        if (format === 'pkcs8') {
          const allowed = usagesOf(usages, DERIVE, `Unsupported key usage for ${name} key`);
          return privateKey(curve, secretIn(dataOf(data), encoding, isPlain), extractable, allowed, undefined);
        }
        if (format !== 'jwk') return formatRefused(name, format);
        if (data.kty !== (isPlain ? 'OKP' : 'EC')) wrongData('Invalid JWK "kty" Parameter');
        if (data.crv !== curve.name) wrongData('JWK "crv" does not match the requested algorithm');
        const isPrivate = data.d !== undefined;
        const allowed = usagesOf(usages, isPrivate ? DERIVE : [], `Unsupported key usage for ${name} key`);
        keyImport.checkJwk(data, undefined, extractable, allowed, 'enc');
        /** @param {string} member */
        const part = (member) => {
          const bytes = fromBase64Url(data[member]);
          return typedArrayBytes(bytes) === curve.bytes ? bytes : wrongData('Invalid JWK');
        };
        const point = isPlain ? part('x') : join(bytesFromHex('04'), part('x'), part('y'));
        return isPrivate
          ? privateKey(curve, part('d'), extractable, allowed, point)
          : publicKey(curve, point, extractable, usages);
      },
      exportKey: (format, found) => {
        const point = /** @type {Bytes} */ (found.point);
        const isPrivate = found.type === 'private';
        const curve = isPlain ? undefined : CURVES[/** @type {string} */ (found.curve)];
        const { algorithm, before } = curve ?? X25519;
        if ((format === 'raw' || format === 'raw-public') && !isPrivate)
          return copyBytes(point, 0, typedArrayBytes(point));
        if (format === 'spki' && !isPrivate) return toSpki(point, bytesFromHex(algorithm));
        if (format === 'pkcs8' && isPrivate) {
          const start = join(bytesFromHex(before), found.bytes);
          return curve === undefined ? start : join(start, bytesFromHex(curve.between), point);
        }
        if (format !== 'jwk') return undefined;
        return keyImport.curveJwk(suiteParts.jwk(found), found, point, isPrivate ? found.bytes : undefined);
      },
      generateKey: (algorithm, extractable, usages) => {
        const curve = curveOf(algorithm);
        const allowed = usagesOf(usages, DERIVE, `Unsupported key usage for ${name} key`);
        needUsages(allowed);
        const secret = new Uint8Array(realm.trunc(curve.bytes));
        let point;
        // Not every number is one of the curve.
        do {
          native.fillRandom(secret);
          point = native.agreementPublic(curve.name, secret);
        } while (point === undefined);
        const open = bytesFrom(point);
        const named = shownCurve(curve.name);
        return {
          publicKey: keyOf(name, named, 'public', true, list(), open, open),
          privateKey: keyOf(name, named, 'private', extractable, allowed, secret, open),
        };
      },
      deriveBits: (found, algorithm, bits) => {
        const given = needed(algorithm, 'public', 'EcdhKeyDeriveParams');
        const peer = secretsOf(given);
        if (peer === undefined)
          throw new realm.TypeError(
            'Failed to normalize algorithm: public in passed algorithm is not of type CryptoKey.',
          );
        if (found.type !== 'private') noAccess('baseKey must be a private key');
        if (peer.type !== 'public') noAccess('algorithm.public must be a public key');
        if (peer.name !== found.name) noAccess('key algorithm mismatch');
        if (peer.curve !== found.curve) noAccess('Named curve mismatch');
        const shared = native.agree(found.curve ?? X25519.name, found.bytes, peer.bytes);
        if (shared === undefined) return suiteParts.failed();
        const secret = bytesFrom(shared);
        if (bits === undefined || bits === null) return secret;
        const number = realm.trunc(+bits) || 0;
        const length = realm.trunc((number + 7) / 8);
        if (length > typedArrayBytes(secret)) operationError('derived bit length is too small');
        const out = copyBytes(secret, 0, length);
        // Bits of the last byte that were not requested.
        if (number % 8 !== 0) out[length - 1] &= 0xff00 >> (number % 8);
        return out;
      },
    };
  };
  suites.ECDH = suiteOf('ECDH');
  suites[X25519.name] = suiteOf(X25519.name);
});
