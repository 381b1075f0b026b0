/** Deep equality by the rules of `node:assert`: `assert.deepStrictEqual` and `assert.deepEqual`. */

const types = require('tgp:util/types');

const isObject = (value) => typeof value === 'object' && value !== null;
const tagOf = (value) => Object.prototype.toString.call(value);
const BOXED = ['Number', 'String', 'Boolean', 'BigInt', 'Symbol'];
const INDEX = /^(?:0|[1-9]\d*)$/;

/** The enumerable keys; with symbols for strict equality. */
function keysOf(value, isStrict, isList) {
  const keys = Object.keys(value).filter((key) => !(isList && INDEX.test(key)));
  if (!isStrict) return keys;
  const symbols = Object.getOwnPropertySymbols(value);
  return [...keys, ...symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(value, key))];
}

/** @param {boolean} isStrict */
function comparison(isStrict) {
  // biome-ignore lint/suspicious/noDoubleEquals: the legacy API requires it
  const samePrimitive = isStrict ? Object.is : (a, b) => a == b || (Number.isNaN(a) && Number.isNaN(b));

  /** @param {Map<object, object>} open the pairs that are being compared, by the first */
  function equal(a, b, open) {
    if (a === b) return a !== 0 || !isStrict || Object.is(a, b);
    if (!isObject(a) || !isObject(b)) {
      if (typeof a === 'function' || typeof b === 'function') return false;
      return isObject(a) || isObject(b) ? false : samePrimitive(a, b);
    }
    if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (tagOf(a) !== tagOf(b)) return false;
    if (open.get(a) === b) return true;
    const before = open.get(a);
    open.set(a, b);
    const isEqual = sameContent(a, b, open);
    if (before === undefined) open.delete(a);
    else open.set(a, before);
    return isEqual;
  }

  function sameContent(a, b, open) {
    if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
      for (let i = 0; i < a.length; i++) {
        if (isStrict && Object.hasOwn(a, i) !== Object.hasOwn(b, i)) return false;
        if (!equal(a[i], b[i], open)) return false;
      }
      return sameMembers(a, b, open, true);
    }
    const kind = types.kindOf(a);
    if (kind !== types.kindOf(b)) return false;
    switch (kind) {
      case 'Date':
        if (!Object.is(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b))) return false;
        break;
      case 'RegExp':
        if (a.source !== b.source || a.flags !== b.flags || a.lastIndex !== b.lastIndex) return false;
        break;
      case 'Error':
        if (a.message !== b.message || a.name !== b.name) return false;
        for (const key of ['cause', 'errors']) {
          if (Object.hasOwn(a, key) !== Object.hasOwn(b, key) || !equal(a[key], b[key], open)) return false;
        }
        break;
      case 'TypedArray':
        return sameNumbers(a, b) && sameMembers(a, b, open, true);
      case 'ArrayBuffer':
        if (!sameNumbers(new Uint8Array(a), new Uint8Array(b))) return false;
        break;
      case 'DataView':
        if (!sameNumbers(bytesOf(a), bytesOf(b))) return false;
        break;
      case 'Set':
        return sameSets(a, b, open) && sameMembers(a, b, open, false);
      case 'Map':
        return sameMaps(a, b, open) && sameMembers(a, b, open, false);
      case 'WeakMap':
      case 'WeakSet':
      case 'Promise':
        return false;
      default:
        if (BOXED.includes(kind) && !Object.is(a.valueOf(), b.valueOf())) return false;
        if (a instanceof URL && (!(b instanceof URL) || a.href !== b.href)) return false;
    }
    return sameMembers(a, b, open, kind === 'String');
  }

  const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const sameNumbers = (a, b) =>
    a.length === b.length && a.every((number, i) => (isStrict ? Object.is(number, b[i]) : number === b[i]));

  function sameMembers(a, b, open, isList) {
    const keys = keysOf(a, isStrict, isList);
    if (keys.length !== keysOf(b, isStrict, isList).length) return false;
    return keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && equal(a[key], b[key], open));
  }

  /** The items of `b` that equal none of `a` are searched once for each item that `b` does not have. */
  function sameSets(a, b, open) {
    if (a.size !== b.size) return false;
    const missing = [...a].filter((item) => !b.has(item));
    if (missing.length === 0) return true;
    if (isStrict && missing.some((item) => !isObject(item))) return false;
    const left = [...b].filter((item) => !a.has(item));
    return missing.every((item) => takeFirst(left, (other) => equal(item, other, open)));
  }
  function sameMaps(a, b, open) {
    if (a.size !== b.size) return false;
    const missing = [];
    for (const [key, item] of a) {
      if (isObject(key) || !b.has(key)) missing.push([key, item]);
      else if (!equal(item, b.get(key), open)) {
        if (isStrict) return false;
        missing.push([key, item]);
      }
    }
    if (isStrict && missing.some(([key]) => !isObject(key))) return false;
    const left = [...b].filter(([key]) => isObject(key) || !a.has(key) || !isStrict);
    return missing.every(([key, item]) =>
      takeFirst(left, ([otherKey, other]) => equal(key, otherKey, open) && equal(item, other, open)),
    );
  }
  function takeFirst(items, test) {
    const at = items.findIndex(test);
    if (at < 0) return false;
    items.splice(at, 1);
    return true;
  }

  return (a, b) => equal(a, b, new Map());
}

module.exports = { isDeepStrictEqual: comparison(true), isDeepEqual: comparison(false) };
