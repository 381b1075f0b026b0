/** The application's `embed` function, with a timeout and validation: it may throw, hang or return anything. */

import { beforeDeadline, TooLate } from '../boundary/deadline.js';
import { dropOldest } from '../boundary/drop_oldest.js';
import { ConfigError } from '../boundary/errors.js';
import { settled } from '../boundary/foreign_promise.js';
import { messageOf } from '../boundary/thrown.js';
import type { Logger } from '../types/kernel.js';
import type { EmbedTexts } from '../types/memory.js';

/** Vectors of one dimension, concatenated. */
type Vectors = { dimension: number; numbers: Float32Array };

/** Numbers per vector; the same as in `crates/embed/src/vector.rs`. */
const MAX_DIMENSION = 8192;
/** Tools are indexed in the background, but a search waits for the vector of its query. */
const TEXTS_TIMEOUT_MS = 30_000;
const QUERY_TIMEOUT_MS = 3000;
/** After a failure, searches use words only for this time. */
const RETRY_AFTER_MS = 30_000;
/** Cached query vectors: agents repeat queries. */
const MAX_CACHED = 64;
/** The kernel refuses longer queries. */
const MAX_QUERY_LENGTH = 4096;

const UNEQUAL = 'all vectors must have the same dimension';

export class EmbedHook {
  #embed: EmbedTexts;
  #logger: Logger;
  #cache = new Map<string, Float32Array>();
  /** Dimension of the first vector. */
  #dimension: number | undefined;
  /** No queries are embedded before this time. */
  #pausedUntil = 0;
  #hasWarned = false;

  constructor(embed: EmbedTexts, logger: Logger) {
    this.#embed = embed;
    this.#logger = logger;
  }

  /** The vectors of texts, base64-encoded for the kernel. */
  async encoded(texts: string[]) {
    const { dimension, numbers } = await this.#ask(texts, TEXTS_TIMEOUT_MS);
    const bytes = Buffer.alloc(numbers.length * 4);
    for (const [index, number] of numbers.entries()) bytes.writeFloatLE(number, index * 4);
    return { dimension, numbers: bytes.toString('base64') };
  }

  /** The vector of a query; undefined after a failure or timeout. Never rejects. */
  async vectorOf(query: string): Promise<Float32Array | undefined> {
    if (query.trim() === '' || query.length > MAX_QUERY_LENGTH) return undefined;
    const cached = this.#cache.get(query);
    if (cached) return cached;
    if (performance.now() < this.#pausedUntil) return undefined;
    try {
      const { numbers } = await this.#ask([query], QUERY_TIMEOUT_MS);
      dropOldest(this.#cache, MAX_CACHED);
      this.#cache.set(query, numbers);
      this.#hasWarned = false;
      return numbers;
    } catch (error) {
      this.#pausedUntil = performance.now() + RETRY_AFTER_MS;
      if (!this.#hasWarned) this.#logger.warn(`Tool search uses words only for now. ${messageOf(error)}`);
      this.#hasWarned = true;
      return undefined;
    }
  }

  async #ask(texts: string[], timeoutMs: number): Promise<Vectors> {
    try {
      // A copy: the application may modify it.
      const result = await beforeDeadline(() => settled(this.#embed([...texts])), timeoutMs);
      const vectors = checked(result, texts.length);
      this.#dimension ??= vectors.dimension;
      if (vectors.dimension !== this.#dimension) throw refused(UNEQUAL);
      return vectors;
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      if (error instanceof TooLate) throw refused(`it took longer than ${timeoutMs} ms`);
      throw refused('it threw an error', error);
    }
  }
}

function checked(result: unknown, count: number): Vectors {
  if (!Array.isArray(result) || result.length !== count) {
    throw refused(`it must return an array of ${count} vectors for ${count} texts`);
  }
  const dimension = lengthOf(result[0]);
  if (!(dimension >= 1 && dimension <= MAX_DIMENSION)) {
    throw refused(`a vector must have 1 to ${MAX_DIMENSION} numbers`);
  }
  const numbers = new Float32Array(count * dimension);
  for (let row = 0; row < count; row++) {
    const vector = result[row];
    if (lengthOf(vector) !== dimension) throw refused(UNEQUAL);
    for (let column = 0; column < dimension; column++) {
      const number = vector[column];
      if (typeof number !== 'number' || !Number.isFinite(Math.fround(number))) {
        throw refused('a vector must contain only finite numbers');
      }
      numbers[row * dimension + column] = number;
    }
  }
  return { dimension, numbers };
}

function lengthOf(vector: unknown) {
  const isList = Array.isArray(vector) || vector instanceof Float32Array || vector instanceof Float64Array;
  return isList ? vector.length : 0;
}

/** @param cause for debugging; its message may contain an address or a key */
function refused(why: string, cause?: unknown) {
  return new ConfigError(`The application's embed cannot be used: ${why}.`, { cause });
}
