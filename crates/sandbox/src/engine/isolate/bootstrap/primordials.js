// The built-ins that the other files use. It runs before them, in a realm that no guest has touched.
//
// Guest code can replace anything it can reach, so no script may look up a built-in after the snapshot is made, not even
// `globalThis`: every file takes what it needs from here, objects that are read later have no prototype, and internal values
// are never spread, destructured as arrays or iterated. That holds for the first lines of a file, too: most files run
// lazily (`lazy.js`), after guest code.
(function primordials(/** @type {Realm} */ realm) {
  const { apply: ReflectApply } = Reflect;
  /** @param {Guest} fn */
  const unbind = (fn) => (/** @type {Guest} */ self, /** @type {Guest} */ a, /** @type {Guest} */ b) =>
    ReflectApply(fn, self, [a, b]);
  const { defineProperty, create, getOwnPropertyDescriptor } = Object;
  /** @param {object} prototype @param {PropertyKey} key */
  const getter = (prototype, key) => getOwnPropertyDescriptor(prototype, key)?.get;
  const { prototype: typedArrays } = Object.getPrototypeOf(Uint8Array);

  Object.assign(realm, {
    unbind,
    ReflectApply,
    ReflectConstruct: Reflect.construct,
    ReflectOwnKeys: Reflect.ownKeys,
    JSONParse: JSON.parse,
    JSONStringify: JSON.stringify,
    create,
    defineProperty,
    freeze: Object.freeze,
    getOwnPropertyDescriptor,
    getPrototypeOf: Object.getPrototypeOf,
    ObjectPrototype: Object.prototype,
    ErrorPrototype: Error.prototype,
    toStringTag: Symbol.toStringTag,
    toPrimitive: Symbol.toPrimitive,
    objectKeys: Object.keys,
    hasOwn: Object.hasOwn,
    isArray: Array.isArray,
    floor: Math.floor,
    imul: Math.imul,
    max: Math.max,
    min: Math.min,
    trunc: Math.trunc,
    parseFloat,
    parseInt,
    iterator: Symbol.iterator,
    IteratorPrototype: Iterator.prototype,
    asyncIterator: Symbol.asyncIterator,
    errorHead: Error.prototype.toString,
    Error,
    TypeError,
    RangeError,
    SyntaxError,
    EvalError,
    ReferenceError,
    URIError,
    Promise,
    Map,
    Set,
    WeakMap,
    Date,
    dateNow: Date.now,
    RegExp,
    ArrayBuffer,
    Uint8Array,
    DataView,
    Object,
    bigintToString: unbind(BigInt.prototype.toString),
    mapForEach: unbind(Map.prototype.forEach),
    setForEach: unbind(Set.prototype.forEach),
    slice: unbind(String.prototype.slice),
    indexOf: unbind(String.prototype.indexOf),
    lastIndexOf: unbind(String.prototype.lastIndexOf),
  });

  // Used by lazy files only: `methods.js` makes functions of them.
  realm.methods = {
    __proto__: null,
    sort: Array.prototype.sort,
    errorToString: Error.prototype.toString,
    dateToISOString: Date.prototype.toISOString,
    dateGetTime: Date.prototype.getTime,
    symbolToString: Symbol.prototype.toString,
    symbolFor: Symbol.for,
    symbolValue: Symbol.prototype.valueOf,
    functionText: Function.prototype.toString,
    mapGet: Map.prototype.get,
    mapSet: Map.prototype.set,
    mapSize: getter(Map.prototype, 'size'),
    setAdd: Set.prototype.add,
    setSize: getter(Set.prototype, 'size'),
    weakMapGet: WeakMap.prototype.get,
    weakMapSet: WeakMap.prototype.set,
    charCodeAt: String.prototype.charCodeAt,
    toLowerCase: String.prototype.toLowerCase,
    toUpperCase: String.prototype.toUpperCase,
    toWellFormed: String.prototype.toWellFormed,
    typedArraySet: typedArrays.set,
    typedArrayName: getter(typedArrays, Symbol.toStringTag),
    typedArrayBuffer: getter(typedArrays, 'buffer'),
    typedArrayOffset: getter(typedArrays, 'byteOffset'),
    typedArrayBytes: getter(typedArrays, 'byteLength'),
    typedArrayLength: getter(typedArrays, 'length'),
    bufferBytes: getter(ArrayBuffer.prototype, 'byteLength'),
    bufferDetached: getter(ArrayBuffer.prototype, 'detached'),
    bufferTransfer: ArrayBuffer.prototype.transfer,
    viewBuffer: getter(DataView.prototype, 'buffer'),
    viewOffset: getter(DataView.prototype, 'byteOffset'),
    viewBytes: getter(DataView.prototype, 'byteLength'),
    regexpExec: RegExp.prototype.exec,
    regexpSource: getter(RegExp.prototype, 'source'),
    regexpFlags: getter(RegExp.prototype, 'flags'),
    numberValue: Number.prototype.valueOf,
    stringValue: String.prototype.valueOf,
    booleanValue: Boolean.prototype.valueOf,
    bigintValue: BigInt.prototype.valueOf,
  };
  realm.views = {
    __proto__: null,
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
  };

  /** @param {unknown} value */
  const hidden = (value) => ({ __proto__: null, value, writable: true, enumerable: false, configurable: true });
  /** @param {unknown} value */
  const ordinary = (value) => ({ __proto__: null, value, writable: true, enumerable: true, configurable: true });

  // Defines a property like those of built-ins: writable, configurable, not enumerable.
  realm.define = (target, key, value) => defineProperty(target, key, hidden(value));
  // Defines an ordinary property, without calling setters of the prototypes.
  realm.put = (target, key, value) => defineProperty(target, key, ordinary(value));
  // `await` reads `constructor`: an own one keeps it off the prototype. For promises that guests never get.
  realm.own = (promise) => realm.define(promise, 'constructor', realm.Promise);

  // An internal list, out of reach of guests.
  realm.list = () => ({ __proto__: null, length: 0 });
  realm.push = (list, value) => {
    list[list.length] = value;
    list.length += 1;
  };
  // The list as an array for the guest.
  const { of: arrayOf } = Array;
  const NativeArray = Array;
  // More arguments do not fit on the stack.
  const MAX_ARGUMENTS = 5000;
  realm.toArray = (list) => {
    if (list.length <= MAX_ARGUMENTS) return ReflectApply(arrayOf, NativeArray, list);
    /** @type {Guest[]} */
    const out = [];
    for (let i = 0; i < list.length; i++) realm.put(out, i, list[i]);
    return out;
  };

  // The prototypes of the classes that `tag` was called for.
  realm.tagged = { __proto__: /** @type {any} */ (null) };
  // Sets `Symbol.toStringTag` of a class, as built-ins have it.
  const { toStringTag } = Symbol;
  realm.tag = (name, target) => {
    const tag = { __proto__: null, value: name, writable: false, enumerable: false, configurable: true };
    defineProperty(target.prototype, toStringTag, tag);
    realm.tagged[name] = target.prototype;
  };
});
