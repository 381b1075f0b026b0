// `crypto`: random values. `subtle` is built on first use.
(function crypto(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { DOMException, Uint8Array, give, repeatable, tag, typedArrayBuffer, typedArrayBytes } = realm;
  const { typedArrayName, typedArrayOffset } = realm;

  const MAX_BYTES = 65536;
  const HEX = '0123456789abcdef';
  /** @type {Table<any>} */
  const INTEGERS = {
    __proto__: null,
    Int8Array: true,
    Uint8Array: true,
    Uint8ClampedArray: true,
    Int16Array: true,
    Uint16Array: true,
    Int32Array: true,
    Uint32Array: true,
    BigInt64Array: true,
    BigUint64Array: true,
  };

  // Random bytes, from the seed if there is one.
  /** @type {Realm['fillRandom']} */
  const fillRandom = (bytes, length) => {
    const next = repeatable.nextWord;
    if (next === undefined) {
      native.fillRandom(bytes);
      return;
    }
    for (let i = 0; i < length; i++) bytes[i] = next() >>> 24;
  };

  const KEY = { __proto__: null };

  class Crypto {
    /** @param {Guest} key */
    constructor(key) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor');
    }
    get subtle() {
      realm.need('subtle');
      return realm.subtle;
    }
    /** @param {Guest} array */
    getRandomValues(array) {
      const name = typedArrayName(array);
      if (name === undefined || INTEGERS[name] !== true) {
        throw new DOMException('getRandomValues needs an array of integers', 'TypeMismatchError');
      }
      const length = typedArrayBytes(array);
      if (length > MAX_BYTES) {
        throw new DOMException(`getRandomValues gives at most ${MAX_BYTES} bytes at once`, 'QuotaExceededError');
      }
      fillRandom(new Uint8Array(typedArrayBuffer(array), typedArrayOffset(array), length), length);
      return array;
    }
    randomUUID() {
      const bytes = new Uint8Array(16);
      fillRandom(bytes, 16);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      let text = '';
      for (let i = 0; i < 16; i++) {
        if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
        text += HEX[bytes[i] >> 4] + HEX[bytes[i] & 15];
      }
      return text;
    }
  }

  realm.fillRandom = fillRandom;
  tag('Crypto', Crypto);
  give('Crypto', Crypto);
  give('crypto', new Crypto(KEY));
});
