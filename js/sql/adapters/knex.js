import { ConfigError } from '../../errors.js';
import { defineAdapter } from '../adapter.js';
import { betterSqlite3Database } from './better_sqlite3.js';
import { mysqlConnection } from './mysql2.js';
import { pgConnection } from './pg.js';
import { syncConnection } from './sync_sqlite.js';

/**
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {import('../adapter.js').SqlDialect} SqlDialect
 * @typedef {(state: 'clean' | 'broken') => unknown} Release
 */

/**
 * The drivers of knex that hold transactions for us, each with how its raw connection is used.
 * @type {Record<string, { dialect: SqlDialect, hold: (connection: any, release: Release) => SqlConnection }>}
 */
const DRIVERS = {
  pg: { dialect: 'postgres', hold: pgConnection },
  mysql2: { dialect: 'mysql', hold: mysqlConnection },
  'better-sqlite3': {
    dialect: 'sqlite',
    hold: (connection, release) => syncConnection(betterSqlite3Database(connection), release),
  },
};

/**
 * An instance of knex over pg, mysql2 or better-sqlite3.
 * @type {typeof import('../../../index.js').knex}
 */
export function knex(instance) {
  const { client } = instance;
  const driver = Object.hasOwn(DRIVERS, client.driverName) ? DRIVERS[client.driverName] : undefined;
  if (!driver) {
    throw new ConfigError(
      `knex over "${client.driverName}" is not known here. Use one of ${Object.keys(DRIVERS).join(', ')}.`,
      { details: { key: 'sql' } },
    );
  }
  return defineAdapter({
    dialect: driver.dialect,
    connect: async () => {
      const connection = await client.acquireConnection();
      return driver.hold(connection, async (state) => {
        // Knex throws a connection away when it is marked.
        if (state === 'broken') connection.__knex__disposed = 'broken';
        await client.releaseConnection(connection);
      });
    },
  });
}
