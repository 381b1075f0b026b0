/** Converts PostgreSQL's text format to JSON, the same way for all drivers. */

import { native } from '../../boundary/native.js';
import type { SqlLimits } from '../adapter.js';
import { MAX_DEPTH } from '../rows/json_scan.js';
import { JsonWriter } from '../rows/json_writer.js';
import { BEYOND_ROOM, tooDeep } from '../rows/values.js';

/** Writes one value. */
type Cell = (text: string, writer: JsonWriter) => void;

const asText: Cell = (text, writer) => writer.string(text);

const number: Cell = (text, writer) => writer.value(Number(text));

const float: Cell = (text, writer) => {
  const value = Number(text);
  writer.value(Number.isFinite(value) ? value : text);
};

const instant: Cell = (text, writer) => {
  const date = new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  writer.string(Number.isNaN(date.getTime()) ? text : date.toISOString());
};

const bytes: Cell = (text, writer) => {
  // Four characters of base64 encode six hexadecimal digits.
  writer.expect(Math.floor((text.length * 2) / 3));
  writer.bytes(Buffer.from(text.slice(2), 'hex'));
};

const json: Cell = (text, writer) => writer.json(text);

/** Writers by type OID; other types are text. */
const CELLS = new Map<number, Cell>([
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
]);

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

/** A writer of rows with these columns. Of columns with the same name the last one wins, as in an object. */
export function rowWriter(
  columns: { name: string; type: number }[],
): (cells: ArrayLike<string | Buffer | null>, room: number) => string {
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

function cellOf(type: number): Cell {
  const element = ELEMENTS.get(type);
  if (element === undefined) return CELLS.get(type) ?? asText;
  return (text, writer) => writeArray(text, writer, element);
}

/**
 * An array literal such as `{1,NULL,"a \\"b\\""}`, possibly nested or with bounds. It is parsed natively, because it may hold a
 * million values.
 * @param element the type of its elements
 */
function writeArray(text: string, writer: JsonWriter, element: number) {
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
 */
export function toPostgresText(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value !== 'object') return String(value);
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return Array.isArray(value) && isPlainArray(value) ? arrayLiteral(value) : JSON.stringify(value);
}

function isPlainArray(list: unknown[]): boolean {
  return list.every((item) => (Array.isArray(item) ? isPlainArray(item) : typeof item !== 'object' || item === null));
}

function arrayLiteral(list: unknown[]): string {
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
 * @param version the server's, such as 150004
 */
export function beginPostgres({ readOnly, statementTimeoutMs }: SqlLimits, version: number) {
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
 * @param tag the command tag of the server
 */
export function checkCommitted(tag: unknown) {
  if (tag !== 'COMMIT') throw new Error(`the transaction had failed, so COMMIT was answered with ${tag}`);
}
