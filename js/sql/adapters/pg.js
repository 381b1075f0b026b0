/** SQL adapter for pg. */

import { ConfigError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import { defineAdapter } from '../adapter.js';
import { FairLock } from '../fair_lock.js';
import { cancelOnPg } from '../pg_cancel.js';
import { runOnPg } from '../pg_statement.js';
import { beginPostgres, CONTROL, checkCommitted, GRACE_MS, toPostgresText } from '../pg_values.js';
import { RowCollector } from '../row_collector.js';
import { beforeDeadline, notAnswered } from '../statement_deadline.js';
import { Stopper } from '../stopper.js';
import { PostgresWire } from '../wire/postgres_wire.js';

/**
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {(state: 'clean' | 'broken') => unknown} Release
 */

/**
 * An adapter for a `pg` pool or client.
 * @type {typeof import('../../../index.js').pg}
 */
export function pg(source) {
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

/**
 * Closes a client in an unknown state.
 * @param {any} client
 */
export function discardPg(client) {
  // An 'error' event without a listener would crash the process.
  client.on('error', ignored);
  client.connection.stream.destroy();
}

/**
 * One `pg` client, reserved for a run.
 * @param {any} client
 * @param {Release} release
 * @returns {SqlConnection}
 */
export function pgConnection(client, release) {
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
  /** @param {string} text */
  const control = (text) => runOnPg(client, wire, { text }, new RowCollector(CONTROL, ignored), CONTROL.maxBytes);
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

/** @type {WeakMap<object, number>} */
const versions = new WeakMap();

/**
 * @param {any} client
 * @param {PostgresWire} wire
 */
async function versionOf(client, wire) {
  const cached = versions.get(client);
  if (cached !== undefined) return cached;
  const rows = new RowCollector(CONTROL, ignored);
  await runOnPg(client, wire, { text: 'SHOW server_version_num' }, rows, CONTROL.maxBytes);
  const version = Number(JSON.parse(rows.text())[0]?.server_version_num ?? 0);
  versions.set(client, version);
  return version;
}
