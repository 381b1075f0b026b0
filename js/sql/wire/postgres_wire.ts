/** Limits the bytes that PostgreSQL drivers read. */

import type { ByteStream } from '../drivers.js';
import type { RowCollector } from '../rows/row_collector.js';
import { tooManyBytes } from '../rows/values.js';
import { PostgresFilter } from './postgres_filter.js';
import { wireBytes } from './wire_limits.js';
import { tap } from './wire_tap.js';

type Tap = { filter: PostgresFilter; remove: () => void };

/** The byte stream of a connection while a run uses it. */
export class PostgresWire {
  #tap: Tap | undefined;

  /** @param socket between two messages */
  open(socket: ByteStream) {
    this.#tap ??= tap(socket, (deliver) => new PostgresFilter(deliver));
  }

  /** Limits the bytes of the statement that is sent next. */
  allow(rows: RowCollector, maxBytes: number) {
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
