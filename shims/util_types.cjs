/** Shim of `node:util/types`, based on `Symbol.toStringTag`. */

const nameOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const isObject = (value) => typeof value === 'object' && value !== null;
const named =
  (...names) =>
  (value) =>
    isObject(value) && names.includes(nameOf(value));
const typedName = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const TYPED = [
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
];
const KINDS = [
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Promise',
  'RegExp',
  'Date',
];
const BOXED = ['Number', 'String', 'Boolean', 'Symbol', 'BigInt'];
const is = (name) => `is${name}`;

module.exports = {
  ...Object.fromEntries(KINDS.map((name) => [is(name), named(name)])),
  ...Object.fromEntries(TYPED.map((name) => [is(name), (value) => typedName.call(value) === name])),
  ...Object.fromEntries(BOXED.map((name) => [`is${name}Object`, named(name)])),
  isBoxedPrimitive: named(...BOXED),
  isAnyArrayBuffer: named('ArrayBuffer', 'SharedArrayBuffer'),
  isArrayBufferView: ArrayBuffer.isView,
  isTypedArray: (value) => typedName.call(value) !== undefined,
  isNativeError: (value) => Error.isError?.(value) ?? value instanceof Error,
  isArgumentsObject: named('Arguments'),
  isMapIterator: named('Map Iterator'),
  isSetIterator: named('Set Iterator'),
  isGeneratorObject: named('Generator', 'AsyncGenerator'),
  isModuleNamespaceObject: named('Module'),
  isAsyncFunction: (value) => typeof value === 'function' && /^Async/.test(nameOf(value)),
  isGeneratorFunction: (value) => typeof value === 'function' && /GeneratorFunction$/.test(nameOf(value)),
  isProxy: () => false,
  isExternal: () => false,
  isKeyObject: (value) => value?.constructor?.name === 'KeyObject',
  isCryptoKey: named('CryptoKey'),
};
