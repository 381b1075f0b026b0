import { tooManyBytes, tooManyRows } from './values.js';

/**
 * Takes rows one by one and stops at the limits, so that no result is larger in memory than it may be.
 */
export class RowCollector {
  #limits;
  #stop;
  /** @type {string[]} */
  #rows = [];
  #bytes = 2;
  /** @type {Error | undefined} */
  #excess;

  /**
   * @param {{ maxRows: number, maxBytes: number }} limits
   * @param {(excess: Error) => unknown} stop called once when a limit is reached
   */
  constructor(limits, stop) {
    this.#limits = limits;
    this.#stop = stop;
  }

  /** @param {object} row plain data */
  add(row) {
    if (this.#excess) return;
    const text = JSON.stringify(row);
    this.#bytes += Buffer.byteLength(text) + 1;
    if (this.#rows.length >= this.#limits.maxRows) this.#exceed(tooManyRows(this.#limits.maxRows));
    else if (this.#bytes > this.#limits.maxBytes) this.#exceed(tooManyBytes(this.#limits.maxBytes));
    else this.#rows.push(text);
  }

  /** @param {Error} excess */
  #exceed(excess) {
    this.#excess = excess;
    this.#rows = [];
    this.#stop(excess);
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
