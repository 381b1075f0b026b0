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
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Options = {
  maxChars?: number;
  /** How NaN and infinities are handled. */
  nonFiniteNumbers?: 'refused' | 'null';
};

/**
 * The JSON text of a value for the sandbox. Dates become ISO strings, BigInts decimal strings, Maps plain objects, Sets and typed
 * arrays arrays, errors `{ $error }`, bytes `{ $base64 }` and patterns `{ $regexp }`, as in the sandbox's results; undefined
 * members are omitted. Values that JSON cannot represent, and infinite ones, are refused with their path.
 * @param name of the value; the path in messages starts with it
 */
export function toJsonText(value: unknown, name: string, options: Options = {}): string {
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
  /** Path of the current value. */
  #path: (string | number)[] = [];
  /** Enclosing objects of the current value, outermost first. */
  #ancestors: object[] = [];

  constructor(name: string, { maxChars = MAX_JSON_CHARS, nonFiniteNumbers = 'refused' }: Options) {
    this.#name = name;
    this.#maxChars = maxChars;
    this.#nonFiniteNumbers = nonFiniteNumbers;
    this.#left = maxChars;
  }

  /** @returns undefined for omitted values */
  write(value: unknown): string | undefined {
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

  /** A string as JSON, escaped in pieces so that the limit applies before the whole is built. */
  #quoted(value: string) {
    // A character takes at least one in JSON. Reading any would copy a text that was joined from parts.
    if (value.length > this.#left) this.#spend(value.length);
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

  #writeObject(value: object): string | undefined {
    if (this.#ancestors.includes(value)) throw this.#refusal('refers back to an object that contains it');
    if (this.#ancestors.length >= MAX_JSON_DEPTH) {
      throw this.#refusal(`is nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    this.#ancestors.push(value);
    const text = this.#writeInside(value);
    this.#ancestors.pop();
    return text;
  }

  #writeInside(value: object) {
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

  #writeBytes(value: ArrayBufferLike | ArrayBufferView) {
    if (types.isTypedArray(value) && !types.isUint8Array(value) && !types.isUint8ClampedArray(value)) {
      return this.#writeItems(value);
    }
    // Checked before copying: base64 takes four characters for three bytes.
    if ((value.byteLength / 3) * 4 > this.#left) this.#spend(this.#left + 1);
    const bytes = ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      : Buffer.from(value);
    return this.#writeMembers([['$base64', bytes.toString('base64')]]);
  }

  #writeItems(items: Iterable<unknown>) {
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

  #writeMembers(entries: Iterable<[string, unknown]>) {
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

  *#mapEntries(map: Map<unknown, unknown>): Iterable<[string, unknown]> {
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

  #spent(text: string) {
    this.#spend(text.length);
    return text;
  }

  #spend(chars: number) {
    this.#left -= chars;
    if (this.#left < 0) throw this.#refusal(`is larger than ${this.#maxChars} characters as JSON`, this.#name);
  }

  #where() {
    let path = this.#name;
    for (const key of this.#path) path = memberPath(path, key);
    return path;
  }

  #refusal(reason: string, where: string = this.#where()) {
    const path = where.length > MAX_PATH_CHARS ? `${where.slice(0, MAX_PATH_CHARS)}…` : where;
    return new ValidationError(`"${path}" ${reason}. Pass plain data only.`, { details: { field: path } });
  }
}

/** Joins members with commas. */
class List {
  #text;
  #close;
  #members: string[] = [];
  #isEmpty = true;

  constructor(open: string, close: string) {
    this.#text = open;
    this.#close = close;
  }

  add(member: string) {
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

function isHighHalf(code: number) {
  return code >= 0xd800 && code <= 0xdbff;
}

/** The members of an error: name, message, cause, and own properties. */
function errorMembers(error: Error) {
  const { name, message, cause } = error;
  const { errors } = error as { errors?: unknown };
  const { stack: _stack, ...own }: Record<string, unknown> = { ...error };
  return { name, message, ...own, ...(cause !== undefined && { cause }), ...(errors !== undefined && { errors }) };
}

/** Advice for objects that JSON would serialise as `{}`. */
const ADVICE: Record<string, string> = {
  Promise: 'a promise: await it first',
  Generator: 'a generator: collect what it yields into an array first',
  AsyncGenerator: 'a generator: collect what it yields into an array first',
  Response: 'a Response: take its body first (await response.json(), .text() or .arrayBuffer())',
};

/** Describes an object that JSON would serialise as `{}`; undefined for all others. */
function unwritable(value: { [Symbol.toStringTag]?: unknown }): string | undefined {
  const tag = value[Symbol.toStringTag];
  if (types.isPromise(value)) return ADVICE.Promise;
  const prototype = Object.getPrototypeOf(value);
  if (typeof tag !== 'string' || prototype === null || Object.keys(value).length > 0) return undefined;
  return Object.hasOwn(ADVICE, tag) ? ADVICE[tag] : `an object of the class ${tag}, which JSON cannot represent`;
}

function* objectEntries(value: object): Iterable<[string, unknown]> {
  for (const key of Object.keys(value)) yield [key, (value as Record<string, unknown>)[key]];
}

function memberPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

/** JSON of plain data that the native part parses: unpaired surrogates, which its parser refuses, are replaced. */
export const wellFormedJson = (value: object) =>
  JSON.stringify(value, (_, member) => (typeof member === 'string' ? member.toWellFormed() : member));
