/** Serialises values for the sandbox as JSON text, within limits. */

import { types } from 'node:util';
import { TGPError, ValidationError } from './errors.js';
import { MAX_JSON_DEPTH } from './foreign_json.js';
import { isPlain } from './plain_value.js';

/** The largest length that any limit allows. */
export const MAX_JSON_CHARS = 64 << 20;
/** Maximum number of values: generated structures may be infinite. */
const MAX_VALUES = 2_000_000;
/** Members joined at a time: concatenating single members would keep all pieces in memory. */
const JOINED = 4_096;
/** Characters escaped at a time: an escape takes six characters. */
const ESCAPED = 1 << 20;

/** Maximum size for the fast path with `JSON.stringify`; with escapes the text may be six times as long. */
const MAX_PLAIN_CHARS = 2 * MAX_VALUES;

/** Maximum length of a path in a message. */
const MAX_PATH_CHARS = 200;

/** A value that is already JSON text, so that large answers are not parsed and serialised again. */
export class JsonText {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * @typedef {object} Options
 * @property {number} [maxChars]
 * @property {'refused' | 'null'} [nonFiniteNumbers] how NaN and infinities are handled
 */

/**
 * The JSON text of a value for the sandbox. Dates become ISO strings, BigInts decimal strings, Maps plain objects, Sets and typed
 * arrays arrays, errors `{ $error }`, bytes `{ $base64 }` and patterns `{ $regexp }`, as in the sandbox's results; undefined members
 * are omitted. Values that JSON cannot represent, and infinite ones, are refused with their path.
 * @param {unknown} value
 * @param {string} name of the value; the path in messages starts with it
 * @param {Options} [options]
 * @returns {string}
 */
export function toJsonText(value, name, options = {}) {
  try {
    if (value instanceof JsonText) return value.text;
    const { maxChars = MAX_JSON_CHARS } = options;
    if (isPlain(value, Math.min(maxChars, MAX_PLAIN_CHARS))) {
      const text = JSON.stringify(value);
      if (text.length <= maxChars) return text;
    }
    return new Writer(name, options).write(value) ?? 'null';
  } catch (cause) {
    if (cause instanceof TGPError) throw cause;
    // Getters, proxies and `toJSON` are code, and code can fail.
    throw new ValidationError(`"${name}" could not be read. Pass plain data only.`, {
      cause,
      details: { field: name },
    });
  }
}

/** Writes one value up to a maximum length: a generated value may be infinite. */
class Writer {
  #name;
  #maxChars;
  #nonFiniteNumbers;
  #left;
  #values = 0;
  /** Path of the current value. @type {(string | number)[]} */
  #path = [];
  /** Enclosing objects of the current value, outermost first. @type {object[]} */
  #ancestors = [];

  /**
   * @param {string} name
   * @param {Options} options
   */
  constructor(name, { maxChars = MAX_JSON_CHARS, nonFiniteNumbers = 'refused' }) {
    this.#name = name;
    this.#maxChars = maxChars;
    this.#nonFiniteNumbers = nonFiniteNumbers;
    this.#left = maxChars;
  }

  /**
   * @param {unknown} value
   * @returns {string | undefined} undefined for omitted values
   */
  write(value) {
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw this.#refusal(`holds more than ${MAX_VALUES} values`, this.#name);
    switch (typeof value) {
      case 'string':
        return this.#quoted(value);
      case 'bigint':
        return this.#spent(`"${value}"`);
      case 'function':
      case 'symbol':
        throw this.#refusal(`is a ${typeof value}, which JSON cannot hold`);
      case 'number':
        if (!Number.isFinite(value) && this.#nonFiniteNumbers === 'refused') {
          throw this.#refusal(`is ${value}, which JSON cannot hold`);
        }
        return this.#spent(JSON.stringify(value));
      case 'undefined':
        return undefined;
      case 'object':
        return value === null ? this.#spent('null') : this.#writeObject(value);
      default:
        return this.#spent(JSON.stringify(value));
    }
  }

  /**
   * A string as JSON, escaped in pieces so that the limit applies before the whole is built.
   * @param {string} value
   */
  #quoted(value) {
    if (value.length <= ESCAPED) return this.#spent(JSON.stringify(value));
    let text = '"';
    for (let from = 0; from < value.length; ) {
      let to = Math.min(from + ESCAPED, value.length);
      // Does not split a surrogate pair.
      if (isHighHalf(value.charCodeAt(to - 1)) && to < value.length) to += 1;
      text += this.#spent(JSON.stringify(value.slice(from, to)).slice(1, -1));
      from = to;
    }
    return `${text}"`;
  }

  /**
   * @param {object} value
   * @returns {string | undefined}
   */
  #writeObject(value) {
    if (this.#ancestors.includes(value)) throw this.#refusal('refers back to an object that contains it');
    if (this.#ancestors.length >= MAX_JSON_DEPTH) {
      throw this.#refusal(`is nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    this.#ancestors.push(value);
    const text = this.#writeInside(value);
    this.#ancestors.pop();
    return text;
  }

  /** @param {object} value */
  #writeInside(value) {
    if (value instanceof Date) {
      if (Number.isNaN(value.getTime())) throw this.#refusal('is an invalid date');
      return JSON.stringify(value.toISOString());
    }
    if (value instanceof Map) return this.#writeMembers(this.#mapEntries(value));
    if (value instanceof Set || Array.isArray(value)) return this.#writeItems(value);
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.write(value.toJSON());
    if (value instanceof Number || value instanceof String || value instanceof Boolean) {
      return this.write(value.valueOf());
    }
    if (types.isNativeError(value)) return this.#writeMembers([['$error', errorMembers(value)]]);
    if (types.isRegExp(value)) return this.#writeMembers([['$regexp', String(value)]]);
    if (types.isAnyArrayBuffer(value) || ArrayBuffer.isView(value)) return this.#writeBytes(value);
    const what = unwritable(value);
    if (what !== undefined) throw this.#refusal(`is ${what}`);
    return this.#writeMembers(objectEntries(value));
  }

