/** Frames between two processes of this package: a JSON header line followed by a text body. */

import { ByteQueue } from '../boundary/bounded_read.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { LIMITS } from '../boundary/limits.js';

const MAX_HEADER_BYTES = 64 << 10;
/** Twice the largest configurable `maxBytes`. */
const MAX_BODY_BYTES = 2 * LIMITS.sql.maxBytes.most;

/**
 * @param {import('node:stream').Writable} stream
 * @param {object} header
 * @param {string} [body]
 */
export function writeFrame(stream, header, body = '') {
  const bytes = Buffer.from(body);
  stream.write(`${JSON.stringify({ ...header, bytes: bytes.length })}\n`);
  if (bytes.length > 0) stream.write(bytes);
}

export class FrameReader {
  #received = new ByteQueue(MAX_HEADER_BYTES + MAX_BODY_BYTES);
  #onFrame;
  /** @type {any} of the frame whose body is incomplete */
  #header;

  /** @param {(header: any, body: string) => unknown} onFrame */
  constructor(onFrame) {
    this.#onFrame = onFrame;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    this.#received.push(chunk);
    for (;;) {
      this.#header ??= this.#nextHeader();
      if (this.#header === undefined) return;
      const body = this.#received.take(this.#header.bytes);
      if (body === undefined) return;
      const header = this.#header;
      this.#header = undefined;
      this.#onFrame(header, body.toString('utf8'));
    }
  }

  #nextHeader() {
    const line = this.#received.takeUntil('\n', MAX_HEADER_BYTES);
    return line && parseForeignJson(line.toString('utf8'));
  }
}
