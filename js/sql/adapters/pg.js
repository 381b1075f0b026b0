import { defineAdapter } from '../adapter.js';
import { beforeDeadline } from '../deadline.js';
import { FairLock } from '../fair_lock.js';
import { beginPostgres, checkCommitted, readerOf, toPostgresText } from '../pg_values.js';
import { RowCollector } from '../row_collector.js';

/**
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {import('../adapter.js').SqlStatement} SqlStatement
 * @typedef {import('../adapter.js').SqlLimits} SqlLimits
 */

/** The server has its own clock for statements; ours is for a server that does not answer. */
const GRACE_MS = 1_000;

/** Hands every value over as the server's text. */
const TEXT_TYPES = { getTypeParser: () => (/** @type {string} */ text) => text };

/**
 * A pool or a client of `pg`.
 * @type {typeof import('../../../index.js').pg}
 */
export function pg(source) {
  const turns = new FairLock();
  return defineAdapter({
    dialect: 'postgres',
    connect: async ({ signal }) => {
      if ('totalCount' in source) {
        const client = await source.connect();
        return pgConnection(client, (state) => client.release(state === 'broken'));
      }
      const leave = await turns.acquire(signal);
      return pgConnection(source, leave);
    },
  });
}

/**
 * One client of `pg`, held for a run.
 * @param {any} client
 * @param {(state: 'clean' | 'broken') => unknown} release
 * @returns {SqlConnection}
 */
export function pgConnection(client, release) {
  // A connection that is lost between two statements is reported here; the next statement fails by itself.
  const ignore = () => {};
  client.on('error', ignore);
  let busy = 0;
  /** @type {Promise<unknown>} */
  let stopping = Promise.resolve();
  const stop = () => {
    if (busy > 0) stopping = cancel(client);
    return stopping;
  };
  return {
    begin: async ({ limits }) => {
      await client.query(beginPostgres(limits, await versionOf(client)));
    },
    query: (statement, limits) => {
      busy += 1;
      const work = stream(client, statement, limits, stop).finally(() => {
        busy -= 1;
      });
      return beforeDeadline(work, limits.statementTimeoutMs + GRACE_MS, stop);
    },
    commit: async () => {
      const { command } = await client.query('COMMIT');
      checkCommitted(command);
    },
    rollback: async () => {
      // A request to stop that is still on its way must not meet the next statement.
      await stopping;
      await client.query('ROLLBACK');
    },
    cancel: stop,
    release: (state) => {
      client.removeListener('error', ignore);
      return release(state);
    },
  };
}

/** @type {WeakMap<object, Promise<number>>} */
const versions = new WeakMap();

/** @param {any} client */
function versionOf(client) {
  let version = versions.get(client);
  if (!version) {
    version = client
      .query('SHOW server_version_num')
      .then((/** @type {any} */ { rows }) => Number(rows[0].server_version_num));
    versions.set(client, /** @type {Promise<number>} */ (version));
  }
  return /** @type {Promise<number>} */ (version);
}

/**
 * @param {any} client
 * @param {SqlStatement} statement
 * @param {SqlLimits} limits
 * @param {() => unknown} stop
 * @returns {Promise<import('../adapter.js').SqlAnswer>}
 */
function stream(client, { sql, values }, limits, stop) {
  return new Promise((resolve, reject) => {
    const rows = new RowCollector(limits, (excess) => {
      stop();
      reject(excess);
    });
    const query = new client.constructor.Query({
      text: sql,
      values: values.map(toPostgresText),
      rowMode: 'array',
      types: TEXT_TYPES,
      // The extended protocol takes one statement only, whatever the text says.
      queryMode: 'extended',
    });
    /** @type {((row: (string | null)[]) => object) | undefined} */
    let read;
    query.on('row', (/** @type {(string | null)[]} */ row, /** @type {any} */ { fields }) => {
      read ??= rowReader(fields);
      rows.add(read(row));
    });
    query.on('error', (/** @type {Error} */ error) => reject(rows.excess ?? error));
    query.on('end', (/** @type {any} */ result) => {
      try {
        const returns = result.fields.length > 0;
        resolve({ rows: returns ? rows.text() : undefined, affected: result.rowCount ?? 0 });
      } catch (error) {
        reject(error);
      }
    });
    client.query(query);
  });
}

/** @param {{ name: string, dataTypeID: number }[]} fields */
function rowReader(fields) {
  const columns = fields.map(({ name, dataTypeID }) => ({ name, read: readerOf(dataTypeID) }));
  return (/** @type {(string | null)[]} */ row) => {
    const plain = Object.create(null);
    for (const [index, { name, read }] of columns.entries()) {
      const text = row[index] ?? null;
      plain[name] = text === null ? null : read(text);
    }
    return plain;
  };
}

/** A server that does not take the request to stop within this time will not take it at all. */
const CANCEL_MS = 2_000;

/**
 * Asks the server, over a connection of its own, to stop what the client's backend is doing. Settles when the server has
 * passed it on, which it tells by closing that connection.
 * @param {any} client
 * @returns {Promise<void>}
 */
function cancel(client) {
  return new Promise((resolve) => {
    const { host, port, user, database, ssl, processID, secretKey } = client;
    const { connection } = new client.constructor({ host, port, user, database, ssl });
    const timer = setTimeout(() => connection.stream.destroy(), CANCEL_MS);
    const send = () => connection.cancel(processID, secretKey);
    connection.on('error', () => {});
    connection.stream.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    connection.once('connect', () => {
      if (!ssl) send();
    });
    connection.once('sslconnect', send);
    if (host?.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
