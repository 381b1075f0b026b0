/** Canonical JSON (RFC 8785) and its hash, as the ledger uses them. */

import { createHash } from 'node:crypto';
import { ValidationError } from './errors.js';
import { isRecord } from './foreign_json.js';

const MAX_DEPTH = 1_000;
/** The UTF-16 code units of halves of pairs, where the other half is missing. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The canonical JSON text of a value (RFC 8785): the same bytes for equal values, whatever the order of their members. Members that
 * are `undefined` are left out, as `JSON.stringify` does.
 * @example
 * canonicalJSONStringify({ b: 1, a: [2.0, 'x'] }); // '{"a":[2,"x"],"b":1}'
 * @throws {ValidationError} for what JSON does not have: functions, symbols, BigInt, NaN, infinite numbers, lone surrogates
 */
export function canonicalJSONStringify(value: unknown): string {
  return written(value, '$', 0);
}

/** SHA-256 of a text in UTF-8, or of bytes, as hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function written(value: unknown, at: string, depth: number): string {
  if (depth > MAX_DEPTH) throw refused(at, `is nested deeper than ${MAX_DEPTH} levels, or refers to itself`);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refused(at, 'is not a finite number');
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw refused(at, 'has half of a surrogate pair');
    return JSON.stringify(value);
  }
  if (Array.isArray(value))
    return `[${value.map((item, index) => written(item, `${at}[${index}]`, depth + 1)).join()}]`;
  if (!isRecord(value)) throw refused(at, `is a ${typeof value}, which JSON does not have`);
  if (typeof value.toJSON === 'function') return written(value.toJSON(), at, depth + 1);
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    // By UTF-16 code units.
    .sort()
    .map((name) => `${written(name, at, depth)}:${written(value[name], `${at}.${name}`, depth + 1)}`);
  return `{${members.join()}}`;
}

function refused(at: string, problem: string) {
  return new ValidationError(`${at.slice(0, 200)} ${problem}. Pass JSON data.`, {
    details: { field: at.slice(0, 200) },
  });
}
