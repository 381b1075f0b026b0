import { defineAdapter } from '../adapter.js';
import { beforeDeadline } from '../deadline.js';
import { FairLock } from '../fair_lock.js';
import { RowCollector } from '../row_collector.js';
import { fromDriver } from '../values.js';

/**
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {import('../adapter.js').SqlStatement} SqlStatement
 * @typedef {import('../adapter.js').SqlLimits} SqlLimits
 */

/** TIMESTAMP and DATETIME, as the protocol numbers them. */
const MOMENTS = [7, 12];

/** Dates as text, integers of 64 bits exactly, decimals as text. */
const READING = { dateStrings: true, supportBigNumbers: true, bigNumberStrings: false, decimalNumbers: false };

/**
 * A pool or a connection of `mysql2`, with callbacks or promises.
 * @type {typeof import('../../../index.js').mysql2}
 */
export function mysql2(source) {
  const turns = new FairLock();
  return defineAdapter({
    dialect: 'mysql',
    connect: async ({ signal }) => {
      if (typeof source.getConnection === 'function') {
        const held = await promising(source).getConnection();
        return mysqlConnection(held.connection, (state) => (state === 'broken' ? held.destroy() : held.release()));
      }
      return mysqlConnection(source.connection ?? source, await turns.acquire(signal));
    },
  });
}

/** @param {any} source */
function promising(source) {
  return typeof source.promise === 'function' ? source.promise() : source;
}

/**
 * One connection of `mysql2`, held for a run.
 * @param {any} core the connection with callbacks
 * @param {(state: 'clean' | 'broken') => unknown} release
 * @returns {SqlConnection}
 */
export function mysqlConnection(core, release) {
  /** @param {string} sql */
  const run = (sql) =>
    new Promise((resolve, reject) => {
      core.query(sql, (/** @type {unknown} */ error, /** @type {unknown} */ answer) =>
        error ? reject(error) : resolve(answer),
      );
    });
  let busy = 0;
  /** @type {Promise<unknown>} */
  let stopping = Promise.resolve();
  let stopped = false;
  const stop = () => {
    if (busy > 0) {
      stopped = true;
      stopping = Promise.all([stopping, kill(core)]);
    }
    return stopping;
  };
  return {
    begin: async ({ limits }) => {
      await run(limits.readOnly ? 'START TRANSACTION READ ONLY' : 'START TRANSACTION');
    },
    query: (statement, limits) => {
      busy += 1;
      const work = stream(core, statement, limits, stop).finally(() => {
        busy -= 1;
      });
      return beforeDeadline(work, limits.statementTimeoutMs, stop);
    },
    commit: async () => {
      await run('COMMIT');
    },
    rollback: async () => {
      // No request to stop that is still on its way may meet the next statement.
      await stopping;
      await run('ROLLBACK');
    },
    cancel: stop,
    // The server may hold such a request against the next statement after all, so nobody else gets the connection.
    release: (state) => release(stopped ? 'broken' : state),
  };
}

/**
 * @param {any} core
 * @param {SqlStatement} statement
 * @param {SqlLimits} limits
 * @param {() => unknown} stop
 * @returns {Promise<import('../adapter.js').SqlAnswer>}
 */
function stream(core, { sql, values }, limits, stop) {
  return new Promise((resolve, reject) => {
    const rows = new RowCollector(limits, (excess) => {
      stop();
      reject(excess);
    });
    let affected = 0;
    let returns = false;
    /** @type {Set<string>} */
    let moments = new Set();
    // Prepared by the server: values are never written into the text.
    const command = core.execute({ sql, values: values.map(toMysql), ...READING });
    command.on('fields', (/** @type {{ name: string, columnType: number }[] | undefined} */ fields) => {
      returns ||= fields !== undefined;
      const found = fields?.filter(({ columnType }) => MOMENTS.includes(columnType)) ?? [];
      moments = new Set(found.map(({ name }) => name));
    });
    command.on('result', (/** @type {any} */ row) => {
      if (returns) rows.add(plainRow(row, moments));
      else affected = row?.affectedRows ?? 0;
    });
    command.on('error', (/** @type {Error} */ error) => reject(rows.excess ?? error));
    command.on('end', () => {
      try {
        resolve({ rows: returns ? rows.text() : undefined, affected });
      } catch (error) {
        reject(error);
      }
    });
  });
}

/**
 * @param {Record<string, unknown>} row
 * @param {Set<string>} moments columns that hold a date and a time
 */
function plainRow(row, moments) {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      moments.has(key) && typeof value === 'string' ? value.replace(' ', 'T') : fromDriver(value),
    ]),
  );
}

/**
 * Integers go as text: as floats they would not fit a LIMIT.
 * @param {unknown} value
 */
function toMysql(value) {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) return JSON.stringify(value);
  if (typeof value === 'string' && ISO_DATE.test(value)) return value.replace('T', ' ').replace('Z', '');
  return value;
}

/** MySQL does not take the spelling that dates cross with. */
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * Stops the statement of a connection, over a connection of its own.
 * @param {any} core
 * @returns {Promise<void>}
 */
function kill(core) {
  return new Promise((resolve) => {
    const Connection = '_pool' in core ? Object.getPrototypeOf(core.constructor) : core.constructor;
    const helper = new Connection({ config: core.config });
    helper.on('error', () => resolve());
    helper.query(`KILL QUERY ${Number(core.threadId)}`, () => {
      helper.destroy();
      resolve();
    });
  });
}
