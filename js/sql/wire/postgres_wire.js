/** Limits the bytes that PostgreSQL drivers read. */

import { tooManyBytes } from '../values.js';
import { PostgresFilter } from './postgres_filter.js';
import { wireBytes } from './wire_limits.js';
import { tap } from './wire_tap.js';

/**
 * @typedef {import('../row_collector.js').RowCollector} RowCollector
 * @typedef {{ filter: PostgresFilter, remove: () => void }} Tap
 */

/** The byte stream of a connection while a run uses it. */
export class PostgresWire {
  /** @type {Tap | undefined} */
  #tap;

  /** @param {any} socket between two messages */
  open(socket) {
    this.#tap ??= tap(socket, (deliver) => new PostgresFilter(deliver));
  }

  /**
   * Limits the bytes of the statement that is sent next.
   * @param {RowCollector} rows
   * @param {number} maxBytes
   */
  allow(rows, maxBytes) {
    this.#tap?.filter.allow({ rowBytes: wireBytes(maxBytes), exceed: () => rows.exceed(tooManyBytes(maxBytes)) });
  }

  /** Ends the limit when the statement has been answered. */
  settle() {
    this.#tap?.filter.settle();
  }

  close() {
    this.#tap?.remove();
    this.#tap = undefined;
  }
}
