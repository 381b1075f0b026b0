/** SQL adapter for knex. */

import { ConfigError } from '../../boundary/errors.js';
import type { SqlAdapter, SqlDialect, SyncSqliteOptions } from '../../types/sql.js';
import type { DatabaseAdapter, SqlConnection, TransactionalAdapter } from '../adapter.js';
import { defineAdapter, refuseOptions } from '../adapter.js';
import type { BetterSqlite3, KnexClient, MysqlConnection, PgClient } from '../drivers.js';
import { betterSqlite3Database, betterSqlite3Facts } from './better_sqlite3.js';
import { discardMysql, mysqlConnection } from './mysql2.js';
import { discardPg, pgConnection } from './pg.js';
import { besideApplication } from './shared_sqlite.js';
import { syncConnection } from './sync_sqlite.js';

type Driver = {
  dialect: SqlDialect;
  /** A method, so that each driver declares its own connections. */
  make(client: KnexClient, options: SyncSqliteOptions): DatabaseAdapter;
};

/** The supported knex drivers. */
const DRIVERS: Record<string, Driver> = {
  pg: {
    dialect: 'postgres',
    make: (client: KnexClient<PgClient>) =>
      onConnections('postgres', client, (connection) =>
        pgConnection(connection, (state) =>
          state === 'broken' ? discard(client, connection, discardPg) : client.releaseConnection(connection),
        ),
      ),
  },
  mysql2: {
    dialect: 'mysql',
    make: (client: KnexClient<MysqlConnection>) =>
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
    make: (client: KnexClient<BetterSqlite3>, { onMainThread }) =>
      onMainThread ? onOwnConnection(client) : besideKnex(client),
  },
};

function driverOf(client: KnexClient): Driver | undefined {
  return Object.hasOwn(DRIVERS, client.driverName) ? DRIVERS[client.driverName] : undefined;
}

/** @internal */
export function knexDialect(instance: { client: KnexClient }) {
  return driverOf(instance.client)?.dialect;
}

/** A knex instance over pg, mysql2 or better-sqlite3; the options are those of {@link betterSqlite3}. */
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function knex(instance: any, options: SyncSqliteOptions = {}): SqlAdapter {
  refuseOptions('knex', options, ['onMainThread']);
  const { client }: { client: KnexClient } = instance;
  const driver = driverOf(client);
  if (driver) return driver.make(client, options);
  throw new ConfigError(
    `knex over "${client.driverName}" is not supported. Use one of ${Object.keys(DRIVERS).join(', ')}.`,
    { details: { key: 'sql' } },
  );
}

function onConnections<Connection>(
  dialect: SqlDialect,
  client: KnexClient<Connection>,
  hold: (connection: Connection) => SqlConnection,
) {
  return defineAdapter({ dialect, connect: async () => hold(await client.acquireConnection()) });
}

/** Closes a connection immediately. The mark makes knex remove it from its pool. */
async function discard<Connection>(
  client: KnexClient<Connection>,
  connection: Connection & { __knex__disposed?: string },
  end: (connection: Connection) => void,
) {
  connection.__knex__disposed = 'broken';
  end(connection);
  await client.releaseConnection(connection);
}

function onOwnConnection(client: KnexClient<BetterSqlite3>) {
  return onConnections('sqlite', client, (connection) =>
    syncConnection(betterSqlite3Database(connection), () => client.releaseConnection(connection)),
  );
}

function besideKnex(client: KnexClient<BetterSqlite3>) {
  const optIn = 'knex(instance, { onMainThread: true })';
  /** Shared by all runs, which are serialised. */
  let adapter: Promise<TransactionalAdapter> | undefined;
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

async function factsOf(client: KnexClient<BetterSqlite3>, optIn: string) {
  const connection = await client.acquireConnection();
  try {
    return betterSqlite3Facts(connection, optIn);
  } finally {
    await client.releaseConnection(connection);
  }
}
