/** PostgreSQL's own text for values, read the same way whichever driver brought it. */

import { fromInteger, tagBytes } from './values.js';

/** @typedef {(text: string) => unknown} Reader */

/** @type {Reader} */
const asText = (text) => text;

/** @param {string} text */
function float(text) {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** @param {string} text */
function instant(text) {
  const date = new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** Readers by type; what is not here is text. */
const READERS = new Map(
  /** @type {[number, Reader][]} */ ([
    [16, (text) => text === 't'],
    [17, (text) => tagBytes(Buffer.from(text.slice(2), 'hex'))],
    [20, (text) => fromInteger(BigInt(text))],
    [21, Number],
    [23, Number],
    [26, Number],
    [114, (text) => JSON.parse(text)],
    [700, float],
    [701, float],
    [1114, (text) => text.replace(' ', 'T')],
    [1184, instant],
    [3802, (text) => JSON.parse(text)],
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
 * @param {number} type
 * @returns {Reader}
 */
export function readerOf(type) {
  const element = ELEMENTS.get(type);
  if (element === undefined) return READERS.get(type) ?? asText;
  const read = readerOf(element);
  return (text) => readArray(text, read);
}

/**
 * An array literal such as `{1,NULL,"a \"b\""}`, also nested and with bounds in front.
 * @param {string} text
 * @param {Reader} read
 */
function readArray(text, read) {
  let at = text.indexOf('{') + 1;
  /** @returns {unknown[]} */
  const list = () => {
    const items = [];
    while (text[at] !== '}') {
      if (text[at] === ',') at += 1;
      if (text[at] === '{') {
        at += 1;
        items.push(list());
      } else items.push(text[at] === '"' ? read(quoted()) : bare());
    }
    at += 1;
    return items;
  };
  const quoted = () => {
    let content = '';
    for (at += 1; text[at] !== '"'; at += 1) {
      if (text[at] === '\\') at += 1;
      content += text[at];
    }
    at += 1;
    return content;
  };
  const bare = () => {
    const start = at;
    while (text[at] !== ',' && text[at] !== '}') at += 1;
    const content = text.slice(start, at);
    return content === 'NULL' ? null : read(content);
  };
  return list();
}

/**
 * A parameter as text that PostgreSQL reads by the type it expects there: arrays of plain values as its arrays, other
 * objects as JSON.
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

/**
 * What begins a transaction: beside the limits, the settings that the rules and the readers above rely on.
 * @param {import('./adapter.js').SqlLimits} limits
 * @param {number} version the server's, such as 150004
 */
export function beginPostgres({ readOnly, statementTimeoutMs }, version) {
  const settings = [
    `statement_timeout = ${statementTimeoutMs}`,
    'standard_conforming_strings = on',
    "datestyle = 'ISO'",
    'bytea_output = hex',
    // A server that notices a dead client ends its statement and frees its locks at once.
    ...(version >= 140_000 ? ['client_connection_check_interval = 500'] : []),
  ];
  return [readOnly ? 'BEGIN READ ONLY' : 'BEGIN', ...settings.map((setting) => `SET LOCAL ${setting}`)].join('; ');
}

/**
 * PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK and no error.
 * @param {unknown} tag the command that the server says it has executed
 */
export function checkCommitted(tag) {
  if (tag !== 'COMMIT') throw new Error(`the transaction had failed, so COMMIT was answered with ${tag}`);
}
