import { tooManyBytes } from '../values.js';
import { PostgresSieve } from './postgres_sieve.js';
import { wireBytes } from './wire_limits.js';
import { tap } from './wire_tap.js';

/**
 * @typedef {import('../row_collector.js').RowCollector} RowCollector
 * @typedef {{ sieve: PostgresSieve, remove: () => void }} Tap
 */

/** The bytes of one connection, for as long as a run holds it. */
export class PostgresWire {
  /** @type {Tap | undefined} */
  #tap;

  /** @param {any} socket which at this moment is between two messages */
  open(socket) {
    this.#tap ??= tap(socket, (deliver) => new PostgresSieve(deliver));
  }

  /**
   * A statement is sent now; more bytes than its rows can need are not read.
   * @param {RowCollector} rows
   * @param {number} maxBytes
   */
  allow(rows, maxBytes) {
    this.#tap?.sieve.allow({ rowBytes: wireBytes(maxBytes), exceed: () => rows.exceed(tooManyBytes(maxBytes)) });
  }

  /** The statement has been answered. */
  settle() {
    this.#tap?.sieve.settle();
  }

  close() {
    this.#tap?.remove();
    this.#tap = undefined;
  }
}
