/** SQL adapter for pg. */

import { ConfigError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import type { SqlAdapter } from '../../types/sql.js';
import type { SqlConnection } from '../adapter.js';
import { defineAdapter, refuseOptions } from '../adapter.js';
import type { PgClient } from '../drivers.js';
import { cancelOnPg } from '../postgres/pg_cancel.js';
import { runOnPg } from '../postgres/pg_statement.js';
import { beginPostgres, CONTROL, checkCommitted, GRACE_MS, toPostgresText } from '../postgres/pg_values.js';
import { RowCollector } from '../rows/row_collector.js';
import { FairLock } from '../waiting/fair_lock.js';
import { beforeDeadline, notAnswered } from '../waiting/statement_deadline.js';
import { Stopper } from '../waiting/stopper.js';
import { PostgresWire } from '../wire/postgres_wire.js';

type Release = (state: 'clean' | 'broken') => unknown;

/**
 * A `Pool` or `Client` of `pg`. Rows beyond `maxBytes` are dropped on their way from the socket, before the driver takes
 * them into memory; so it must be `pg` itself and not `pg-native`.
 */
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function pg(source: any): SqlAdapter;
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function pg(source: any, none?: object): SqlAdapter {
  refuseOptions('pg', none);
  if (!('totalCount' in source) && source.pipeline) {
    throw new ConfigError(
      'A pg client in pipeline mode cannot be shared with tools: their rows cannot be distinguished from those of the application. Pass a pool, or a client without pipeline.',
      { details: { key: 'sql' } },
    );
  }
  const turns = new FairLock();
  return defineAdapter({
    dialect: 'postgres',
    connect: async ({ signal }) => {
      if ('totalCount' in source) {
        const client = await source.connect();
        return pgConnection(client, (state) => client.release(state === 'broken'));
      }
      const leave = await turns.acquire(signal);
      return pgConnection(source, (state) => {
        if (state === 'broken') discardPg(source);
        leave();
      });
    },
  });
}

/** Closes a client in an unknown state. @internal */
export function discardPg(client: PgClient) {
  // An 'error' event without a listener would crash the process.
  client.on('error', ignored);
  client.connection.stream.destroy();
}

/** One `pg` client, reserved for a run. @internal */
export function pgConnection(client: PgClient, release: Release): SqlConnection {
  if (typeof client.connection?.stream?.emit !== 'function') {
    release('clean');
    throw new ConfigError(
      'pg-native reads whole results into memory, so they cannot be limited. Pass a pool or client of "pg" itself.',
      { details: { key: 'sql' } },
    );
  }
  // A connection lost between two statements is reported here; the next statement then fails.
  client.on('error', ignored);
  const wire = new PostgresWire();
  let waitMs = GRACE_MS;
  const stopper = new Stopper(() => cancelOnPg(client));
  const control = (text: string) =>
    runOnPg(client, wire, { text }, new RowCollector(CONTROL, ignored), CONTROL.maxBytes);
  return {
    begin: async ({ limits }) => {
      waitMs += limits.statementTimeoutMs;
      const begin = async () => control(beginPostgres(limits, await versionOf(client, wire)));
      await beforeDeadline(begin(), waitMs, ignored);
    },
    query: async ({ sql, values }, limits) => {
      const rows = new RowCollector(limits, () => stopper.soon());
      const statement = { text: sql, values: values.map(toPostgresText) };
      const work = stopper.watch(runOnPg(client, wire, statement, rows, limits.maxBytes));
      const { returns, affected } = await beforeDeadline(rows.during(work), waitMs, () => stopper.now());
      return { rows: returns ? rows.text() : undefined, affected };
    },
    commit: async () => {
      const { command } = await beforeDeadline(control('COMMIT'), waitMs, ignored, notAnswered);
      checkCommitted(command);
    },
    rollback: async () => {
      await stopper.settled;
      await control('ROLLBACK');
    },
    cancel: () => stopper.now(),
    release: (state) => {
      // Immediately: without the filter, the driver would continue in the middle of a filtered message.
      if (state === 'broken') client.connection.stream.destroy();
      wire.close();
      client.removeListener('error', ignored);
      return release(state);
    },
  };
}

const versions = new WeakMap<object, number>();

async function versionOf(client: PgClient, wire: PostgresWire) {
  const cached = versions.get(client);
  if (cached !== undefined) return cached;
  const rows = new RowCollector(CONTROL, ignored);
  await runOnPg(client, wire, { text: 'SHOW server_version_num' }, rows, CONTROL.maxBytes);
  const version = Number(JSON.parse(rows.text())[0]?.server_version_num ?? 0);
  versions.set(client, version);
  return version;
}
