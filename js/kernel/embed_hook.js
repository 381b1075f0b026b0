/** The application's own model. It may throw, hang, or give anything at all; what it gives is checked before it is used. */

import { beforeDeadline, TooLate } from '../boundary/deadline.js';
import { dropOldest } from '../boundary/drop_oldest.js';
import { ConfigError } from '../boundary/errors.js';
import { settled } from '../boundary/foreign_promise.js';
import { messageOf } from '../boundary/thrown.js';

/**
 * @typedef {import('../../index.js').EmbedTexts} EmbedTexts
 * @typedef {import('../../index.js').Logger} Logger
 * @typedef {{ dimension: number, numbers: Float32Array }} Vectors one after the other
 */

/** Numbers per vector; the same as in `crates/embed/src/vector.rs`. */
const MAX_DIMENSION = 8192;
/** Nobody waits for the texts of tools, but for a request somebody does. */
const TEXTS_TIMEOUT_MS = 30_000;
const QUERY_TIMEOUT_MS = 3000;
/** After a failure searches go by words for so long. */
const REST_MS = 30_000;
/** Requests whose vectors are remembered: agents ask the same thing more than once. */
const MAX_REMEMBERED = 64;
/** A longer request is refused by the kernel. */
const MAX_QUERY_LENGTH = 4096;

const UNEQUAL = 'all vectors must have the same number of numbers';

export class EmbedHook {
  /** @type {EmbedTexts} */
  #embed;
  /** @type {Logger} */
  #logger;
  /** @type {Map<string, Float32Array>} */
  #remembered = new Map();
  /** Numbers per vector, once there was one. @type {number | undefined} */
  #dimension;
  /** Until when the hook is left alone. */
  #restsUntil = 0;
  #hasWarned = false;

  /**
   * @param {EmbedTexts} embed
   * @param {Logger} logger
   */
  constructor(embed, logger) {
    this.#embed = embed;
    this.#logger = logger;
  }

  /**
   * The vectors of texts, as the kernel reads them.
   * @param {string[]} texts
   */
  async encoded(texts) {
    const { dimension, numbers } = await this.#ask(texts, TEXTS_TIMEOUT_MS);
    const bytes = Buffer.alloc(numbers.length * 4);
    for (const [index, number] of numbers.entries()) bytes.writeFloatLE(number, index * 4);
    return { dimension, numbers: bytes.toString('base64') };
  }

  /**
   * The vector of a request; nothing when there is none to be had in time. Never rejects.
   * @param {string} query
   * @returns {Promise<Float32Array | undefined>}
   */
  async vectorOf(query) {
    if (query.trim() === '' || query.length > MAX_QUERY_LENGTH) return undefined;
    const known = this.#remembered.get(query);
    if (known) return known;
    if (performance.now() < this.#restsUntil) return undefined;
    try {
      const { numbers } = await this.#ask([query], QUERY_TIMEOUT_MS);
      dropOldest(this.#remembered, MAX_REMEMBERED);
      this.#remembered.set(query, numbers);
      this.#hasWarned = false;
      return numbers;
    } catch (error) {
      this.#restsUntil = performance.now() + REST_MS;
      if (!this.#hasWarned) this.#logger.warn(`Tools are found by their words alone for now. ${messageOf(error)}`);
      this.#hasWarned = true;
      return undefined;
    }
  }

  /**
   * @param {string[]} texts
   * @param {number} timeoutMs
   * @returns {Promise<Vectors>}
   */
  async #ask(texts, timeoutMs) {
    try {
      // A copy: what the application does to it stays there.
      const given = await beforeDeadline(() => settled(this.#embed([...texts])), timeoutMs);
      const vectors = checked(given, texts.length);
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

/**
 * @param {unknown} given
 * @param {number} count
 * @returns {Vectors}
 */
function checked(given, count) {
  if (!Array.isArray(given) || given.length !== count) {
    throw refused(`it must give an array of ${count} vectors for ${count} texts`);
  }
  const dimension = lengthOf(given[0]);
  if (!(dimension >= 1 && dimension <= MAX_DIMENSION)) {
    throw refused(`a vector must have 1 to ${MAX_DIMENSION} numbers`);
  }
  const numbers = new Float32Array(count * dimension);
  for (let row = 0; row < count; row++) {
    const vector = given[row];
    if (lengthOf(vector) !== dimension) throw refused(UNEQUAL);
    for (let column = 0; column < dimension; column++) {
      const number = vector[column];
      if (typeof number !== 'number' || !Number.isFinite(Math.fround(number))) {
        throw refused('a vector must hold finite numbers and nothing else');
      }
      numbers[row * dimension + column] = number;
    }
  }
  return { dimension, numbers };
}

/** @param {unknown} vector */
function lengthOf(vector) {
  const isList = Array.isArray(vector) || vector instanceof Float32Array || vector instanceof Float64Array;
  return isList ? vector.length : 0;
}

/**
 * @param {string} why
 * @param {unknown} [cause] kept for whoever debugs; its text may hold an address or a key
 */
function refused(why, cause) {
  return new ConfigError(`The application's embed cannot be used: ${why}.`, { cause });
}
