/**
 * A protocol filter between the socket of a connection and its driver. Rows beyond the limit of a statement never reach the driver:
 * their bytes are dropped on arrival, the statement is cancelled, and the connection stays synchronised and reusable.
 */

import { MAX_OTHER_BYTES } from './wire_limits.js';

/** The limits of one statement; `exceed` is called once. */
export type Allowance = { rowBytes: number; exceed: () => unknown };

/** The verdict on the header of a message that passes. A buffer as verdict replaces the header. */
export const AS_IT_IS = 'as it is';
/** The verdict on the header of a message that is dropped. */
export const DROPPED = 'dropped';

/** Longest header of all protocols, including the payload bytes needed for a verdict. */
const MAX_HEADER_BYTES = 5;

export class WireFilter {
  #deliver;
  /** Limits of the running statement; without one everything passes. */
  #allowance: Allowance | undefined;
  #rowBytes = 0;
  #otherBytes = 0;
  /** Remaining bytes of the current message, and how many of them are passed to the driver first. */
  #left = 0;
  #passing = 0;
  /** Replaces the rest of the message. */
  #instead: Buffer | undefined;
  #header = Buffer.alloc(MAX_HEADER_BYTES);
  #headerLength = 0;
  /** Whether the driver already has the start of the header. */
  #headerPassed = false;
  #lost = false;

  /** @param deliver passes bytes to the driver */
  constructor(deliver: (bytes: Buffer) => unknown) {
    this.#deliver = deliver;
  }

  /** @param allowance of the statement that is sent next */
  allow(allowance: Allowance) {
    if (this.#lost) throw outOfStep();
    this.#allowance = allowance;
    this.#rowBytes = 0;
    this.#otherBytes = 0;
  }

  /** Ends the limits when the statement has been answered. */
  settle() {
    this.#allowance = undefined;
  }

  get isArmed() {
    return this.#allowance !== undefined;
  }

  /** The number of bytes needed for a verdict on the message at `at`, as far as the available bytes determine it. */
  headerBytes(_bytes: Buffer, _at: number, _available: number): number {
    return MAX_HEADER_BYTES;
  }

  /** Decides about a message by its header. Calls `expect` with the length of the payload, or `lose`. */
  judge(_bytes: Buffer, _at: number): typeof AS_IT_IS | typeof DROPPED | Buffer {
    return AS_IT_IS;
  }

  /**
   * @param left bytes after the header
   * @param passing how many of them are passed to the driver
   * @param instead replaces the others
   */
  expect(left: number, passing: number = left, instead: Buffer | undefined = undefined) {
    this.#left = left;
    this.#passing = passing;
    this.#instead = instead;
  }

  /** Gives up: the bytes are not of this protocol, or start in the middle of a message. */
  lose() {
    this.#lost = true;
    if (this.isArmed) throw outOfStep();
  }

  /** Whether a row exceeds the limit. The first such row cancels the statement. */
  isTooMuch(bytes: number) {
    const allowance = this.#allowance;
    if (!allowance) return false;
    const had = this.#rowBytes;
    this.#rowBytes += bytes;
    if (this.#rowBytes <= allowance.rowBytes) return false;
    if (had <= allowance.rowBytes) allowance.exceed();
    return true;
  }

  /** Counts a message that is not a row: drivers keep column descriptions and settings in memory. */
  countOther(bytes: number) {
    this.#otherBytes += bytes;
    if (this.#otherBytes > MAX_OTHER_BYTES) {
      throw new Error(`the server sends more than ${MAX_OTHER_BYTES} bytes that are not rows`);
    }
  }

  /** Processes a chunk of the socket. */
  push(chunk: Buffer) {
    /** Start of the bytes not yet delivered. */
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
          // A split header is held back until it is complete.
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
    // The driver has its beginning, so it must also get the rest.
    if (this.#headerPassed) this.#allowance = undefined;
    const verdict = this.judge(header, 0);
    if (this.#headerPassed) this.#allowance = allowance;
    else if (verdict !== DROPPED) this.#deliver(verdict === AS_IT_IS ? Buffer.from(header) : verdict);
  }

  #give(chunk: Buffer, start: number, end: number) {
    if (end > start) this.#deliver(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end));
  }
}

function outOfStep() {
  return new Error('the connection is out of sync with its protocol');
}
