/** SQL adapter for Prisma. */

import { ConfigError } from '../../boundary/errors.js';
import type { SqlAdapter } from '../../types/sql.js';
import type { SqlConnection, SqlLimits } from '../adapter.js';
import { defineAdapter, refuseOptions } from '../adapter.js';
import type { KnownDialect } from '../dialects.js';
import type { PrismaClient, PrismaTransaction } from '../drivers.js';
import { beginPostgres } from '../postgres/pg_values.js';
import { rowText } from '../rows/json_writer.js';
import { rowsText } from '../rows/row_collector.js';
import { beforeDeadline } from '../waiting/statement_deadline.js';

/** The dialects of Prisma's providers. */
const PROVIDERS: Record<string, KnownDialect> = {
  postgresql: 'postgres',
  postgres: 'postgres',
  cockroachdb: 'postgres',
  mysql: 'mysql',
  sqlite: 'sqlite',
};

/** Replaces Prisma's transaction timeout of 5 s: the sandbox limits the run time. */
const LIMITS = { timeout: 3_600_000, maxWait: 60_000 };

/** The settings of a transaction, as statements; other databases are left as the client configures them. */
const SETTINGS: Record<KnownDialect, (limits: SqlLimits) => string[]> = {
  sqlite: () => [],
  mysql: () => [],
  postgres: (limits) => {
    const [, ...settings] = beginPostgres(limits, 0).split('; ');
    return limits.readOnly ? [...settings, 'SET TRANSACTION READ ONLY'] : settings;
  },
};

/** Rejects the transaction callback to roll it back. */
const UNDO = Symbol('undo');

/**
 * A Prisma client over PostgreSQL, MySQL or SQLite. It reads all rows of a statement into memory, whatever their size,
 * before `maxBytes` is checked; for agents that are not trusted, pass the pool of the driver beneath it.
 */
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function prisma(client: any): SqlAdapter;
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function prisma(client: any, none?: object): SqlAdapter {
  refuseOptions('prisma', none);
  const dialect = prismaDialect(client);
  if (!dialect) {
    throw new ConfigError(`Prisma over "${providerOf(client)}" is not supported. Use PostgreSQL, MySQL or SQLite.`, {
      details: { key: 'sql' },
    });
  }
  return defineAdapter({ dialect, connect: async () => interactive(client, dialect) });
}

function providerOf(client: PrismaClient) {
  return client._activeProvider ?? client._engineConfig?.activeProvider;
}

/** @internal */
export function prismaDialect(client: PrismaClient): KnownDialect | undefined {
  return PROVIDERS[providerOf(client) ?? ''];
}

function interactive(client: PrismaClient, dialect: KnownDialect): SqlConnection {
  let transaction: PrismaTransaction;
  let finish: (value?: unknown) => void = () => {};
  let fail: (reason: unknown) => void = () => {};
  let done: Promise<unknown> = Promise.resolve();
  return {
    begin: async ({ limits }) => {
      await new Promise((resolve, reject) => {
        const open = new Promise((end, undo) => {
          finish = end;
          fail = undo;
        });
        done = client.$transaction((tx) => {
          transaction = tx;
          resolve(undefined);
          return open;
        }, LIMITS);
        done.catch(reject);
      });
      for (const setting of SETTINGS[dialect](limits)) await transaction.$executeRawUnsafe(setting);
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
