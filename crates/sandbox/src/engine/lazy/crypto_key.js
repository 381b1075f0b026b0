// `CryptoKey`, and the formats for import and export.
(function cryptoKeys(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { DOMException, Uint8Array, copyBytes, give, list, push, tag, toArray, typedArrayBytes } = realm;

  const KEY = { __proto__: null };
  /** @type {KeyFunctions['newKey']} */
  let newKey;
  /** @type {KeyFunctions['secretsOf']} */
  let secretsOf;

  class CryptoKey {
    #type;
    #extractable;
    #algorithm;
    #usages;
    #secrets;
    /** @param {Guest} key @param {Guest} facts @param {Guest} secrets */
    constructor(key, facts, secrets) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: keys come from crypto.subtle');
      this.#type = facts.type;
      this.#extractable = facts.extractable;
      this.#algorithm = facts.algorithm;
      this.#usages = facts.usages;
      this.#secrets = secrets;
    }
    get type() {
      return this.#type;
    }
    get extractable() {
      return this.#extractable;
    }
    get algorithm() {
      return this.#algorithm;
    }
    get usages() {
      const copy = list();
      for (let i = 0; i < this.#usages.length; i++) push(copy, this.#usages[i]);
      return toArray(copy);
    }
    static {
      newKey = (facts, secrets) => new CryptoKey(KEY, facts, secrets);
      // The internal state of a key, which a guest cannot change; undefined for other values.
      secretsOf = (value) =>
        value !== null && typeof value === 'object' && #secrets in value
          ? {
              __proto__: null,
              ...value.#secrets,
              type: value.#type,
              extractable: value.#extractable,
              usages: value.#usages,
            }
          : undefined;
    }
  }

  /** @type {KeyFunctions['bytesFrom']} */
  const bytesFrom = (binary) => {
    const bytes = new Uint8Array(binary.length);
    native.latin1Write(binary, bytes);
    return bytes;
  };
  /** @type {KeyFunctions['bytesFromHex']} */
  const bytesFromHex = (hex) => {
    const bytes = new Uint8Array(hex.length / 2);
    for (let i = 0; i < hex.length; i += 2) bytes[i / 2] = realm.parseInt(realm.slice(hex, i, i + 2), 16);
    return bytes;
  };

  /** @type {KeyFunctions['refuse']} */
  const refuse = (message) => {
    throw new DOMException(message, 'DataError');
  };

  /** @type {KeyFunctions['toBase64Url']} */
  const toBase64Url = (bytes) => {
    const text = native.base64(bytes);
    let out = '';
    for (let i = 0; i < text.length && text[i] !== '='; i++)
      out += text[i] === '+' ? '-' : text[i] === '/' ? '_' : text[i];
    return out;
  };
  /** @type {KeyFunctions['fromBase64Url']} */
  const fromBase64Url = (value) => {
    if (typeof value !== 'string') refuse('A part of the JSON Web Key is missing');
    let text = '';
    for (let i = 0; i < value.length; i++) {
      const letter = value[i];
      // Not in base64url: `atob` would accept or ignore them.
      if (letter === '+' || letter === '/' || letter === '=' || letter <= ' ')
        refuse('A part of the JSON Web Key is not base64url');
      text += letter === '-' ? '+' : letter === '_' ? '/' : letter;
    }
    return bytesFrom(native.atob(text) ?? refuse('A part of the JSON Web Key is not base64'));
  };

  /** @type {KeyFunctions['join']} */
  const join = (...parts) => {
    let length = 0;
    for (let i = 0; i < parts.length; i++) length += typedArrayBytes(parts[i]);
    const out = new Uint8Array(length);
    let at = 0;
    for (let i = 0; i < parts.length; i++) {
      realm.typedArraySet(out, parts[i], at);
      at += typedArrayBytes(parts[i]);
    }
    return out;
  };

  // DER: a tag, a length, the content.
  /** @type {KeyFunctions['der']} */
  const der = (tagByte, content) => {
    const length = typedArrayBytes(content);
    const size = length < 128 ? 1 : length < 256 ? 2 : 3;
    const head = new Uint8Array(1 + size);
    head[0] = tagByte;
    if (size === 1) head[1] = length;
    else {
      head[1] = 0x7f + size;
      head[size] = length & 255;
      if (size === 3) head[2] = length >> 8;
    }
    return join(head, content);
  };
  /** @type {KeyFunctions['derInteger']} */
  const derInteger = (bytes) => {
    let from = 0;
    const length = typedArrayBytes(bytes);
    while (from < length - 1 && bytes[from] === 0) from++;
    const digits = copyBytes(bytes, from, length);
    return der(2, digits[0] > 127 ? join(new Uint8Array(1), digits) : digits);
  };

  // Start and end of the content of the DER element at `at`.
  /** @type {KeyFunctions['derContent']} */
  const derContent = (bytes, at, tagByte) => {
    if (bytes[at] !== tagByte) refuse('The key is not in that format');
    let length = bytes[at + 1];
    let from = at + 2;
    if (length > 127) {
      const size = length - 128;
      if (size > 3) refuse('The key is not in that format');
      length = 0;
      for (let i = 0; i < size; i++) length = length * 256 + bytes[from + i];
      // DER requires the shortest form of a length.
      if (length < 128 || bytes[from] === 0) refuse('The key is not in that format');
      from += size;
    }
    const to = from + length;
    if (!(to <= typedArrayBytes(bytes))) refuse('The key is not in that format');
    return { __proto__: null, from, to };
  };

  // The public key in a SubjectPublicKeyInfo of the given algorithm.
  /** @type {KeyFunctions['fromSpki']} */
  const fromSpki = (bytes, algorithm) => {
    const all = derContent(bytes, 0, 0x30);
    const length = typedArrayBytes(algorithm);
    for (let i = 0; i < length; i++)
      if (bytes[all.from + i] !== algorithm[i]) refuse('The key is for another algorithm');
    const { from, to } = derContent(bytes, all.from + length, 3);
    // No trailing bytes, and no unused bits.
    if (to !== all.to || all.to !== typedArrayBytes(bytes) || bytes[from] !== 0)
      refuse('The key is not in that format');
    return copyBytes(bytes, from + 1, to);
  };
  // The secret number in a PrivateKeyInfo: of an elliptic curve in a sequence of its own, of Curve25519 plain.
  /** @type {KeyFunctions['secretIn']} */
  const secretIn = (bytes, algorithm, isPlain) => {
    const all = derContent(bytes, 0, 0x30);
    const version = derContent(bytes, all.from, 2);
    const size = typedArrayBytes(algorithm);
    if (!sameBytes(copyBytes(bytes, version.to, version.to + size), algorithm)) refuse('Named curve mismatch');
    let inner = derContent(bytes, version.to + size, 4);
    if (!isPlain) {
      const sequence = derContent(bytes, inner.from, 0x30);
      inner = { __proto__: null, from: derContent(bytes, sequence.from, 2).to, to: sequence.to };
    }
    const secret = derContent(bytes, inner.from, 4);
    return copyBytes(bytes, secret.from, secret.to);
  };
  /** @type {KeyFunctions['toSpki']} */
  const toSpki = (key, algorithm) => der(0x30, join(algorithm, der(3, join(new Uint8Array(1), key))));

  /** @param {Bytes} bytes @param {number} from @param {number} to */
  const numberAt = (bytes, from, to) => {
    let number = 0n;
    for (let i = from; i < to; i++) {
      for (let bit = 128; bit > 0; bit >>= 1) number = number * 2n + ((bytes[i] & bit) === 0 ? 0n : 1n);
    }
    return number;
  };
  // Whether a point is in uncompressed form and lies on the curve y² = x³ - 3x + b modulo p.
  /** @type {KeyFunctions['isOnCurve']} */
  const isOnCurve = (point, { bytes, p, b }) => {
    const x = numberAt(point, 1, 1 + bytes);
    const y = numberAt(point, 1 + bytes, 1 + 2 * bytes);
    return point[0] === 4 && x < p && y < p && (y * y - x * x * x + 3n * x - b) % p === 0n;
  };
  /** @type {KeyFunctions['sameBytes']} */
  const sameBytes = (one, other) => {
    let difference = typedArrayBytes(one) ^ typedArrayBytes(other);
    for (let i = 0; i < typedArrayBytes(one); i++) difference |= one[i] ^ other[i];
    return difference === 0;
  };

  realm.keys = {
    __proto__: null,
    isOnCurve,
    sameBytes,
    newKey,
    secretsOf,
    bytesFrom,
    bytesFromHex,
    toBase64Url,
    fromBase64Url,
    join,
    der,
    derContent,
    derInteger,
    fromSpki,
    secretIn,
    toSpki,
    refuse,
  };
  tag('CryptoKey', CryptoKey);
  give('CryptoKey', CryptoKey);
});
