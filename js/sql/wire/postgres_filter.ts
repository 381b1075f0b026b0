/** Filters the PostgreSQL protocol. */

import type { Allowance } from './wire_filter.js';
import { AS_IT_IS, DROPPED, WireFilter } from './wire_filter.js';
import { MAX_ERROR_BYTES, MAX_NOTICE_BYTES } from './wire_limits.js';

/** A message: one byte of type, four bytes of length including themselves, and the payload. */
const HEADER = 5;
const LENGTH = 4;
/** Maximum length of a server message. */
const MAX_SIZE = 1 << 30;

const code = (letter: string) => letter.charCodeAt(0);
const ROW = code('D');
const COPY_DATA = code('d');
const ERROR = code('E');
const NOTICE = code('N');
const TYPES = new Set([...'123ACDEGHIKNRSTVWZcdnstv'].map(code));

/** Terminates a shortened error text and the list of error fields. */
const END_OF_ERROR = Buffer.from([0, 0]);

/** Filters answers in the PostgreSQL protocol. */
export class PostgresFilter extends WireFilter {
  #noticeBytes = 0;

  override allow(allowance: Allowance) {
    super.allow(allowance);
    this.#noticeBytes = 0;
  }

  override headerBytes() {
    return HEADER;
  }

  override judge(bytes: Buffer, at: number) {
    const type = bytes[at] ?? 0;
    const size = bytes.readUInt32BE(at + 1) - LENGTH;
    if (!TYPES.has(type) || size < 0 || size > MAX_SIZE) this.lose();
    else if (this.isArmed) return this.#bounded(type, size);
    else this.expect(size);
    return AS_IT_IS;
  }

  #bounded(type: number, size: number) {
    if (type === ERROR && size > MAX_ERROR_BYTES) {
      this.expect(size, MAX_ERROR_BYTES, END_OF_ERROR);
      return shortenedHeader(type);
    }
    if (this.#isDropped(type, size)) {
      this.expect(size, 0);
      return DROPPED;
    }
    if (type !== ROW && type !== COPY_DATA) this.countOther(size);
    this.expect(size);
    return AS_IT_IS;
  }

  #isDropped(type: number, size: number) {
    if (type === ROW || type === COPY_DATA) return this.isTooMuch(size + HEADER);
    if (type !== NOTICE) return false;
    this.#noticeBytes += size;
    return this.#noticeBytes > MAX_NOTICE_BYTES;
  }
}

function shortenedHeader(type: number) {
  const header = Buffer.alloc(HEADER);
  header[0] = type;
  header.writeUInt32BE(LENGTH + MAX_ERROR_BYTES + END_OF_ERROR.length, 1);
  return header;
}
