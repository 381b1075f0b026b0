import { unreadableRow } from './driver_error.js';
import { BEYOND_ROOM, tooManyBytes, tooManyRows } from './values.js';

/**
 * Takes rows one by one and stops at the limits, so that no result is larger in memory than it may be. Drivers call it
 * from their event handlers, so nothing that happens here is thrown: what goes wrong is kept as the excess.
 */
export class RowCollector {
  #limits;
  #stop;
  /** @type {string[]} */
  #rows = [];
  #bytes = 2;
  /** @type {unknown} */
  #excess;
  /** @type {(excess: unknown) => void} */
  #giveUp = () => {};
  /** @type {Promise<never>} */
  #exceeded = new Promise((_, reject) => {
    this.#giveUp = reject;
  });

  /**
   * @param {{ maxRows: number, maxBytes: number }} limits
   * @param {(excess: unknown) => unknown} stop called once when a limit is reached
   */
  constructor(limits, stop) {
    this.#limits = limits;
    this.#stop = stop;
    this.#exceeded.catch(() => {});
  }

  /**
   * The outcome of the work that brings the rows; the limit as soon as one is reached, also when the work then fails.
   * @template T
   * @param {Promise<T>} work
   * @returns {Promise<T>}
   */
  async during(work) {
    try {
      return await Promise.race([work, this.#exceeded]);
    } catch (error) {
      throw this.#excess ?? error;
    }
  }

  /** @param {(room: number) => string} write the row's JSON text, at most as many characters as there is room for */
  add(write) {
    if (this.#excess) return;
    const { maxRows, maxBytes } = this.#limits;
    if (this.#rows.length >= maxRows) {
      this.exceed(tooManyRows(maxRows));
      return;
    }
    try {
      const text = write(maxBytes - this.#bytes);
      this.#bytes += Buffer.byteLength(text) + 1;
      if (this.#bytes > maxBytes) throw BEYOND_ROOM;
      this.#rows.push(text);
    } catch (error) {
      this.exceed(error === BEYOND_ROOM ? tooManyBytes(maxBytes) : unreadableRow(error));
    }
  }

  /** @param {unknown} excess why no more rows are taken */
  exceed(excess) {
    if (this.#excess) return;
    this.#excess = excess;
    this.#rows = [];
    this.#giveUp(excess);
    try {
      Promise.resolve(this.#stop(excess)).catch(() => {});
    } catch {}
  }

  /** The limit that was reached, which matters more than how the driver ended afterwards. */
  get excess() {
    return this.#excess;
  }

  text() {
    if (this.#excess) throw this.#excess;
    return `[${this.#rows.join(',')}]`;
  }
}

/**
 * The JSON text of rows that a driver has brought all at once, within the limits.
 * @param {unknown[]} rows
 * @param {{ maxRows: number, maxBytes: number }} limits
 * @param {(row: unknown, room: number) => string} write
 */
export function rowsText(rows, limits, write) {
  if (rows.length > limits.maxRows) throw tooManyRows(limits.maxRows);
  const collected = new RowCollector(limits, () => {});
  for (let index = 0; index < rows.length && !collected.excess; index += 1) {
    collected.add((room) => write(rows[index], room));
  }
  return collected.text();
}
