/** Filters the MySQL protocol. */

import type { Allowance } from './wire_filter.js';
import { AS_IT_IS, DROPPED, WireFilter } from './wire_filter.js';
import { MAX_ERROR_BYTES } from './wire_limits.js';

/** A packet: three bytes of length, a sequence number, and the payload. A packet of maximum length is continued by the next. */
const HEADER = 4;
const NUMBER = 3;
const GREATEST_LENGTH = 0xffffff;

/** First payload bytes in answers to prepared statements. */
const ROW = 0x00;
const END = 0xfe;
const ERROR = 0xff;

/** Filters answers to prepared statements in the protocol of MySQL and MariaDB. */
export class MysqlFilter extends WireFilter {
  /** Number of dropped packets: the driver checks sequence numbers, so later ones are renumbered. */
  #missing = 0;
  /** The verdict on the packet that the next one continues. */
  #continued: 'passed' | 'dropped' | undefined;

  override allow(allowance: Allowance) {
    super.allow(allowance);
    this.#missing = 0;
  }

  override headerBytes(bytes: Buffer, at: number, available: number) {
    // Includes the first payload byte, if any.
    return available >= NUMBER && bytes.readUIntLE(at, NUMBER) === 0 ? HEADER : HEADER + 1;
  }

  override judge(bytes: Buffer, at: number) {
    const size = bytes.readUIntLE(at, NUMBER);
    const first = size === 0 ? undefined : bytes[at + HEADER];
    const left = Math.max(0, size - 1);
    const before = this.#continued;
    this.#continued = size === GREATEST_LENGTH ? (before ?? 'passed') : undefined;
    if (!this.isArmed) {
      this.expect(left);
      return AS_IT_IS;
    }
    if (before === 'passed') {
      // The driver already has its beginning, so it cannot be dropped.
      if (this.isTooMuch(size + HEADER)) throw new Error('a row continues beyond its size limit');
    } else if (before === 'dropped' || (first === ROW && this.isTooMuch(size + HEADER))) {
      if (this.#continued) this.#continued = 'dropped';
      this.#missing += 1;
      this.expect(left, 0);
      return DROPPED;
    } else if (first === ERROR && left > MAX_ERROR_BYTES) {
      return this.#shortened(bytes, at, left);
    } else if (first !== ROW) this.countOther(size);
    this.expect(left);
    return this.#numbered(bytes, at, first, before);
  }

  /** The header, renumbered if packets were dropped. */
  #numbered(bytes: Buffer, at: number, first: number | undefined, before: 'passed' | 'dropped' | undefined) {
    if (this.#missing === 0) return AS_IT_IS;
    const header = Buffer.from(bytes.subarray(at, at + (first === undefined ? HEADER : HEADER + 1)));
    header[NUMBER] = ((header[NUMBER] ?? 0) - this.#missing) & 0xff;
    // The end of the rows is the end of the answer.
    if (before === undefined && (first === END || first === ERROR)) this.#missing = 0;
    return header;
  }

  #shortened(bytes: Buffer, at: number, left: number) {
    const header = Buffer.from(bytes.subarray(at, at + HEADER + 1));
    header.writeUIntLE(MAX_ERROR_BYTES + 1, 0, NUMBER);
    header[NUMBER] = ((header[NUMBER] ?? 0) - this.#missing) & 0xff;
    this.#missing = 0;
    if (this.#continued) this.#continued = 'dropped';
    this.expect(left, MAX_ERROR_BYTES);
    return header;
  }
}