  /** @param {ArrayBufferLike | ArrayBufferView} value */
  #writeBytes(value) {
    if (types.isTypedArray(value) && !types.isUint8Array(value) && !types.isUint8ClampedArray(value)) {
      return this.#writeItems(/** @type {Iterable<number>} */ (/** @type {unknown} */ (value)));
    }
    // Checked before copying: base64 takes four characters for three bytes.
    if ((value.byteLength / 3) * 4 > this.#left) this.#spend(this.#left + 1);
    const bytes = ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : Buffer.from(value);
    return this.#writeMembers([['$base64', bytes.toString('base64')]]);
  }

  /** @param {Iterable<unknown>} items */
  #writeItems(items) {
    const text = new List('[', ']');
    let index = 0;
    for (const item of items) {
      this.#path.push(index);
      this.#spend(1);
      text.add(this.write(item) ?? 'null');
      this.#path.pop();
      index += 1;
    }
    return text.end();
  }

  /** @param {Iterable<[string, unknown]>} entries */
  #writeMembers(entries) {
    const text = new List('{', '}');
    for (const [key, item] of entries) {
      this.#path.push(key);
      this.#spend(2);
      const name = this.#quoted(key);
      const written = this.write(item);
      if (written !== undefined) text.add(`${name}:${written}`);
      this.#path.pop();
    }
    return text.end();
  }

  /**
   * @param {Map<unknown, unknown>} map
   * @returns {Iterable<[string, unknown]>}
   */
  *#mapEntries(map) {
    const names = new Set();
    for (const [key, item] of map) {
      if (typeof key === 'object' || typeof key === 'function' || typeof key === 'symbol') {
        throw this.#refusal('is a Map with a key that is not text or a number');
      }
      const name = String(key);
      if (names.has(name)) throw this.#refusal(`is a Map with two keys that are written ${JSON.stringify(name)}`);
      names.add(name);
      yield [name, item];
    }
  }

  /** @param {string} text */
  #spent(text) {
    this.#spend(text.length);
    return text;
  }

  /** @param {number} chars */
  #spend(chars) {
    this.#left -= chars;
    if (this.#left < 0) throw this.#refusal(`is larger than ${this.#maxChars} characters as JSON`, this.#name);
  }

  #where() {
    let path = this.#name;
    for (const key of this.#path) path = memberPath(path, key);
    return path;
  }

  /**
   * @param {string} reason
   * @param {string} [where]
   */
  #refusal(reason, where = this.#where()) {
    const path = where.length > MAX_PATH_CHARS ? `${where.slice(0, MAX_PATH_CHARS)}…` : where;
    return new ValidationError(`"${path}" ${reason}. Pass plain data only.`, { details: { field: path } });
  }
}

/** Joins members with commas. */
class List {
  #text;
  #close;
  /** @type {string[]} */
  #members = [];
  #isEmpty = true;

  /**
   * @param {string} open
   * @param {string} close
   */
  constructor(open, close) {
    this.#text = open;
    this.#close = close;
  }

  /** @param {string} member */
  add(member) {
    if (this.#members.push(member) >= JOINED) this.#join();
  }

  end() {
    this.#join();
    return this.#text + this.#close;
  }

  #join() {
    if (this.#members.length === 0) return;
    this.#text += `${this.#isEmpty ? '' : ','}${this.#members.join(',')}`;
    this.#isEmpty = false;
    this.#members = [];
  }
}

/** @param {number} code */
function isHighHalf(code) {
  return code >= 0xd800 && code <= 0xdbff;
}

/**
 * The members of an error: name, message, cause, and own properties.
 * @param {Error} error
 */
function errorMembers(error) {
  const { name, message, cause } = error;
  const { errors } = /** @type {{ errors?: unknown }} */ (error);
  const { stack: _stack, ...own } = /** @type {Record<string, unknown>} */ ({ ...error });
  return { name, message, ...own, ...(cause !== undefined && { cause }), ...(errors !== undefined && { errors }) };
}

/** Advice for objects that JSON would serialise as `{}`. */
const ADVICE = /** @type {Record<string, string>} */ ({
  Promise: 'a promise: await it first',
  Generator: 'a generator: collect what it yields into an array first',
  AsyncGenerator: 'a generator: collect what it yields into an array first',
  Response: 'a Response: take its body first (await response.json(), .text() or .arrayBuffer())',
});

/**
 * Describes an object that JSON would serialise as `{}`; undefined for all others.
 * @param {object} value
 * @returns {string | undefined}
 */
function unwritable(value) {
  const tag = /** @type {any} */ (value)[Symbol.toStringTag];
  if (types.isPromise(value)) return ADVICE.Promise;
  const prototype = Object.getPrototypeOf(value);
  if (typeof tag !== 'string' || prototype === null || Object.keys(value).length > 0) return undefined;
  return Object.hasOwn(ADVICE, tag) ? ADVICE[tag] : `an object of the class ${tag}, which JSON cannot represent`;
}

/**
 * @param {object} value
 * @returns {Iterable<[string, unknown]>}
 */
function* objectEntries(value) {
  for (const key of Object.keys(value)) yield [key, /** @type {any} */ (value)[key]];
}

/**
 * @param {string} path
 * @param {string | number} key
 * @returns {string}
 */
function memberPath(path, key) {
  if (typeof key === 'number') return `${path}[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
