// `ArrayBuffer` without resizable buffers.
(function buffers(/** @type {Realm} */ realm) {
  const { ReflectConstruct, ReflectOwnKeys, define, defineProperty, getOwnPropertyDescriptor } = realm;

  // Resizable buffers grow outside the memory limit, so the constructor does not offer them.
  const NativeArrayBuffer = realm.ArrayBuffer;
  /** @param {number} length @param {Guest} options */
  const FixedArrayBuffer = function ArrayBuffer(length, options) {
    if (new.target === undefined) throw new realm.TypeError("Constructor ArrayBuffer requires 'new'");
    if (options !== null && typeof options === 'object' && options.maxByteLength !== undefined) {
      throw new realm.RangeError('Resizable array buffers are not available in the sandbox');
    }
    return ReflectConstruct(NativeArrayBuffer, [length], new.target);
  };
  for (const key of ReflectOwnKeys(NativeArrayBuffer)) {
    if (key !== 'length' && key !== 'name') {
      const descriptor = getOwnPropertyDescriptor(NativeArrayBuffer, key);
      if (descriptor !== undefined) defineProperty(FixedArrayBuffer, key, descriptor);
    }
  }
  define(FixedArrayBuffer.prototype, 'constructor', FixedArrayBuffer);
  defineProperty(FixedArrayBuffer, 'length', { __proto__: null, value: 1, configurable: true });

  define(globalThis, 'ArrayBuffer', FixedArrayBuffer);
});
