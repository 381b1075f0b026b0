/** Values of drivers as JSON text, within a number of bytes and levels, whatever they are made of. */

import { kindOfJson, MAX_DEPTH } from './json_scan.js';
import { BASE64, BEYOND_ROOM, tooDeep } from './values.js';

/** Pieces that are put together at once: millions of small strings cost far more memory than their text. */
const PIECES_AT_ONCE = 1_024;
/** Hexadecimal digits of the longest integer that is written out, which takes longer than its length. */
const MAX_INTEGER_DIGITS = 4_096;

/** Collects JSON text and refuses more of it than there is room for. */
export class JsonWriter {
  #room;
  #used = 0;
  /** @type {string[]} */
  #chunks = [];
  /** @type {string[]} */
  #pieces = [];

  /** @param {number} room most characters, none of which is less than a byte */
  constructor(room) {
    this.#room = room;
  }

  /**
   * Looks ahead: nothing is built that would not fit anyway.
   * @param {number} length
   */
  expect(length) {
    if (this.#used + length > this.#room) throw BEYOND_ROOM;
  }

  /** Characters that still fit. */
  get room() {
    return this.#room - this.#used;
  }

  /** @param {string} piece JSON text */
  raw(piece) {
    this.#used += piece.length;
    if (this.#used > this.#room) throw BEYOND_ROOM;
    if (this.#pieces.push(piece) < PIECES_AT_ONCE) return;
    this.#chunks.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  /** @param {string} text */
  string(text) {
    this.expect(text.length + 2);
    this.raw(JSON.stringify(text));
  }

  /**
   * What a database says is JSON, as it stands.
   * @param {string} text
   */
  json(text) {
    this.expect(text.length);
    const kind = kindOfJson(text);
    if (kind === 'deep') throw tooDeep(MAX_DEPTH);
    if (kind === 'json') this.raw(text);
    else this.string(text);
  }

  /** @param {Buffer} bytes */
  bytes(bytes) {
    this.expect(Math.ceil((bytes.length * 4) / 3));
    this.raw(`{"${BASE64}":"${bytes.toString('base64')}"}`);
  }

  /**
   * A value of a row, by what the driver made of it.
   * @param {unknown} value
   * @param {number} [depth] how many levels of the row are around it
   */
  value(value, depth = 0) {
    switch (typeof value) {
      case 'string':
        this.string(value);
        break;
      case 'number':
        this.raw(Number.isFinite(value) ? String(value) : `"${value}"`);
        break;
      case 'bigint':
        this.#integer(value);
        break;
      case 'boolean':
        this.raw(String(value));
        break;
      case 'object':
        if (value === null) this.raw('null');
        else this.#object(value, depth);
        break;
      default:
        this.raw('null');
    }
  }

  /** @param {bigint} value */
  #integer(value) {
    if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) {
      this.raw(value.toString());
      return;
    }
    if (value.toString(16).length > MAX_INTEGER_DIGITS) {
      throw new RangeError(`an integer has more than ${MAX_INTEGER_DIGITS} hexadecimal digits`);
    }
    this.raw(`"${value}"`);
  }

  /**
   * @param {object} value
   * @param {number} depth
   */
  #object(value, depth) {
    if (depth >= MAX_DEPTH) throw tooDeep(MAX_DEPTH);
    if (value instanceof Date) {
      this.value(Number.isNaN(value.getTime()) ? null : value.toISOString());
    } else if (value instanceof ArrayBuffer) {
      this.bytes(Buffer.from(value));
    } else if (ArrayBuffer.isView(value)) {
      this.bytes(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    } else if (Array.isArray(value)) {
      this.#list(value, depth);
    } else if ('toFixed' in value && typeof value.toFixed === 'function') {
      // Decimal classes of drivers: exact as text, lossy as numbers.
      this.string(String(value));
    } else if ('toJSON' in value && typeof value.toJSON === 'function') {
      this.value(value.toJSON(), depth + 1);
    } else {
      this.#entries(value, depth);
    }
  }

  /**
   * @param {unknown[]} list
   * @param {number} depth
   */
  #list(list, depth) {
    this.raw('[');
    for (let index = 0; index < list.length; index += 1) {
      if (index > 0) this.raw(',');
      this.value(list[index], depth + 1);
    }
    this.raw(']');
  }

  /**
   * @param {object} value
   * @param {number} depth
   */
  #entries(value, depth) {
    this.raw('{');
    let separator = '';
    for (const key of Object.keys(value)) {
      this.expect(key.length);
      this.raw(`${separator}${JSON.stringify(key)}:`);
      this.value(/** @type {any} */ (value)[key], depth + 1);
      separator = ',';
    }
    this.raw('}');
  }

  text() {
    return this.#chunks.length === 0 ? this.#pieces.join('') : [...this.#chunks, ...this.#pieces].join('');
  }
}

/**
 * A row as a driver made it.
 * @param {unknown} row
 * @param {number} room
 */
export function rowText(row, room) {
  const writer = new JsonWriter(room);
  writer.value(row);
  return writer.text();
}
