/** Converts PostgreSQL's text format to JSON, the same way for all drivers. */

import { native } from '../boundary/native.js';
import { MAX_DEPTH } from './json_scan.js';
import { JsonWriter } from './json_writer.js';
import { BEYOND_ROOM, tooDeep } from './values.js';

/** @typedef {(text: string, writer: JsonWriter) => void} Cell writes one value */

/** @type {Cell} */
const asText = (text, writer) => writer.string(text);

/** @type {Cell} */
const number = (text, writer) => writer.value(Number(text));

/** @type {Cell} */
const float = (text, writer) => {
  const value = Number(text);
  writer.value(Number.isFinite(value) ? value : text);
};

/** @type {Cell} */
const instant = (text, writer) => {
  const date = new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  writer.string(Number.isNaN(date.getTime()) ? text : date.toISOString());
};

/** @type {Cell} */
const bytes = (text, writer) => {
  // Four characters of base64 encode six hexadecimal digits.
  writer.expect(Math.floor((text.length * 2) / 3));
  writer.bytes(Buffer.from(text.slice(2), 'hex'));
};

/** @type {Cell} */
const json = (text, writer) => writer.json(text);

/** Writers by type OID; other types are text. */
const CELLS = new Map(
  /** @type {[number, Cell][]} */ ([
    [16, (text, writer) => writer.raw(String(text === 't'))],
    [17, bytes],
    [20, (text, writer) => writer.value(BigInt(text))],
    [21, number],
    [23, number],
    [26, number],
    [114, json],
    [700, float],
    [701, float],
    [1114, (text, writer) => writer.string(text.replace(' ', 'T'))],
    [1184, instant],
    [3802, json],
  ]),
);

/** The element type of each array type. */
const ELEMENTS = new Map([
  [199, 114],
  [1000, 16],
  [1001, 17],
  [1002, 18],
  [1003, 19],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1115, 1114],
  [1182, 1082],
  [1183, 1083],
  [1185, 1184],
  [1231, 1700],
  [2951, 2950],
  [3807, 3802],
]);

/**
 * A writer of rows with these columns. Of columns with the same name the last one wins, as in an object.
 * @param {{ name: string, type: number }[]} columns
 * @returns {(cells: ArrayLike<string | Buffer | null>, room: number) => string}
 */
export function rowWriter(columns) {
  const last = new Map(columns.map(({ name }, index) => [name, index]));
  const written = [...last].map(([name, index], position) => ({
    index,
    key: `${position === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    cell: cellOf(columns[index]?.type ?? 0),
  }));
  return (cells, room) => {
    if (written.length === 0) return '{}';
    const writer = new JsonWriter(room);
    for (const { index, key, cell } of written) {
      writer.raw(key);
      const value = cells[index] ?? null;
      if (value === null) writer.raw('null');
      else cell(typeof value === 'string' ? value : value.toString('utf8'), writer);
    }
    writer.raw('}');
    return writer.text();
  };
}

/**
 * @param {number} type
 * @returns {Cell}
 */
function cellOf(type) {
  const element = ELEMENTS.get(type);
  if (element === undefined) return CELLS.get(type) ?? asText;
  return (text, writer) => writeArray(text, writer, element);
}

/**
 * An array literal such as `{1,NULL,"a \\"b\\""}`, possibly nested or with bounds. It is parsed natively, because it may hold a
 * million values.
 * @param {string} text
 * @param {JsonWriter} writer
 * @param {number} element the type of its elements
 */
function writeArray(text, writer, element) {
  const { value, error } = native().postgresArray(text, element, writer.room);
  if (value !== undefined) {
    writer.raw(value);
    return;
  }
  const { reason } = JSON.parse(error?.details ?? '{}');
  if (reason === 'maxBytes') throw BEYOND_ROOM;
  throw reason === 'depth' ? tooDeep(MAX_DEPTH) : new Error(error?.message);
}

/**
 * A parameter as text whose type PostgreSQL infers: arrays of plain values as array literals, other objects as JSON.
 * @param {unknown} value
 * @returns {string | null}
 */
export function toPostgresText(value) {
  if (value === null) return null;
  if (typeof value !== 'object') return String(value);
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return Array.isArray(value) && isPlainArray(value) ? arrayLiteral(value) : JSON.stringify(value);
}

/** @param {unknown[]} list @returns {boolean} */
function isPlainArray(list) {
  return list.every((item) => (Array.isArray(item) ? isPlainArray(item) : typeof item !== 'object' || item === null));
}

/** @param {unknown[]} list @returns {string} */
function arrayLiteral(list) {
  const items = list.map((item) => {
    if (Array.isArray(item)) return arrayLiteral(item);
    return item === null || item === undefined ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${items.join(',')}}`;
}

/** Added to the server's own statement timeout, for a server that does not respond. */
export const GRACE_MS = 1_000;

/** Limits for answers to BEGIN, COMMIT and the like. */
export const CONTROL = { maxRows: 10, maxBytes: 4_096 };

/**
 * The statements that begin a transaction: the limits, and the settings that the rules and the writers above rely on.
 * @param {import('./adapter.js').SqlLimits} limits
 * @param {number} version the server's, such as 150004
 */
export function beginPostgres({ readOnly, statementTimeoutMs }, version) {
  const settings = [
    `statement_timeout = ${statementTimeoutMs}`,
    'standard_conforming_strings = on',
    "datestyle = 'ISO'",
    'bytea_output = hex',
    // A server that notices a dead client ends its statement and releases its locks.
    ...(version >= 140_000 ? ['client_connection_check_interval = 500'] : []),
  ];
  return [readOnly ? 'BEGIN READ ONLY' : 'BEGIN', ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; ');
}

/**
 * PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and no error.
 * @param {unknown} tag the command tag of the server
 */
export function checkCommitted(tag) {
  if (tag !== 'COMMIT') throw new Error(`the transaction had failed, so COMMIT was answered with ${tag}`);
}
