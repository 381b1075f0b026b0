/** Reads streams and files up to a size limit. */

import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { guarded, ignored } from './guarded.js';

const MAX_HAND_WRITTEN_BYTES = 16 << 20;
/** Maximum number of unmerged pieces: a piece of one byte costs a hundred bytes of memory. */
const MAX_PIECES = 1_024;

/** The input is larger than the limit. */
export class TooLarge extends Error {
  /** @param {number} maxBytes */
  constructor(maxBytes) {
    super(`It is larger than ${maxBytes} bytes.`);
    this.maxBytes = maxBytes;
  }
}

/**
 * The whole content of a stream. Beyond the limit it is paused, and the caller decides what to do with it.
 * @param {import('node:stream').Readable} stream
 * @param {number} maxBytes
 * @param {(bytes: number) => void} [onBytes] is called for every chunk, and may throw to stop
 * @returns {Promise<Buffer>} rejects with TooLarge, with the exception of `onBytes`, or with the stream's error
 */
export function readAtMost(stream, maxBytes, onBytes = ignored) {
  return new Promise((resolve, reject) => {
    const read = new ByteQueue(maxBytes);
    const fail = (/** @type {unknown} */ error) => {
      read.clear();
      stream.pause();
      reject(error);
    };
    const on = (/** @type {string} */ event, /** @type {(...args: any[]) => void} */ callback) =>
      stream.on(event, guarded(fail, callback));
    on('data', (/** @type {Buffer} */ chunk) => {
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
 * @param {string} path
 * @param {number} maxBytes
 * @returns {Promise<Buffer>} rejects with TooLarge, or with a file system error
 */
export async function readFileAtMost(path, maxBytes) {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw new TooLarge(maxBytes);
    /** @type {Buffer[]} */
    const chunks = [];
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

/**
 * @param {string} path
 * @param {number} [maxBytes] the default is far above any hand-written file
 */
export async function readTextAtMost(path, maxBytes = MAX_HAND_WRITTEN_BYTES) {
  return (await readFileAtMost(path, maxBytes)).toString('utf8');
}

/**
 * The text of a small file, read synchronously.
 * @param {string} path
 * @param {number} maxBytes
 */
export function readTextAtOnce(path, maxBytes) {
  if (statSync(path).size > maxBytes) throw new TooLarge(maxBytes);
  return readFileSync(path, 'utf8');
}

/** A byte queue: chunks in, pieces of any length out. */
export class ByteQueue {
  #maxBytes;
  /** @type {Buffer[]} */
  #chunks = [];
  #length = 0;
  /** Number of chunks since the last merge. */
  #apart = 0;

  /** @param {number} maxBytes maximum queue size */
  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  get length() {
    return this.#length;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
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

  /**
   * Takes the bytes before `mark`, if it is within the first `within` bytes, and removes the mark.
   * @param {string} mark
   * @param {number} within
   * @returns {Buffer | undefined}
   */
  takeUntil(mark, within) {
    const head = this.#head(within + mark.length);
    const at = head.indexOf(mark);
    if (at === -1) {
      if (this.#length >= within + mark.length) throw new TooLarge(within);
      return undefined;
    }
    const taken = this.take(at + mark.length);
    return taken?.subarray(0, at);
  }

  /**
   * Takes the next `count` bytes, if all are available.
   * @param {number} count
   * @returns {Buffer | undefined}
   */
  take(count) {
    if (count > this.#maxBytes) throw new TooLarge(this.#maxBytes);
    if (this.#length < count) return undefined;
    const taken = [];
    let missing = count;
    while (missing > 0) {
      const chunk = /** @type {Buffer} */ (this.#chunks[0]);
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

  /** @param {number} most */
  #head(most) {
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
