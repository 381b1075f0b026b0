import { randomUUID } from 'node:crypto';
import { SqlError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import { defineAdapter } from '../adapter.js';
import { CANCEL_MS } from '../pg_cancel.js';
import { beginPostgres, CONTROL, checkCommitted, GRACE_MS, rowWriter, toPostgresText } from '../pg_values.js';
import { hold } from '../postgres_js_hold.js';
import { RowCollector } from '../row_collector.js';
import { beforeDeadline, notAnswered } from '../statement_deadline.js';
import { Stopper } from '../stopper.js';
import { PostgresWire } from '../wire/postgres_wire.js';

/**
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {import('../postgres_js_hold.js').Hold} Hold
 */

/**
 * The type of a literal, which the server settles by its place. Any other would make this driver write the value by rules
 * of its own, which drizzle changes.
 */
const UNKNOWN = 705;

/** How long a socket may take to close. */
const CLOSE_MS = 1_000;

/** What the server calls a statement that was stopped. */
const QUERY_CANCELED = '57014';

/**
 * The `sql` function of postgres.js.
 * @type {typeof import('../../../index.js').postgresJs}
 */
export function postgresJs(sql, { unmetered = false } = {}) {
  const server = { version: 0, unmetered };
  return defineAdapter({
    dialect: 'postgres',
    connect: async () => new HeldConnection(await hold(sql), sql, server),
  });
}

/** Sockets that were seen to carry what the server says, as it says it. */
const known = new WeakSet();

/** @implements {SqlConnection} */
class HeldConnection {
  #held;
  #sql;
  #server;
  #wire = new PostgresWire();
  #waitMs = GRACE_MS;
  #hasBegun = false;
  /** @type {any} */
  #current;
  #stopper = new Stopper(() => cancelQuery(this.#current));

  /**
   * @param {Hold} held
   * @param {any} sql
   * @param {{ version: number, unmetered: boolean }} server its version is 0 until it has been asked
   */
  constructor(held, sql, server) {
    this.#held = held;
    this.#sql = sql;
    this.#server = server;
  }

  /** @param {import('../adapter.js').SqlNeed} need */
  async begin({ limits }) {
    this.#waitMs += limits.statementTimeoutMs;
    await beforeDeadline(this.#begin(limits), this.#waitMs, ignored);
  }

  /** @param {import('../adapter.js').SqlLimits} limits */
  async #begin(limits) {
    const { socket } = this.#held;
    const isMetered = socket !== undefined && (known.has(socket) || (await this.#recognises(socket)));
    if (isMetered) this.#wire.open(socket);
    else if (!this.#server.unmetered) throw noMeter();
    if (this.#server.version === 0) {
      const rows = new RowCollector(CONTROL, ignored);
      await this.#run('SHOW server_version_num', [], {}, rows, CONTROL.maxBytes);
      this.#server.version = Number(JSON.parse(rows.text())[0]?.server_version_num ?? 0);
    }
    this.#hasBegun = true;
    await this.#control(beginPostgres(limits, this.#server.version));
  }

  /**
   * @param {import('../adapter.js').SqlStatement} statement
   * @param {import('../adapter.js').SqlLimits} limits
   */
  async query({ sql, values }, limits) {
    const parameters = values.map((value) => {
      const text = toPostgresText(value);
      return text === null ? null : this.#sql.typed(text, UNKNOWN);
    });
    const rows = new RowCollector(limits, () => this.#stopper.soon());
    // Not as a simple query: the extended protocol takes one statement only, whatever the text says.
    const work = this.#stopper.watch(this.#run(sql, parameters, { simple: false }, rows, limits.maxBytes));
    const { columns, count } = await beforeDeadline(rows.during(work), this.#waitMs, () => this.cancel());
    return { rows: (columns?.length ?? 0) > 0 ? rows.text() : undefined, affected: count ?? 0 };
  }

  async commit() {
    this.#held.giveBackAfterNext();
    const { command } = await beforeDeadline(this.#control('COMMIT'), this.#waitMs, ignored, notAnswered);
    checkCommitted(command);
  }

  async rollback() {
    await this.#stopper.settled;
    // A COMMIT that failed has ended the transaction as well, and the driver has the connection again.
    if (!this.#held.isOurs()) return;
    this.#held.giveBackAfterNext();
    // The server would warn of a ROLLBACK without a transaction, and the driver print it.
    await this.#control(this.#hasBegun ? 'ROLLBACK' : 'SELECT 1');
  }

  cancel() {
    return this.#stopper.now();
  }

  /** @param {'clean' | 'broken'} state */
  async release(state) {
    // A connection that was never used still has to be given back, which the driver does after a query.
    if (state === 'clean' && this.#held.isOurs()) await this.rollback().catch(ignored);
    this.#wire.close();
    if (!this.#held.isOurs() && state === 'clean') return;
    // One that is ended goes back by its end; until the driver has noticed, it would be given to others.
    this.#held.end();
    await beforeDeadline(this.#held.closed, CLOSE_MS, ignored);
  }

  /**
   * Whether the socket is the right one: of a socket of the application's own making, Node may know only what lies beneath.
   * @param {any} socket
   */
  async #recognises(socket) {
    const mark = randomUUID();
    let seen = '';
    const look = (/** @type {Buffer} */ chunk) => {
      seen += chunk.toString('latin1');
      if (seen.includes(mark)) known.add(socket);
      // The mark may arrive in pieces.
      seen = seen.slice(-mark.length);
    };
    socket.on('data', look);
    try {
      await this.#control(`SELECT '${mark}' AS mark`);
    } finally {
      socket.removeListener('data', look);
    }
    return known.has(socket);
  }

  /** @param {string} text */
  #control(text) {
    return this.#run(text, [], {}, new RowCollector(CONTROL, ignored), CONTROL.maxBytes);
  }

  /**
   * @param {string} text
   * @param {unknown[]} parameters
   * @param {object} settings
   * @param {RowCollector} rows
   * @param {number} maxBytes
   */
  async #run(text, parameters, settings, rows, maxBytes) {
    // The driver would write to a socket that is not there any more.
    if (!this.#held.isOurs()) throw new Error('the connection is lost');
    this.#wire.allow(rows, maxBytes);
    const query = this.#held.query(text, parameters, settings).raw();
    this.#current = query;
    /** @type {ReturnType<typeof rowWriter> | undefined} */
    let write;
    try {
      return await query.forEach((/** @type {(Buffer | null)[]} */ row, /** @type {any} */ { statement }) => {
        rows.add((room) => {
          write ??= rowWriter(statement.columns);
          return write(row, room);
        });
      });
    } finally {
      this.#wire.settle();
      this.#current = undefined;
    }
  }
}

/**
 * Settles when the server has passed on the request to stop, or does not answer.
 * @param {any} query
 */
async function cancelQuery(query) {
  const canceller = query?.canceller;
  if (!canceller) return;
  // Called here, since the driver's own `cancel` leaves a failure of it to nobody.
  query.canceller = null;
  // Over TLS the driver does not tell when it is done, but then the statement does.
  const stopped = new Promise((resolve) => {
    query.then(ignored, (/** @type {any} */ error) => {
      if (error?.code === QUERY_CANCELED) resolve(undefined);
    });
  });
  await beforeDeadline(Promise.race([canceller(query), stopped]), CANCEL_MS, ignored);
}

function noMeter() {
  return new SqlError(
    'The socket of postgres.js cannot be reached, so the size of rows cannot be limited before they are in memory. Use the socket that the driver makes by itself, or pass postgresJs(sql, { unmetered: true }) if the database is trusted.',
    { details: { reason: 'unmetered' } },
  );
}
