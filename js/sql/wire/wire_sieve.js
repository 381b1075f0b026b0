/**
 * Stands between the socket of a connection and the driver that reads it. A row that is more than a statement may still
 * return never reaches the driver: its bytes are dropped as they come in, the statement is told to stop, and the
 * connection stays in step with its protocol and can be used again.
 */

import { MAX_OTHER_BYTES } from './wire_limits.js';

/** @typedef {{ rowBytes: number, exceed: () => unknown }} Allowance of one statement; `exceed` is called once */

/** What becomes of a header; a buffer takes its place. */
export const AS_IT_IS = 'as it is';
export const DROPPED = 'dropped';

/** Longest header of a protocol, with what is needed of a message to judge it. */
const MAX_HEADER_BYTES = 5;

export class WireSieve {
  #deliver;
  /** @type {Allowance | undefined} what the statement under way may send; without one everything passes */
  #allowance;
  #rowBytes = 0;
  #otherBytes = 0;
  /** Bytes of the message under way that are still to come, and how many of them go to the driver first. */
  #left = 0;
  #passing = 0;
  /** @type {Buffer | undefined} what the driver gets in place of the rest of the message */
  #instead;
  #header = Buffer.alloc(MAX_HEADER_BYTES);
  #headerLength = 0;
  /** Whether the driver already has the start of the header. */
  #headerPassed = false;
  #lost = false;

  /** @param {(bytes: Buffer) => unknown} deliver hands bytes to the driver */
  constructor(deliver) {
    this.#deliver = deliver;
  }

  /** @param {Allowance} allowance of the statement that is sent now */
  allow(allowance) {
    if (this.#lost) throw outOfStep();
    this.#allowance = allowance;
    this.#rowBytes = 0;
    this.#otherBytes = 0;
  }

  /** The statement has been answered. */
  settle() {
    this.#allowance = undefined;
  }

  get isArmed() {
    return this.#allowance !== undefined;
  }

  /**
   * How many bytes are needed to judge the message that starts at `at`, as far as can be told from those that are there.
   * @param {Buffer} _bytes
   * @param {number} _at
   * @param {number} _available
   * @returns {number}
   */
  headerBytes(_bytes, _at, _available) {
    return MAX_HEADER_BYTES;
  }

  /**
   * Judges a message by its header: calls `expect` with what follows, or `lose`.
   * @param {Buffer} _bytes
   * @param {number} _at
   * @returns {typeof AS_IT_IS | typeof DROPPED | Buffer}
   */
  judge(_bytes, _at) {
    return AS_IT_IS;
  }

  /**
   * @param {number} left bytes behind the header
   * @param {number} [passing] how many of them go to the driver
   * @param {Buffer} [instead] what it gets in place of the others
   */
  expect(left, passing = left, instead = undefined) {
    this.#left = left;
    this.#passing = passing;
    this.#instead = instead;
  }

  /** The bytes are not of this protocol, or it was joined in the middle of a message. */
  lose() {
    this.#lost = true;
    if (this.isArmed) throw outOfStep();
  }

  /**
   * Whether a row is more than may still come. The first that is stops the statement.
   * @param {number} bytes
   */
  isTooMuch(bytes) {
    const allowance = this.#allowance;
    if (!allowance) return false;
    const had = this.#rowBytes;
    this.#rowBytes += bytes;
    if (this.#rowBytes <= allowance.rowBytes) return false;
    if (had <= allowance.rowBytes) allowance.exceed();
    return true;
  }

  /**
   * Counts a message that is no row: drivers keep what they are told of columns and settings.
   * @param {number} bytes
   */
  countOther(bytes) {
    this.#otherBytes += bytes;
    if (this.#otherBytes > MAX_OTHER_BYTES) {
      throw new Error(`the server sends more than ${MAX_OTHER_BYTES} bytes that are no rows`);
    }
  }

  /**
   * Takes what the socket has read.
   * @param {Buffer} chunk
   */
  push(chunk) {
    /** Start of what the driver has not got yet. */
    let start = 0;
    let at = 0;
    while (at < chunk.length && !this.#lost) {
      if (this.#passing > 0) {
        const part = Math.min(this.#passing, chunk.length - at);
        at += part;
        this.#passing -= part;
        this.#left -= part;
      } else if (this.#left > 0) {
        this.#give(chunk, start, at);
        const part = Math.min(this.#left, chunk.length - at);
        at += part;
        this.#left -= part;
        start = at;
        if (this.#left === 0 && this.#instead) this.#deliver(this.#instead);
      } else {
        const available = chunk.length - at;
        const length = this.#headerLength === 0 ? this.headerBytes(chunk, at, available) : available + 1;
        if (length <= available) {
          const verdict = this.judge(chunk, at);
          if (verdict !== AS_IT_IS) {
            this.#give(chunk, start, at);
            start = at + length;
            if (verdict !== DROPPED) this.#deliver(verdict);
          }
          at += length;
        } else {
          // A header that comes in parts is held back until it can be judged.
          if (this.#headerLength === 0) this.#headerPassed = !this.isArmed;
          if (!this.#headerPassed) {
            this.#give(chunk, start, at);
            start = at + 1;
          }
          this.#header[this.#headerLength] = chunk[at] ?? 0;
          this.#headerLength += 1;
          at += 1;
          this.#judgeHeader();
        }
      }
    }
    this.#give(chunk, start, chunk.length);
  }

  #judgeHeader() {
    const header = this.#header.subarray(0, this.#headerLength);
    if (this.headerBytes(header, 0, header.length) > header.length) return;
    this.#headerLength = 0;
    const allowance = this.#allowance;
    // The driver has the start of it, so it gets the rest, whatever it is.
    if (this.#headerPassed) this.#allowance = undefined;
    const verdict = this.judge(header, 0);
    if (this.#headerPassed) this.#allowance = allowance;
    else if (verdict !== DROPPED) this.#deliver(verdict === AS_IT_IS ? Buffer.from(header) : verdict);
  }

  /**
   * @param {Buffer} chunk
   * @param {number} start
   * @param {number} end
   */
  #give(chunk, start, end) {
    if (end > start) this.#deliver(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end));
  }
}

function outOfStep() {
  return new Error('the connection is out of step with its protocol');
}
