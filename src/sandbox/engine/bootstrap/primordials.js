// The built-ins that the other files use. It runs first, in a realm that no guest has touched.
//
// Guest code can replace anything it can reach, so nothing may look a built-in up after the snapshot is made: every file
// takes what it needs from here at that time, objects that are read later have no prototype, and nothing that is ours is
// spread, destructured as an array or iterated.
(function primordials(realm) {
  const { apply: ReflectApply } = Reflect;
  const unbind = (fn) => (self, a, b) => ReflectApply(fn, self, [a, b]);
  const getter = (prototype, key) => unbind(Object.getOwnPropertyDescriptor(prototype, key).get);
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const { defineProperty, create } = Object;

  Object.assign(realm, {
    unbind,
    getter,
    ReflectApply,
    ReflectConstruct: Reflect.construct,
    ReflectOwnKeys: Reflect.ownKeys,
    JSONParse: JSON.parse,
    JSONStringify: JSON.stringify,
    create,
    defineProperty,
    freeze: Object.freeze,
    getOwnPropertyDescriptor: Object.getOwnPropertyDescriptor,
    getPrototypeOf: Object.getPrototypeOf,
    setPrototypeOf: Object.setPrototypeOf,
    objectKeys: Object.keys,
    hasOwn: Object.hasOwn,
    isArray: Array.isArray,
    arrayOf: Array.of,
    arrayValues: unbind(Array.prototype.values),
    floor: Math.floor,
    imul: Math.imul,
    min: Math.min,
    trunc: Math.trunc,
    Error,
    TypeError,
    RangeError,
    SyntaxError,
    EvalError,
    ReferenceError,
    URIError,
    String,
    Promise,
    Map,
    Set,
    Date,
    RegExp,
    ArrayBuffer,
    Uint8Array,
    DataView,
    Object,
    then: unbind(Promise.prototype.then),
    errorToString: unbind(Error.prototype.toString),
    dateToISOString: unbind(Date.prototype.toISOString),
    dateGetTime: unbind(Date.prototype.getTime),
    bigintToString: unbind(BigInt.prototype.toString),
    symbolToString: unbind(Symbol.prototype.toString),
    numberToString: unbind(Number.prototype.toString),
    mapForEach: unbind(Map.prototype.forEach),
    mapGet: unbind(Map.prototype.get),
    mapSet: unbind(Map.prototype.set),
    setForEach: unbind(Set.prototype.forEach),
    setAdd: unbind(Set.prototype.add),
    weakMapGet: unbind(WeakMap.prototype.get),
    weakMapSet: unbind(WeakMap.prototype.set),
    slice: unbind(String.prototype.slice),
    indexOf: unbind(String.prototype.indexOf),
    lastIndexOf: unbind(String.prototype.lastIndexOf),
    toLowerCase: unbind(String.prototype.toLowerCase),
    toUpperCase: unbind(String.prototype.toUpperCase),
    typedArrayName: getter(TypedArray.prototype, Symbol.toStringTag),
    typedArrayBuffer: getter(TypedArray.prototype, 'buffer'),
    typedArrayOffset: getter(TypedArray.prototype, 'byteOffset'),
    typedArrayBytes: getter(TypedArray.prototype, 'byteLength'),
    typedArrayLength: getter(TypedArray.prototype, 'length'),
    bufferBytes: getter(ArrayBuffer.prototype, 'byteLength'),
    bufferSlice: unbind(ArrayBuffer.prototype.slice),
    viewBuffer: getter(DataView.prototype, 'buffer'),
    viewOffset: getter(DataView.prototype, 'byteOffset'),
    viewBytes: getter(DataView.prototype, 'byteLength'),
    regexpSource: getter(RegExp.prototype, 'source'),
    regexpFlags: getter(RegExp.prototype, 'flags'),
  });

  const hidden = (value) => ({ __proto__: null, value, writable: true, enumerable: false, configurable: true });
  const own = (value) => ({ __proto__: null, value, writable: true, enumerable: true, configurable: true });

  // A property as built-ins have them.
  realm.define = (target, key, value) => defineProperty(target, key, hidden(value));
  // An ordinary property, whatever setters the prototypes have.
  realm.put = (target, key, value) => defineProperty(target, key, own(value));

  // A list that no guest can see or disturb.
  realm.list = () => ({ __proto__: null, length: 0 });
  realm.push = (list, value) => {
    list[list.length] = value;
    list.length += 1;
  };
  // The list as an array for the guest.
  const { of: arrayOf } = Array;
  realm.toArray = (list) => ReflectApply(arrayOf, Array, list);

  // Classes of ours name themselves as built-in ones do.
  realm.tag = (name, target) => {
    const tag = { __proto__: null, value: name, writable: false, enumerable: false, configurable: true };
    defineProperty(target.prototype, Symbol.toStringTag, tag);
  };
  realm.expose = (name, target) => {
    realm.tag(name, target);
    realm.define(globalThis, name, target);
  };
});
