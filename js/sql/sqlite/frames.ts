/** Frames between two processes of this package: a JSON header line followed by a text body. */

import type { Writable } from 'node:stream';
import { ByteQueue } from '../../boundary/bounded_read.js';
import { parseForeignJson } from '../../boundary/foreign_json.js';
import { LIMITS } from '../../boundary/limits.js';

const MAX_HEADER_BYTES = 64 << 10;
/** Twice the largest configurable `maxBytes`. */
const MAX_BODY_BYTES = 2 * LIMITS.sql.maxBytes.most;

/** Writes one frame. */
export function writeFrame(stream: Writable, header: object, body: string = '') {
  const bytes = Buffer.from(body);
  stream.write(`${JSON.stringify({ ...header, bytes: bytes.length })}\n`);
  if (bytes.length > 0) stream.write(bytes);
}

/** Reads frames whose headers have the type `Header`. */
export class FrameReader<Header extends object> {
  #received = new ByteQueue(MAX_HEADER_BYTES + MAX_BODY_BYTES);
  #onFrame;
  /** The header of the frame whose body is incomplete. */
  #header: (Header & { bytes: number }) | undefined;

  constructor(onFrame: (header: Header, body: string) => unknown) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer) {
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
    return line && (parseForeignJson(line.toString('utf8')) as Header & { bytes: number });
  }
}
