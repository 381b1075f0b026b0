/** Arguments that a model has sent as JSON text where a value was wanted: `"{\"a\":1}"` for `{ a: 1 }`, `"5"` for 5. */

import { BadJson, parseForeignJson } from '../boundary/foreign_json.js';

/** @typedef {Record<string, any>} JsonSchema */

/** Longest text that is taken for a value. */
const MAX_CHARS = 4 << 20;

/**
 * The arguments with such texts read. What the schema wants as a text, or does not speak of, stays as it is.
 * @param {JsonSchema} schema of an object
 * @param {unknown} args
 * @returns {unknown}
 */
export function unquoted(schema, args) {
  const given = readAs(['object'], args);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return args;
  const entries = entriesOf(given);
  if (entries === undefined) return args;
  const read = entries.map(([key, value]) => {
    const part = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties[key] : undefined;
    return [key, readAs(wantedTypes(part), value)];
  });
  const isChanged = given !== args || read.some(([, value], at) => value !== entries[at]?.[1]);
  return isChanged ? Object.fromEntries(read) : args;
}

/**
 * Nothing where a getter or a proxy fails: what cannot be read is refused by the schema.
 * @param {object} given
 */
function entriesOf(given) {
  try {
    return Object.entries(given);
  } catch {
    return undefined;
  }
}

/**
 * The types of JSON that a schema takes; none when it may take a text.
 * @param {JsonSchema | undefined} schema
 * @returns {string[]}
 */
function wantedTypes(schema) {
  const parts = Array.isArray(schema?.anyOf) ? schema.anyOf : [schema];
  const types = parts.map((part) => part?.type);
  return types.every((type) => typeof type === 'string' && type !== 'string') ? types : [];
}

/**
 * @param {string[]} types
 * @param {unknown} value
 * @returns {unknown} the value that the text stands for, if it is one of these types
 */
function readAs(types, value) {
  if (typeof value !== 'string' || types.length === 0 || value.length > MAX_CHARS) return value;
  try {
    const read = parseForeignJson(value);
    return types.includes(typeOfJson(read)) || (types.includes('integer') && Number.isInteger(read)) ? read : value;
  } catch (error) {
    if (error instanceof BadJson) return value;
    throw error;
  }
}

/** @param {unknown} value */
function typeOfJson(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
