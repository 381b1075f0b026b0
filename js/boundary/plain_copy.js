import { types } from 'node:util';
import { MAX_JSON_DEPTH } from './foreign_json.js';

export const NOT_PLAIN = Symbol('not plain');

/**
 * A value of which `JSON.stringify` writes what `toJsonText` promises: it holds nothing but strings, finite numbers, booleans, null and
 * objects and arrays without a class or `toJSON`, few enough of them to be written at once. A copy, so that a getter is read once:
 * what it answers the second time was not looked at.
 * @param {unknown} value
 * @param {number} maxChars
 * @returns {unknown} or {@link NOT_PLAIN}
 */
export function plainCopy(value, maxChars) {
  let left = maxChars;
  /** @type {(value: unknown, depth: number) => unknown} */
  const copyOf = (value, depth) => {
    // The shortest has one character, and one between it and the next.
    left -= typeof value === 'string' ? value.length + 2 : 2;
    if (left < 0) return NOT_PLAIN;
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : NOT_PLAIN;
      case 'undefined':
        return depth > 0 ? value : NOT_PLAIN;
      case 'object':
        if (value === null) return value;
        return depth < MAX_JSON_DEPTH ? copyInside(value, depth + 1) : NOT_PLAIN;
      default:
        return NOT_PLAIN;
    }
  };
  /** @type {(value: object, depth: number) => unknown} */
  const copyInside = (value, depth) => {
    // What a proxy answers may differ from one question to the next.
    if (types.isProxy(value) || 'toJSON' in value) return NOT_PLAIN;
    const prototype = Object.getPrototypeOf(value);
    if (Array.isArray(value) && prototype === Array.prototype) {
      const items = [];
      for (let index = 0; index < value.length; index++) {
        const item = copyOf(value[index], depth);
        if (item === NOT_PLAIN) return NOT_PLAIN;
        items.push(item);
      }
      return items;
    }
    if (prototype !== Object.prototype) return NOT_PLAIN;
    /** @type {Record<string, unknown>} */
    const copy = { ...value };
    const keys = Object.keys(copy);
    if (keys.length === 0) return Symbol.toStringTag in value ? NOT_PLAIN : copy;
    for (const key of keys) {
      left -= key.length;
      const member = copy[key];
      const copied = copyOf(member, depth);
      if (copied === NOT_PLAIN) return NOT_PLAIN;
      if (copied !== member) copy[key] = copied;
    }
    return copy;
  };
  return copyOf(value, 0);
}
