import { tooManyBytes } from '../values.js';
import { MysqlSieve } from './mysql_sieve.js';
import { wireBytes } from './wire_limits.js';
import { turnsOf } from './wire_tap.js';

/**
 * The bytes of one connection of `mysql2`, for as long as a run holds it. The sieve takes the place of what reads packets,
 * which is behind TLS and behind decompression.
 */
export class MysqlWire {
  #core;
  /** @type {{ sieve: MysqlSieve, remove: () => void } | undefined} */
  #tap;

  /** @param {any} core the connection with callbacks */
  constructor(core) {
    this.#core = core;
  }

  /**
   * A statement is sent now, with nothing under way; more bytes than its rows can need are not read.
   * @param {import('../row_collector.js').RowCollector} rows
   * @param {number} maxBytes
   */
  allow(rows, maxBytes) {
    this.#tap ??= tap(this.#core);
    this.#tap.sieve.allow({ rowBytes: wireBytes(maxBytes), exceed: () => rows.exceed(tooManyBytes(maxBytes)) });
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

/** @param {any} core between two packets, since it starts to count them here */
function tap(core) {
  const key = core._inflatedPacketsParser ? '_inflatedPacketsParser' : 'packetParser';
  const parser = core[key];
  const sieve = new MysqlSieve((bytes) => parser.execute(bytes));
  const inTurns = turnsOf(core.stream);
  core[key] = {
    execute: (/** @type {Buffer} */ bytes) => {
      // What the driver makes of a statement of ours may cost the connection, and never the process.
      try {
        inTurns(() => sieve.push(bytes));
      } catch (error) {
        if (!sieve.isArmed) throw error;
        core.stream.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    },
  };
  return {
    sieve,
    remove: () => {
      core[key] = parser;
    },
  };
}
