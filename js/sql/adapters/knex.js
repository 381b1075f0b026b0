/** SQL adapter for knex. */

import { ConfigError } from '../../boundary/errors.js';
import { defineAdapter } from '../adapter.js';
import { betterSqlite3Database, betterSqlite3Facts } from './better_sqlite3.js';
import { discardMysql, mysqlConnection } from './mysql2.js';
import { discardPg, pgConnection } from './pg.js';
import { besideApplication } from './shared_sqlite.js';
import { syncConnection } from './sync_sqlite.js';

/**
 * @typedef {import('../adapter.js').SqlAdapter} SqlAdapter
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {{ onMainThread?: boolean }} Options
 */

/**
 * The supported knex drivers.
 * @type {Record<string, { dialect: import('../adapter.js').SqlDialect, make: (client: any, options: Options) => SqlAdapter }>}
 */
const DRIVERS = {
  pg: {
    dialect: 'postgres',
    make: (client) =>
      onConnections('postgres', client, (connection) =>
        pgConnection(connection, (state) =>
          state === 'broken' ? discard(client, connection, discardPg) : client.releaseConnection(connection),
        ),
      ),
  },
  mysql2: {
    dialect: 'mysql',
    make: (client) =>
      onConnections('mysql', client, (connection) =>
        mysqlConnection(connection, {
          takeBack: () => client.releaseConnection(connection),
          discard: () => discard(client, connection, discardMysql),
          hasOthers: true,
        }),
      ),
  },
  'better-sqlite3': {
    dialect: 'sqlite',
    make: (client, { onMainThread }) => (onMainThread ? onOwnConnection(client) : besideKnex(client)),
  },
};

/** @param {any} client @returns {typeof DRIVERS[string] | undefined} */
function driverOf(client) {
  return Object.hasOwn(DRIVERS, client.driverName) ? DRIVERS[client.driverName] : undefined;
}

/** @param {any} instance */
export function knexDialect(instance) {
  return driverOf(instance.client)?.dialect;
}

/**
 * An adapter for a knex instance over pg, mysql2 or better-sqlite3.
 * @type {typeof import('../../../index.js').knex}
 */
export function knex(instance, options = {}) {
  const { client } = instance;
  const driver = driverOf(client);
  if (driver) return /** @type {any} */ (driver.make(client, options));
  throw new ConfigError(
    `knex over "${client.driverName}" is not supported. Use one of ${Object.keys(DRIVERS).join(', ')}.`,
    { details: { key: 'sql' } },
  );
}

/**
 * @param {import('../adapter.js').SqlDialect} dialect
 * @param {any} client
 * @param {(connection: any) => SqlConnection} hold
 */
function onConnections(dialect, client, hold) {
  return defineAdapter({ dialect, connect: async () => hold(await client.acquireConnection()) });
}

/**
 * Closes a connection immediately. The mark makes knex remove it from its pool.
 * @param {any} client
 * @param {any} connection
 * @param {(connection: any) => void} end
 */
async function discard(client, connection, end) {
  connection.__knex__disposed = 'broken';
  end(connection);
  await client.releaseConnection(connection);
}

/** @param {any} client */
function onOwnConnection(client) {
  return onConnections('sqlite', client, (connection) =>
    syncConnection(betterSqlite3Database(connection), () => client.releaseConnection(connection)),
  );
}

/** @param {any} client */
function besideKnex(client) {
  const optIn = 'knex(instance, { onMainThread: true })';
  /** @type {Promise<import('../adapter.js').TransactionalAdapter> | undefined} shared by all runs, which are serialised */
  let adapter;
  const made = async () =>
    besideApplication(await factsOf(client, optIn), {
      // knex opens and closes connections on demand, and its transactions use separate ones.
      isOpen: () => true,
      inTransaction: () => false,
      optIn,
    });
  return defineAdapter({
    dialect: 'sqlite',
    connect: async (need) => {
      adapter ??= made().catch((error) => {
        adapter = undefined;
        throw error;
      });
      return (await adapter).connect(need);
    },
    close: async () => (await adapter?.catch(() => undefined))?.close?.(),
  });
}

/**
 * @param {any} client
 * @param {string} optIn
 */
async function factsOf(client, optIn) {
  const connection = await client.acquireConnection();
  try {
    return betterSqlite3Facts(connection, optIn);
  } finally {
    await client.releaseConnection(connection);
  }
}
