/** Shim of `node:util/types`. The engine tells the classes of values. */

const engine = require('tgp:engine');

/** @returns {string | undefined} the class, such as `Map`, `TypedArray` or `AsyncFunction` */
const kindOf = (value) => engine('classes').kindOf(value);
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const isObject = (value) => typeof value === 'object' && value !== null;
const of =
  (...kinds) =>
  (value) =>
    kinds.includes(kindOf(value));
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
  'DataView',
  'Promise',
  'RegExp',
  'Date',
  'Proxy',
  'MapIterator',
  'SetIterator',
];
const BOXED = ['Number', 'String', 'Boolean', 'Symbol', 'BigInt'];

module.exports = {
  ...Object.fromEntries(KINDS.map((name) => [`is${name}`, of(name)])),
  ...Object.fromEntries(TYPED.map((name) => [`is${name}`, (value) => typedName.call(value) === name])),
  ...Object.fromEntries(BOXED.map((name) => [`is${name}Object`, of(name)])),
  isBoxedPrimitive: of(...BOXED),
  isAnyArrayBuffer: of('ArrayBuffer'),
  isSharedArrayBuffer: () => false,
  isArrayBufferView: ArrayBuffer.isView,
  isTypedArray: (value) => typedName.call(value) !== undefined,
  isNativeError: of('Error'),
  isArgumentsObject: of('Arguments'),
  isGeneratorObject: of('Generator'),
  isModuleNamespaceObject: (value) => isObject(value) && tagOf(value) === 'Module',
  isAsyncFunction: of('AsyncFunction', 'AsyncGeneratorFunction'),
  isGeneratorFunction: of('GeneratorFunction', 'AsyncGeneratorFunction'),
  isExternal: () => false,
  isKeyObject: (value) => value?.constructor?.name === 'KeyObject',
  isCryptoKey: (value) => isObject(value) && tagOf(value) === 'CryptoKey',
};
Object.defineProperty(module.exports, 'kindOf', { value: kindOf });
