/** SQL adapter for Prisma. */

import { ConfigError } from '../../boundary/errors.js';
import { defineAdapter } from '../adapter.js';
import { rowText } from '../json_writer.js';
import { beginPostgres } from '../pg_values.js';
import { rowsText } from '../row_collector.js';
import { beforeDeadline } from '../statement_deadline.js';

/**
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {import('../adapter.js').SqlDialect} SqlDialect
 */

/** @type {Record<string, SqlDialect>} */
const DIALECTS = {
  postgresql: 'postgres',
  postgres: 'postgres',
  cockroachdb: 'postgres',
  mysql: 'mysql',
  sqlite: 'sqlite',
};

/** Replaces Prisma's transaction timeout of 5 s: the sandbox limits the run time. */
const LIMITS = { timeout: 3_600_000, maxWait: 60_000 };

/** Rejects the transaction callback to roll it back. */
const UNDO = Symbol('undo');

/**
 * An adapter for a Prisma client.
 * @type {typeof import('../../../index.js').prisma}
 */
export function prisma(client) {
  const dialect = prismaDialect(client);
  if (!dialect) {
    throw new ConfigError(`Prisma over "${providerOf(client)}" is not supported. Use PostgreSQL, MySQL or SQLite.`, {
      details: { key: 'sql' },
    });
  }
  return defineAdapter({ dialect, connect: async () => interactive(client, dialect) });
}

/** @param {any} client */
function providerOf(client) {
  return client._activeProvider ?? client._engineConfig?.activeProvider;
}

/**
 * @param {any} client
 * @returns {SqlDialect | undefined}
 */
export function prismaDialect(client) {
  return DIALECTS[providerOf(client)];
}

/**
 * @param {any} client
 * @param {SqlDialect} dialect
 * @returns {SqlConnection}
 */
function interactive(client, dialect) {
  /** @type {any} */
  let transaction;
  /** @type {(value?: unknown) => void} */
  let finish = () => {};
  /** @type {(reason: unknown) => void} */
  let fail = () => {};
  /** @type {Promise<unknown>} */
  let done = Promise.resolve();
  return {
    begin: async ({ limits }) => {
      await new Promise((resolve, reject) => {
        const open = new Promise((end, undo) => {
          finish = end;
          fail = undo;
        });
        done = client.$transaction((/** @type {any} */ tx) => {
          transaction = tx;
          resolve(undefined);
          return open;
        }, LIMITS);
        done.catch(reject);
      });
      if (dialect !== 'postgres') return;
      const [, ...settings] = beginPostgres(limits, 0).split('; ');
      if (limits.readOnly) settings.push('SET TRANSACTION READ ONLY');
      for (const setting of settings) await transaction.$executeRawUnsafe(setting);
    },
    query: async ({ sql, values, returns }, limits) => {
      const work =
        returns === 'rows'
          ? transaction.$queryRawUnsafe(sql, ...values)
          : transaction.$executeRawUnsafe(sql, ...values);
      const answer = await beforeDeadline(Promise.resolve(work), limits.statementTimeoutMs, () => {});
      if (returns === 'count') return { rows: undefined, affected: Number(answer) };
      const rows = Array.isArray(answer) ? answer : [];
      return { rows: rowsText(rows, limits, rowText), affected: rows.length };
    },
    commit: async () => {
      finish();
      await done;
    },
    rollback: async () => {
      fail(UNDO);
      await done.catch((error) => {
        if (error !== UNDO) throw error;
      });
    },
    cancel: () => {},
    release: () => {},
  };
}
