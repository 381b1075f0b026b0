/**
 * How values cross between JavaScript, JSON and databases.
 *
 * Out: integers beyond 2^53 are decimal strings, decimals are strings, dates are ISO text, bytes are
 * `{ $base64: '…' }`, NaN and the infinities are their names. In: the same, and BigInt, Date and Uint8Array as they are.
 */

import { SqlError, ValidationError } from '../errors.js';

/** The key that marks bytes in JSON. */
export const BASE64 = '$base64';

/**
 * @param {unknown} value
 * @returns {value is { $base64: string }}
 */
function isTaggedBytes(value) {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === BASE64 && typeof (/** @type {any} */ (value)[BASE64]) === 'string';
}

/**
 * A parameter as a driver gets it: null, boolean, number, bigint, string, Buffer, array or plain object.
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
export function toParameter(value, name) {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw refusal(name, `is ${value}, which a database column cannot hold portably. Pass null`);
    case 'function':
    case 'symbol':
      throw refusal(name, `is a ${typeof value}. Pass plain data`);
    case 'object':
      return value === null ? null : toObjectParameter(value, name);
    default:
      return value;
  }
}

/**
 * @param {object} value
 * @param {string} name
 */
function toObjectParameter(value, name) {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw refusal(name, 'is an invalid date. Pass a valid one, or null');
    return value.toISOString();
  }
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (isTaggedBytes(value)) return Buffer.from(value[BASE64], 'base64');
  return value;
}

/**
 * A value of a row as plain JSON data, by what the driver made of it.
 * @param {unknown} value
 * @returns {unknown}
 */
export function fromDriver(value) {
  switch (typeof value) {
    case 'bigint':
      return fromInteger(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : fromDriverObject(value);
    default:
      return value;
  }
}

/** @param {object} value */
function fromDriverObject(value) {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof ArrayBuffer) return tagBytes(Buffer.from(value));
  if (ArrayBuffer.isView(value)) return tagBytes(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  if (Array.isArray(value)) return value.map(fromDriver);
  // Decimal classes of drivers: exact as text, lossy as numbers.
  if ('toFixed' in value && typeof value.toFixed === 'function') return String(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return fromDriver(value.toJSON());
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fromDriver(item)]));
}

/** @param {bigint} value */
export function fromInteger(value) {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value.toString();
}

/** @param {Buffer} bytes */
export function tagBytes(bytes) {
  return { [BASE64]: bytes.toString('base64') };
}

/**
 * The JSON text of rows, within the limits.
 * @param {unknown[]} rows plain data already
 * @param {{ maxRows: number, maxBytes: number }} limits
 */
export function rowsText(rows, { maxRows, maxBytes }) {
  if (rows.length > maxRows) throw tooManyRows(maxRows);
  const text = JSON.stringify(rows);
  if (Buffer.byteLength(text) > maxBytes) throw tooManyBytes(maxBytes);
  return text;
}

/** @param {number} limit */
export function tooManyRows(limit) {
  return new SqlError(
    `The statement returns more than ${limit} rows (maxRows). Aggregate, filter, or page with LIMIT and OFFSET.`,
    { details: { reason: 'maxRows' } },
  );
}

/** @param {number} limit */
export function tooManyBytes(limit) {
  return new SqlError(`The rows are more than ${limit} bytes of JSON (maxBytes). Select fewer columns or rows.`, {
    details: { reason: 'maxBytes' },
  });
}

/**
 * @param {string} name
 * @param {string} reason
 */
function refusal(name, reason) {
  return new ValidationError(`${name} ${reason}.`, { details: { field: name } });
}
