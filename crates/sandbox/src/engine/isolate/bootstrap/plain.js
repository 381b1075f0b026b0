// Objects of built-in classes as plain data, where JSON.stringify would drop their content.
(function plainData(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { Uint8Array, bufferBytes, getOwnPropertyDescriptor, hasOwn, objectKeys, put } = realm;
  const { typedArrayBuffer, typedArrayBytes, typedArrayLength, typedArrayName, typedArrayOffset } = realm;
  const { viewBuffer, viewBytes, viewOffset } = realm;

  // Length of the base64 text of that many bytes.
  /** @param {number} bytes */
  const base64Length = (bytes) => realm.floor((bytes + 2) / 3) * 4;

  /** @param {ArrayBuffer} buffer @param {number} offset @param {number} bytes @param {(count: number, what: string) => void} reserve */
  const plainBytes = (buffer, offset, bytes, reserve) => {
    reserve(base64Length(bytes), `${bytes} bytes`);
    return { __proto__: null, $base64: native.base64(new Uint8Array(buffer, offset, bytes)) };
  };

  // Bytes become base64; other numbers become an array.
  /** @param {Guest} array @param {(count: number, what: string) => void} reserve */
  const plainTypedArray = (array, reserve) => {
    const name = typedArrayName(array);
    if (name === 'Uint8Array' || name === 'Uint8ClampedArray') {
      return plainBytes(typedArrayBuffer(array), typedArrayOffset(array), typedArrayBytes(array), reserve);
    }
    const length = typedArrayLength(array);
    reserve(length * 2, `a ${name} of ${length} numbers`);
    /** @type {Guest[]} */
    const out = [];
    for (let i = 0; i < length; i++) put(out, i, array[i]);
    return out;
  };

  // Members of errors that are not enumerable.
  const HIDDEN = ['cause', 'errors'];

  /** @param {Guest} error */
  const plainError = (error) => {
    /** @type {Table<any>} */
    const out = { __proto__: null, name: realm.readText(error, 'name'), message: realm.readText(error, 'message') };
    const names = objectKeys(error);
    for (let i = 0; i < names.length; i++) if (names[i] !== 'stack') out[names[i]] = error[names[i]];
    for (let i = 0; i < HIDDEN.length; i++) {
      const descriptor = getOwnPropertyDescriptor(error, HIDDEN[i]);
      if (descriptor !== undefined && hasOwn(descriptor, 'value')) out[HIDDEN[i]] = descriptor.value;
    }
    return { __proto__: null, $error: out };
  };

  // Advice for values whose content JSON.stringify would drop.
  /** @type {Table<any>} */
  const ADVICE = {
    __proto__: null,
    Promise: 'a promise: await it first',
    Generator: 'a generator: collect what it yields into an array first',
    AsyncGenerator: 'a generator: collect what it yields into an array first',
    Response: 'a Response: take its body first (await response.json(), .text() or .arrayBuffer())',
    WeakMap: 'a WeakMap, which cannot be listed',
    WeakSet: 'a WeakSet, which cannot be listed',
  };
  realm.unwritable = (name) => {
    const advice = ADVICE[name];
    if (advice !== undefined) return advice;
    return `an object of the class ${realm.brief(name)}, which JSON cannot represent: copy the data that is needed into a plain object`;
  };

  realm.asPlain = (item, type, { stop, reserve }) => {
    switch (type) {
      case 'Error':
        return plainError(item);
      case 'RegExp': {
        const text = `/${realm.regexpSource(item)}/${realm.regexpFlags(item)}`;
        return { __proto__: null, $regexp: text };
      }
      case 'ArrayBuffer':
        return plainBytes(item, 0, bufferBytes(item), reserve);
      case 'DataView':
        return plainBytes(viewBuffer(item), viewOffset(item), viewBytes(item), reserve);
      case 'TypedArray':
        return plainTypedArray(item, reserve);
      case 'Number':
        return realm.numberValue(item);
      case 'String': {
        const text = realm.stringValue(item);
        reserve(text.length, `a text of ${text.length} characters`);
        return text;
      }
      case 'Boolean':
        return realm.booleanValue(item);
      case 'BigInt':
        return realm.bigintToString(realm.bigintValue(item));
      case 'Symbol':
        return stop('a symbol');
      default:
        return stop(realm.unwritable(type));
    }
  };
});
