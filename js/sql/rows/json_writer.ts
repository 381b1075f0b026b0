/** Writes driver values as JSON text with bounded size and depth. */

import { kindOfJson, MAX_DEPTH } from './json_scan.js';
import { BASE64, BEYOND_ROOM, tooDeep } from './values.js';

/** Number of pieces that are joined at a time: millions of small strings need far more memory than their text. */
const PIECES_AT_ONCE = 1_024;
/** Maximum hexadecimal digits of an integer: converting to decimal takes more than linear time. */
const MAX_INTEGER_DIGITS = 4_096;

/** Collects JSON text up to a maximum length. */
export class JsonWriter {
  #room;
  #used = 0;
  #chunks: string[] = [];
  #pieces: string[] = [];

  /** @param room maximum number of characters; each is at least one byte */
  constructor(room: number) {
    this.#room = room;
  }

  /** Throws if a text of this length does not fit, before it is built. */
  expect(length: number) {
    if (this.#used + length > this.#room) throw BEYOND_ROOM;
  }

  /** Remaining characters. */
  get room() {
    return this.#room - this.#used;
  }

  /** @param piece JSON text */
  raw(piece: string) {
    this.#used += piece.length;
    if (this.#used > this.#room) throw BEYOND_ROOM;
    if (this.#pieces.push(piece) < PIECES_AT_ONCE) return;
    this.#chunks.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  string(text: string) {
    this.expect(text.length + 2);
    this.raw(JSON.stringify(text));
  }

  /** Text that the database declares as JSON: written unchanged if valid, otherwise as a string. */
  json(text: string) {
    this.expect(text.length);
    const kind = kindOfJson(text);
    if (kind === 'deep') throw tooDeep(MAX_DEPTH);
    if (kind === 'json') this.raw(text);
    else this.string(text);
  }

  bytes(bytes: Buffer) {
    this.expect(Math.ceil((bytes.length * 4) / 3));
    this.raw(`{"${BASE64}":"${bytes.toString('base64')}"}`);
  }

  /**
   * A value of a row, by its JavaScript type.
   * @param depth nesting level within the row
   */
  value(value: unknown, depth: number = 0) {
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

  #integer(value: bigint) {
    if (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) {
      this.raw(value.toString());
      return;
    }
    if (value.toString(16).length > MAX_INTEGER_DIGITS) {
      throw new RangeError(`an integer has more than ${MAX_INTEGER_DIGITS} hexadecimal digits`);
    }
    this.raw(`"${value}"`);
  }

  #object(value: object, depth: number) {
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

  #list(list: unknown[], depth: number) {
    this.raw('[');
    for (let index = 0; index < list.length; index += 1) {
      if (index > 0) this.raw(',');
      this.value(list[index], depth + 1);
    }
    this.raw(']');
  }

  #entries(value: object, depth: number) {
    this.raw('{');
    let separator = '';
    for (const key of Object.keys(value)) {
      this.expect(key.length);
      this.raw(`${separator}${JSON.stringify(key)}:`);
      this.value((value as Record<string, unknown>)[key], depth + 1);
      separator = ',';
    }
    this.raw('}');
  }

  text() {
    return this.#chunks.length === 0 ? this.#pieces.join('') : [...this.#chunks, ...this.#pieces].join('');
  }
}

/** A row of a driver as JSON text. */
export function rowText(row: unknown, room: number) {
  const writer = new JsonWriter(room);
  writer.value(row);
  return writer.text();
}
