import { types } from 'node:util';
import { TGPError, ValidationError } from './errors.js';
import { MAX_JSON_DEPTH } from './foreign_json.js';

/** Longest text that any limit lets through. */
export const MAX_JSON_CHARS = 64 << 20;
/** Most values in one: what is made up while it is read has no end, and each costs time. */
const MAX_VALUES = 2_000_000;
/** Members that are joined at once: a text that grows by single members keeps all its pieces. */
const JOINED = 4_096;
/** Characters that are escaped at once: an escaped one is six. */
const ESCAPED = 1 << 20;

/** Characters that `JSON.stringify` writes at once, with escapes up to six times as many. */
const MAX_PLAIN_CHARS = 2 * MAX_VALUES;

/** How much of a path is told. */
const MAX_PATH_CHARS = 200;

/** A value that is JSON text already, so that large answers are not read and written again. */
export class JsonText {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * @typedef {object} Options
 * @property {number} [maxChars]
 * @property {'refused' | 'null'} [unheldNumbers] what becomes of NaN and the infinities
 */

/**
 * The JSON text of a value that goes into the sandbox. Dates become ISO strings, BigInts decimal strings, Maps plain
 * objects, Sets and typed arrays arrays, errors `{ $error }`, bytes `{ $base64 }` and patterns `{ $regexp }`, as in what
 * comes out of it; members that are undefined are left out. What JSON cannot hold is refused by its path, and so is what
 * has no end.
 * @param {unknown} value
 * @param {string} name what the caller calls the value; the path in messages starts with it
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

/**
 * Whether `JSON.stringify` writes a value just as `Writer` does: it holds nothing but strings, finite numbers, booleans,
 * null and objects and arrays without a class or `toJSON`, few enough of them to be written at once.
 * @param {unknown} value
 * @param {number} maxChars
 */
function isPlain(value, maxChars) {
  let left = maxChars;
  /** @type {(value: unknown, depth: number) => boolean} */
  const holds = (value, depth) => {
    // The shortest has one character, and one between it and the next.
    left -= typeof value === 'string' ? value.length + 2 : 2;
    if (left < 0) return false;
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return true;
      case 'number':
        return Number.isFinite(value);
      case 'undefined':
        return depth > 0;
      case 'object':
        return value === null || (depth < MAX_JSON_DEPTH && holdsPlain(value, depth + 1));
      default:
        return false;
    }
  };
  /** @type {(value: object, depth: number) => boolean} */
  const holdsPlain = (value, depth) => {
    // What a proxy answers may differ from one question to the next.
    if (types.isProxy(value) || 'toJSON' in value) return false;
    const prototype = Object.getPrototypeOf(value);
    if (Array.isArray(value) && prototype === Array.prototype) {
      for (let index = 0; index < value.length; index++) if (!holds(value[index], depth)) return false;
      return true;
    }
    if (prototype !== Object.prototype) return false;
    const keys = Object.keys(value);
    if (keys.length === 0) return !(Symbol.toStringTag in value);
    for (const key of keys) {
      left -= key.length;
      if (!holds(/** @type {any} */ (value)[key], depth)) return false;
    }
    return true;
  };
  return holds(value, 0);
}

/** Writes one value, and no more of it than there is room for: a value can be made that has no end. */
class Writer {
  #name;
  #maxChars;
  #unheldNumbers;
  #left;
  #values = 0;
  /** Where the walk is. @type {(string | number)[]} */
  #path = [];
  /** What is being written, from the outside in. @type {object[]} */
  #ancestors = [];

  /**
   * @param {string} name
   * @param {Options} options
   */
  constructor(name, { maxChars = MAX_JSON_CHARS, unheldNumbers = 'refused' }) {
    this.#name = name;
    this.#maxChars = maxChars;
    this.#unheldNumbers = unheldNumbers;
    this.#left = maxChars;
  }

  /**
   * @param {unknown} value
   * @returns {string | undefined} undefined for what JSON leaves out
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
        if (!Number.isFinite(value) && this.#unheldNumbers === 'refused') {
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
   * A string as JSON, escaped in pieces so that one which does not fit is never whole.
   * @param {string} value
   */
  #quoted(value) {
    if (value.length <= ESCAPED) return this.#spent(JSON.stringify(value));
    let text = '"';
    for (let from = 0; from < value.length; ) {
      let to = Math.min(from + ESCAPED, value.length);
      // Two halves of one character are told from a lone half only together.
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
    // Looked at before anything is copied: base64 takes four characters for three bytes.
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

/** The text of members with commas between them. */
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
 * What an error says, and what was put on it.
 * @param {Error} error
 */
function errorMembers(error) {
  const { name, message, cause } = error;
  const { errors } = /** @type {{ errors?: unknown }} */ (error);
  const { stack: _stack, ...own } = /** @type {Record<string, unknown>} */ ({ ...error });
  return { name, message, ...own, ...(cause !== undefined && { cause }), ...(errors !== undefined && { errors }) };
}

/** How values are had of which JSON would keep nothing. */
const ADVICE = /** @type {Record<string, string>} */ ({
  Promise: 'a promise: await it first',
  Generator: 'a generator: collect what it yields into an array first',
  AsyncGenerator: 'a generator: collect what it yields into an array first',
  Response: 'a Response: take its body first (await response.json(), .text() or .arrayBuffer())',
});

/**
 * What an object is of which JSON would keep nothing; undefined for all others.
 * @param {object} value
 * @returns {string | undefined}
 */
function unwritable(value) {
  const tag = /** @type {any} */ (value)[Symbol.toStringTag];
  if (types.isPromise(value)) return ADVICE.Promise;
  const prototype = Object.getPrototypeOf(value);
  if (typeof tag !== 'string' || prototype === null || Object.keys(value).length > 0) return undefined;
  return Object.hasOwn(ADVICE, tag) ? ADVICE[tag] : `an object of the class ${tag}, of which JSON keeps nothing`;
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
