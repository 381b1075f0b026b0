/** SQL adapter for postgres.js. */

import { randomUUID } from 'node:crypto';
import { SqlError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import type { PostgresJsOptions, SqlAdapter } from '../../types/sql.js';
import type { SqlConnection, SqlLimits, SqlNeed, SqlStatement } from '../adapter.js';
import { defineAdapter, refuseOptions } from '../adapter.js';
import { memberOf } from '../driver_error.js';
import type { ByteStream, PostgresJs, PostgresJsQuery } from '../drivers.js';
import { CANCEL_MS } from '../postgres/pg_cancel.js';
import { beginPostgres, CONTROL, checkCommitted, GRACE_MS, rowWriter, toPostgresText } from '../postgres/pg_values.js';
import type { ReservedConnection } from '../postgres/postgres_js_connection.js';
import { reserveConnection } from '../postgres/postgres_js_connection.js';
import { RowCollector } from '../rows/row_collector.js';
import { beforeDeadline, notAnswered } from '../waiting/statement_deadline.js';
import { Stopper } from '../waiting/stopper.js';
import { PostgresWire } from '../wire/postgres_wire.js';

/**
 * The PostgreSQL type `unknown`: the server infers the type from the context. For any other type the driver serialises the value
 * with its own functions, which drizzle replaces.
 */
const UNKNOWN = 705;

/** How long a socket may take to close. */
const CLOSE_TIMEOUT_MS = 1_000;

/** SQLSTATE of a cancelled statement. */
const QUERY_CANCELED = '57014';

/** The `sql` of `postgres` (postgres.js). */
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function postgresJs(sql: any, options: PostgresJsOptions = {}): SqlAdapter {
  refuseOptions('postgresJs', options, ['unmetered']);
  const { unmetered = false } = options;
  const server = { version: 0, unmetered };
  return defineAdapter({
    dialect: 'postgres',
    connect: async () => new HeldConnection(await reserveConnection(sql), sql, server),
  });
}

/** Sockets that were verified to carry the server's bytes unchanged. */
const verified = new WeakSet<ByteStream>();

class HeldConnection implements SqlConnection {
  #reserved;
  #sql;
  #server;
  #wire = new PostgresWire();
  #waitMs = GRACE_MS;
  #hasBegun = false;
  #current: PostgresJsQuery | undefined;
  #stopper = new Stopper(() => cancelQuery(this.#current));

  /** @param server version 0: not queried yet */
  constructor(reserved: ReservedConnection, sql: PostgresJs, server: { version: number; unmetered: boolean }) {
    this.#reserved = reserved;
    this.#sql = sql;
    this.#server = server;
  }

  async begin({ limits }: SqlNeed) {
    this.#waitMs += limits.statementTimeoutMs;
    await beforeDeadline(this.#begin(limits), this.#waitMs, ignored);
  }

  async #begin(limits: SqlLimits) {
    const { socket } = this.#reserved;
    const isMetered = socket !== undefined && (verified.has(socket) || (await this.#verifies(socket)));
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

  async query({ sql, values }: SqlStatement, limits: SqlLimits) {
    const parameters = values.map((value) => {
      const text = toPostgresText(value);
      return text === null ? null : this.#sql.typed(text, UNKNOWN);
    });
    const rows = new RowCollector(limits, () => this.#stopper.soon());
    // The extended protocol accepts a single statement only.
    const work = this.#stopper.watch(this.#run(sql, parameters, { simple: false }, rows, limits.maxBytes));
    const { columns, count } = await beforeDeadline(rows.during(work), this.#waitMs, () => this.cancel());
    return { rows: (columns?.length ?? 0) > 0 ? rows.text() : undefined, affected: count ?? 0 };
  }

  async commit() {
    this.#reserved.giveBackAfterNext();
    const { command } = await beforeDeadline(this.#control('COMMIT'), this.#waitMs, ignored, notAnswered);
    checkCommitted(command);
  }

  async rollback() {
    await this.#stopper.settled;
    // A failed COMMIT has also ended the transaction, and returned the connection to the driver.
    if (!this.#reserved.isOurs()) return;
    this.#reserved.giveBackAfterNext();
    // A ROLLBACK without a transaction would make the driver print a server warning.
    await this.#control(this.#hasBegun ? 'ROLLBACK' : 'SELECT 1');
  }

  cancel() {
    return this.#stopper.now();
  }

  async release(state: 'clean' | 'broken') {
    // The driver takes a connection back only after a query, so an unused one runs one here.
    if (state === 'clean' && this.#reserved.isOurs()) await this.rollback().catch(ignored);
    this.#wire.close();
    if (!this.#reserved.isOurs() && state === 'clean') return;
    // Waits until the driver has noticed the closed connection; before that it would lend it to others.
    this.#reserved.end();
    await beforeDeadline(this.#reserved.closed, CLOSE_TIMEOUT_MS, ignored);
  }

  /**
   * Verifies that the socket carries the connection's bytes: for a custom socket, Node may know only the underlying one.
   */
  async #verifies(socket: ByteStream) {
    const mark = randomUUID();
    let seen = '';
    const look = (chunk: Buffer) => {
      seen += chunk.toString('latin1');
      if (seen.includes(mark)) verified.add(socket);
      // The mark may arrive in pieces.
      seen = seen.slice(-mark.length);
    };
    socket.on('data', look);
    try {
      await this.#control(`SELECT '${mark}' AS mark`);
    } finally {
      socket.removeListener('data', look);
    }
    return verified.has(socket);
  }

  #control(text: string) {
    return this.#run(text, [], {}, new RowCollector(CONTROL, ignored), CONTROL.maxBytes);
  }

  async #run(text: string, parameters: unknown[], settings: object, rows: RowCollector, maxBytes: number) {
    // The driver would write to a closed socket.
    if (!this.#reserved.isOurs()) throw new Error('the connection is lost');
    this.#wire.allow(rows, maxBytes);
    const query = this.#reserved.query(text, parameters, settings).raw();
    this.#current = query;
    let write: ReturnType<typeof rowWriter> | undefined;
    try {
      return await query.forEach((row, { statement }) => {
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

/** Cancels a query. Settles when the server has received the request, or after a timeout. */
async function cancelQuery(query: PostgresJsQuery | undefined) {
  const canceller = query?.canceller;
  if (!query || !canceller) return;
  // Called directly, because the driver's `cancel` leaves its failure unhandled.
  query.canceller = null;
  // Over TLS the driver does not report completion; the statement's own failure does.
  const stopped = new Promise((resolve) => {
    query.then(ignored, (error: unknown) => {
      if (memberOf(error, 'code') === QUERY_CANCELED) resolve(undefined);
    });
  });
  await beforeDeadline(Promise.race([canceller(query), stopped]), CANCEL_MS, ignored);
}

function noMeter() {
  return new SqlError(
    "The socket of postgres.js is not accessible, so the size of rows cannot be limited before they are in memory. Use the driver's default socket, or pass postgresJs(sql, { unmetered: true }) if the database is trusted.",
    { details: { reason: 'unmetered' } },
  );
}
