import { tooManyBytes } from '../values.js';
import { MysqlSieve } from './mysql_sieve.js';
import { wireBytes } from './wire_limits.js';

/**
 * The bytes of one connection of `mysql2`, for as long as a run holds it. The sieve takes the place of what reads packets,
 * which is behind TLS and behind decompression.
 */
export class MysqlWire {
  #core;
  #key;
  #parser;
  #sieve;

  /** @param {any} core the connection with callbacks, at this moment between two packets */
  constructor(core) {
    this.#core = core;
    this.#key = core._inflatedPacketsParser ? '_inflatedPacketsParser' : 'packetParser';
    const parser = core[this.#key];
    this.#parser = parser;
    const sieve = new MysqlSieve((bytes) => parser.execute(bytes));
    this.#sieve = sieve;
    core[this.#key] = {
      execute: (/** @type {Buffer} */ bytes) => {
        // What the driver makes of a statement of ours may cost the connection, and never the process.
        try {
          sieve.push(bytes);
        } catch (error) {
          if (!sieve.isArmed) throw error;
          core.stream.destroy(error instanceof Error ? error : new Error(String(error)));
        }
      },
    };
  }

  /**
   * A statement is sent now; more bytes than its rows can need are not read.
   * @param {import('../row_collector.js').RowCollector} rows
   * @param {number} maxBytes
   */
  allow(rows, maxBytes) {
    this.#sieve.allow({ rowBytes: wireBytes(maxBytes), exceed: () => rows.exceed(tooManyBytes(maxBytes)) });
  }

  /** The statement has been answered. */
  settle() {
    this.#sieve.settle();
  }

  close() {
    this.#core[this.#key] = this.#parser;
  }
}
