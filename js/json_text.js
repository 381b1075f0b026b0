import { ValidationError } from './errors.js';

/** Deeper than any honest argument; keeps the walk far from the end of the stack. */
const MAX_DEPTH = 500;

/** A value that is JSON text already, so that large answers are not read and written again. */
export class JsonText {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * The JSON text of a value that goes into the sandbox. Dates become ISO strings, BigInts decimal strings, Maps plain
 * objects and Sets arrays; what JSON cannot hold is refused by its path.
 * @param {unknown} value
 * @param {string} name what the caller calls the value; the path in messages starts with it
 * @returns {string}
 */
export function toJsonText(value, name) {
  if (value instanceof JsonText) return value.text;
  return JSON.stringify(convert(value, name, [])) ?? 'null';
}

/**
 * @param {unknown} value
 * @param {string} path
 * @param {object[]} ancestors
 * @returns {unknown}
 */
function convert(value, path, ancestors) {
  switch (typeof value) {
    case 'bigint':
      return value.toString();
    case 'function':
    case 'symbol':
      throw refusal(path, `is a ${typeof value}, which JSON cannot hold`);
    case 'object':
      return value === null ? null : convertObject(value, path, ancestors);
    default:
      return value;
  }
}

/**
 * @param {object} value
 * @param {string} path
 * @param {object[]} ancestors
 */
function convertObject(value, path, ancestors) {
  if (ancestors.includes(value)) throw refusal(path, 'refers back to an object that contains it');
  if (ancestors.length >= MAX_DEPTH) throw refusal(path, `is nested deeper than ${MAX_DEPTH} levels`);
  const inside = [...ancestors, value];
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw refusal(path, 'is an invalid date');
    return value.toISOString();
  }
  if (value instanceof Map) {
    return convertEntries(
      [...value].map(([key, item]) => [mapKey(key, path), item]),
      path,
      inside,
    );
  }
  if (value instanceof Set) return [...value].map((item, index) => convert(item, `${path}[${index}]`, inside));
  if (Array.isArray(value)) return Array.from(value, (item, index) => convert(item, `${path}[${index}]`, inside));
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), path, inside);
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
  return convertEntries(Object.entries(value), path, inside);
}

/**
 * @param {[string, unknown][]} entries
 * @param {string} path
 * @param {object[]} ancestors
 */
function convertEntries(entries, path, ancestors) {
  // Without a prototype, so that a key named `__proto__` is a key like any other.
  const plain = Object.create(null);
  for (const [key, item] of entries) plain[key] = convert(item, memberPath(path, key), ancestors);
  return plain;
}

/**
 * @param {unknown} key
 * @param {string} path
 */
function mapKey(key, path) {
  if (typeof key === 'object' || typeof key === 'function' || typeof key === 'symbol') {
    throw refusal(path, 'is a Map with a key that is not text or a number');
  }
  return String(key);
}

/**
 * @param {string} path
 * @param {string} key
 */
function memberPath(path, key) {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

/**
 * @param {string} path
 * @param {string} reason
 */
function refusal(path, reason) {
  return new ValidationError(`"${path}" ${reason}. Pass plain data only.`, { details: { field: path } });
}
