/**
 * Converts SQL values between JavaScript, JSON and databases.
 *
 * Results: integers beyond 2^53 and decimals are strings, dates are ISO text, bytes are `{ $base64: '…' }`, NaN and infinities are
 * their names. Parameters: the same, and also BigInt, Date and Uint8Array.
 */

import { SqlError, ValidationError } from '../../boundary/errors.js';
import { MAX_DEPTH } from './json_scan.js';

/** The key that marks bytes in JSON. */
export const BASE64 = '$base64';

function isTaggedBytes(value: unknown): value is { $base64: string } {
  if (typeof value !== 'object' || value === null) return false;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === BASE64 && typeof (value as { [BASE64]?: unknown })[BASE64] === 'string';
}

/** Maximum total size of the parameters of a statement: drivers copy them several times. */
const MAX_PARAMETER_BYTES = 32 << 20;
/** Overhead per value. */
const VALUE_BYTES = 16;

/** @param values as drivers get them */
export function checkWeight(values: unknown[]) {
  let bytes = 0;
  const open = [...values];
  while (open.length > 0) {
    const value = open.pop();
    bytes += VALUE_BYTES;
    if (typeof value === 'string' || Buffer.isBuffer(value)) bytes += value.length;
    else if (Array.isArray(value)) {
      bytes += VALUE_BYTES * value.length;
      if (bytes <= MAX_PARAMETER_BYTES) for (const item of value) open.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) open.push(key, item);
    }
    if (bytes > MAX_PARAMETER_BYTES) {
      throw refusal('params', `hold more than ${MAX_PARAMETER_BYTES} bytes. Write them with several statements`);
    }
  }
}

/** A parameter for a driver: null, boolean, number, bigint, string, Buffer, array or plain object. */
export function toParameter(value: unknown, name: string): unknown {
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

function toObjectParameter(value: object, name: string) {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw refusal(name, 'is an invalid date. Pass a valid one, or null');
    return value.toISOString();
  }
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (isTaggedBytes(value)) return Buffer.from(value[BASE64], 'base64');
  if (isDeeper(value, MAX_DEPTH))
    throw refusal(name, `is nested deeper than ${MAX_DEPTH} levels. Pass it as JSON text`);
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/** The error for an answer beyond `maxRows`. */
export function tooManyRows(limit: number) {
  return new SqlError(
    `The statement returns more than ${limit} rows (maxRows). Aggregate, filter, or page with LIMIT and OFFSET.`,
    { details: { reason: 'maxRows' } },
  );
}

/** The error for an answer beyond `maxBytes`. */
export function tooManyBytes(limit: number) {
  return new SqlError(`The rows are more than ${limit} bytes of JSON (maxBytes). Select fewer columns or rows.`, {
    details: { reason: 'maxBytes' },
  });
}

/** Thrown when a text exceeds its room. The caller, who knows the limit, replaces it. */
export const BEYOND_ROOM = new Error('the text exceeds the remaining room');

/** The error for a value with too many levels. */
export function tooDeep(levels: number) {
  return new SqlError(
    `A value is nested deeper than ${levels} levels. Select the part that is needed, or select it as text.`,
    { details: { reason: 'depth' } },
  );
}

function refusal(name: string, reason: string) {
  return new ValidationError(`${name} ${reason}.`, { details: { field: name } });
}
