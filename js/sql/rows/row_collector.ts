/** Collects rows as JSON text within limits. */

import { unreadableRow } from '../driver_error.js';
import { BEYOND_ROOM, tooManyBytes, tooManyRows } from './values.js';

/**
 * Collects rows one by one and stops at the limits, so that the memory of a result is bounded. Drivers call it from event
 * handlers, so it does not throw: the first error is kept as the excess.
 */
export class RowCollector {
  #limits;
  #stop;
  #rows: string[] = [];
  #bytes = 2;
  #excess: unknown;
  #giveUp: (excess: unknown) => void = () => {};
  #exceeded: Promise<never> = new Promise((_, reject) => {
    this.#giveUp = reject;
  });

  /** @param stop called once when a limit is reached */
  constructor(limits: { maxRows: number; maxBytes: number }, stop: (excess: unknown) => unknown) {
    this.#limits = limits;
    this.#stop = stop;
    this.#exceeded.catch(() => {});
  }

  /** The outcome of the query, or the limit error as soon as a limit is reached. */
  async during<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#exceeded]);
    } catch (error) {
      throw this.#excess ?? error;
    }
  }

  /** @param write returns the row's JSON text, up to `room` characters */
  add(write: (room: number) => string) {
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

  /** @param excess the error that ends the collection */
  exceed(excess: unknown) {
    if (this.#excess) return;
    this.#excess = excess;
    this.#rows = [];
    this.#giveUp(excess);
    try {
      Promise.resolve(this.#stop(excess)).catch(() => {});
    } catch {}
  }

  /** The limit error, which takes precedence over a later error of the driver. */
  get excess() {
    return this.#excess;
  }

  text() {
    if (this.#excess) throw this.#excess;
    return `[${this.#rows.join(',')}]`;
  }
}

/** The JSON text of an array of rows, within the limits. */
export function rowsText(
  rows: unknown[],
  limits: { maxRows: number; maxBytes: number },
  write: (row: unknown, room: number) => string,
) {
  if (rows.length > limits.maxRows) throw tooManyRows(limits.maxRows);
  const collected = new RowCollector(limits, () => {});
  for (let index = 0; index < rows.length && !collected.excess; index += 1) {
    collected.add((room) => write(rows[index], room));
  }
  return collected.text();
}
