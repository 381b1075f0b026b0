/** Recognises values that `JSON.stringify` may serialise. */

import { types } from 'node:util';
import { MAX_JSON_DEPTH } from './foreign_json.js';

/**
 * Whether `JSON.stringify` gives the same text as `toJsonText`: only strings, finite numbers, booleans, null, and plain objects and
 * arrays without `toJSON`, up to a size limit.
 */
export function isPlain(value: unknown, maxChars: number) {
  return new PlainCheck(maxChars).holds(value, 0);
}

/** One check of a value, which may have many members: written for speed. */
class PlainCheck {
  #left;

  constructor(maxChars: number) {
    this.#left = maxChars;
  }

  holds(value: unknown, depth: number): boolean {
    // The shortest value has one character and a separator.
    this.#left -= typeof value === 'string' ? value.length + 2 : 2;
    if (this.#left < 0) return false;
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return true;
      case 'number':
        return Number.isFinite(value);
      case 'undefined':
        return depth > 0;
      case 'object':
        return value === null || (depth < MAX_JSON_DEPTH && this.#holdsPlain(value, depth + 1));
      default:
        return false;
    }
  }

  #holdsPlain(value: object, depth: number) {
    // A proxy may answer differently each time.
    if (types.isProxy(value) || 'toJSON' in value) return false;
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Object.prototype) return this.#holdsMembers(value, depth);
    if (prototype !== Array.prototype || !Array.isArray(value)) return false;
    for (let index = 0; index < value.length; index++) if (!this.holds(value[index], depth)) return false;
    return true;
  }

  #holdsMembers(value: object, depth: number) {
    let isEmpty = true;
    // Faster than `Object.keys`; a member that `Object.prototype` was given is checked too, and does no harm.
    for (const key in value) {
      isEmpty = false;
      this.#left -= key.length;
      if (!this.holds((value as Record<string, unknown>)[key], depth)) return false;
    }
    return !isEmpty || !(Symbol.toStringTag in value);
  }
}
