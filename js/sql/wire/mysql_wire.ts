/** Limits the bytes that mysql2 reads. */

import type { MysqlConnection, MysqlParser } from '../drivers.js';
import type { RowCollector } from '../rows/row_collector.js';
import { tooManyBytes } from '../rows/values.js';
import { MysqlFilter } from './mysql_filter.js';
import { wireBytes } from './wire_limits.js';
import { turnsOf } from './wire_tap.js';

/**
 * The byte stream of a `mysql2` connection while a run uses it. The filter replaces the driver's packet parser, after TLS and
 * decompression.
 */
export class MysqlWire {
  #core;
  #tap: { filter: MysqlFilter; remove: () => void } | undefined;

  /** @param core the connection with callbacks */
  constructor(core: MysqlConnection) {
    this.#core = core;
  }

  /** Limits the bytes of the statement that is sent next. No other statement may be running. */
  allow(rows: RowCollector, maxBytes: number) {
    this.#tap ??= tap(this.#core);
    this.#tap.filter.allow({ rowBytes: wireBytes(maxBytes), exceed: () => rows.exceed(tooManyBytes(maxBytes)) });
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

/** @param core between two packets, because counting starts here */
function tap(core: MysqlConnection) {
  const key = core._inflatedPacketsParser ? '_inflatedPacketsParser' : 'packetParser';
  const parser = core[key] as MysqlParser;
  const filter = new MysqlFilter((bytes) => parser.execute(bytes));
  const inTurns = turnsOf(core.stream);
  core[key] = {
    execute: (bytes: Buffer) => {
      // An exception of the driver during our statement closes the connection instead of crashing the process.
      try {
        inTurns(() => filter.push(bytes));
      } catch (error) {
        if (!filter.isArmed) throw error;
        core.stream.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    },
  };
  return {
    filter,
    remove: () => {
      core[key] = parser;
    },
  };
}
