/** Reads streams and files up to a size limit. */

import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { guarded, ignored } from './guarded.js';

const MAX_HAND_WRITTEN_BYTES = 16 << 20;
/** Maximum number of unmerged pieces: a piece of one byte costs a hundred bytes of memory. */
const MAX_PIECES = 1_024;

/** The input is larger than the limit. */
export class TooLarge extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`It is larger than ${maxBytes} bytes.`);
    this.maxBytes = maxBytes;
  }
}

/**
 * The whole content of a stream. Beyond the limit it is paused, and the caller decides what to do with it.
 * @param onBytes is called for every chunk, and may throw to stop
 * @returns rejects with TooLarge, with the exception of `onBytes`, or with the stream's error
 */
export function readAtMost(
  stream: Readable,
  maxBytes: number,
  onBytes: (bytes: number) => void = ignored,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const read = new ByteQueue(maxBytes);
    const fail = (error: unknown) => {
      read.clear();
      stream.pause();
      reject(error);
    };
    const on = <Args extends unknown[]>(event: string, callback: (...args: Args) => void) =>
      stream.on(event, guarded(fail, callback));
    on('data', (chunk: Buffer) => {
      read.push(chunk);
      onBytes(chunk.length);
    });
    on('end', () => resolve(read.take(read.length) ?? Buffer.alloc(0)));
    on('error', reject);
    // A truncated stream emits neither 'end' nor 'error'.
    on('close', () => reject(new Error('It was closed before its end.')));
  });
}

/**
 * The bytes of a file.
 * @returns rejects with TooLarge, or with a file system error
 */
export async function readFileAtMost(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw new TooLarge(maxBytes);
    const chunks: Buffer[] = [];
    // The file may grow meanwhile, so the bytes read are counted.
    for (let bytes = 0; ; ) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(maxBytes + 1, Math.max(size + 1, 4096))));
      if (bytesRead === 0) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      bytes += bytesRead;
      if (bytes > maxBytes) throw new TooLarge(maxBytes);
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** @param maxBytes the default is far above any hand-written file */
export async function readTextAtMost(path: string, maxBytes: number = MAX_HAND_WRITTEN_BYTES) {
  return (await readFileAtMost(path, maxBytes)).toString('utf8');
}

/** The text of a small file, read synchronously. */
export function readTextAtOnce(path: string, maxBytes: number) {
  if (statSync(path).size > maxBytes) throw new TooLarge(maxBytes);
  return readFileSync(path, 'utf8');
}

/** A byte queue: chunks in, pieces of any length out. */
export class ByteQueue {
  #maxBytes;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Number of chunks since the last merge. */
  #apart = 0;

  /** @param maxBytes maximum queue size */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length() {
    return this.#length;
  }

  push(chunk: Buffer) {
    if (this.#length + chunk.length > this.#maxBytes) throw new TooLarge(this.#maxBytes);
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#apart += 1;
    if (this.#apart < MAX_PIECES) return;
    this.#apart = 0;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-MAX_PIECES)));
  }

  clear() {
    this.#chunks = [];
    this.#length = 0;
    this.#apart = 0;
  }

  /** Takes the bytes before `mark`, if it is within the first `within` bytes, and removes the mark. */
  takeUntil(mark: string, within: number): Buffer | undefined {
    const head = this.#head(within + mark.length);
    const at = head.indexOf(mark);
    if (at === -1) {
      if (this.#length >= within + mark.length) throw new TooLarge(within);
      return undefined;
    }
    const taken = this.take(at + mark.length);
    return taken?.subarray(0, at);
  }

  /** Takes the next `count` bytes, if all are available. */
  take(count: number): Buffer | undefined {
    if (count > this.#maxBytes) throw new TooLarge(this.#maxBytes);
    if (this.#length < count) return undefined;
    const taken = [];
    let missing = count;
    while (missing > 0) {
      const chunk = this.#chunks[0] as Buffer;
      if (chunk.length <= missing) {
        taken.push(chunk);
        this.#chunks.shift();
      } else {
        taken.push(chunk.subarray(0, missing));
        this.#chunks[0] = chunk.subarray(missing);
      }
      missing -= Math.min(missing, chunk.length);
    }
    this.#length -= count;
    return taken.length === 1 && taken[0] ? taken[0] : Buffer.concat(taken);
  }

  #head(most: number) {
    const chunks = [];
    let bytes = 0;
    for (const chunk of this.#chunks) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= most) break;
    }
    return Buffer.concat(chunks).subarray(0, most);
  }
}
