/** Selects the SQL adapter for a source by its shape. */

import { ConfigError } from '../boundary/errors.js';
import type { PostgresJsOptions, SqlAdapter, SqlDialect, SqlTransactions, SyncSqliteOptions } from '../types/sql.js';
import type { DatabaseAdapter } from './adapter.js';
import { isAdapter } from './adapter.js';
import { betterSqlite3 } from './adapters/better_sqlite3.js';
import { executor } from './adapters/executor.js';
import { knex, knexDialect } from './adapters/knex.js';
import { mysql2 } from './adapters/mysql2.js';
import { nodeSqlite } from './adapters/node_sqlite.js';
import { pg } from './adapters/pg.js';
import { postgresJs } from './adapters/postgres_js.js';
import { prisma, prismaDialect } from './adapters/prisma.js';
import { queryAndTransaction } from './adapters/query_and_transaction.js';
import type { KnownDialect } from './dialects.js';
import { knownDialect } from './dialects.js';
import { holdsTransactions } from './run/sql_run.js';

/** A drizzle database over one of the drivers above, with the options of that driver's adapter. */
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function drizzle(db: any, options?: SyncSqliteOptions & PostgresJsOptions): SqlAdapter {
  return adapterOf(db.$client, options);
}

const has = (value: unknown, name: string) =>
  typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function';

/** A source of unknown shape. */
type Source = Readonly<Record<string, unknown>>;

/** Methods, because `make` and `dialect` take what `fits` has recognised. */
type Shape = {
  fits(value: Source): boolean;
  make(value: unknown, options?: object): DatabaseAdapter;
  dialect(value: unknown): SqlDialect | undefined;
  plain?: true;
};

/** The shape of each library's object; the first match wins. */
const SHAPES: Shape[] = [
  {
    fits: isAdapter,
    make: (value: DatabaseAdapter) => value,
    dialect: (value: DatabaseAdapter) => value.dialect,
  },
  {
    fits: (value) => has(value, '$queryRawUnsafe') && has(value, '$transaction'),
    make: prisma,
    dialect: prismaDialect,
  },
  { fits: (value) => has(value, 'raw') && has(value.client, 'acquireConnection'), make: knex, dialect: knexDialect },
  {
    fits: (value) => typeof value === 'object' && '$client' in value && has(value, 'select'),
    make: drizzle,
    dialect: (value: { $client: unknown }) => dialectOf(value.$client),
  },
  { fits: (value) => has(value, 'unsafe') && has(value, 'reserve'), make: postgresJs, dialect: () => 'postgres' },
  {
    fits: (value) => has(value, 'getConnection') || (has(value, 'execute') && has(value, 'beginTransaction')),
    make: mysql2,
    dialect: () => 'mysql',
  },
  { fits: (value) => has(value, 'connect') && has(value, 'query'), make: pg, dialect: () => 'postgres' },
  { fits: (value) => has(value, 'prepare') && has(value, 'pragma'), make: betterSqlite3, dialect: () => 'sqlite' },
  {
    fits: (value) => has(value, 'prepare') && has(value, 'exec') && !has(value, 'pragma'),
    make: nodeSqlite,
    dialect: () => 'sqlite',
  },
  {
    fits: (value) => typeof value === 'object' && has(value, 'query') && has(value, 'transaction'),
    make: queryAndTransaction,
    dialect: (value: SqlTransactions) => value.dialect,
  },
  { fits: (value) => typeof value === 'function', make: executor, dialect: () => 'any', plain: true },
];

function shapeOf(source: unknown) {
  return source === null || source === undefined ? undefined : SHAPES.find(({ fits }) => fits(source as Source));
}

/** The dialect of a source, without using it; undefined if unknown. @internal */
export function dialectOf(source: unknown): KnownDialect | undefined {
  return knownDialect(shapeOf(source)?.dialect(source));
}

/** Whether a source is a plain function without transactions. @internal */
export function isPlain(source: unknown) {
  return isAdapter(source) ? !holdsTransactions(source) : shapeOf(source)?.plain === true;
}

/**
 * The adapter for a source: an adapter, an object of a supported library, or a plain function.
 * @param options of the library's adapter
 * @internal
 */
export function adapterOf(source: unknown, options?: object): DatabaseAdapter {
  const shape = shapeOf(source);
  if (shape) return shape.make(source, options);
  const problem = typeof source === 'string' ? 'is a text, not a connection' : 'is not supported';
  throw new ConfigError(
    `The SQL source ${problem}. Pass a pool or client of pg, postgres, mysql2, better-sqlite3, node:sqlite, drizzle, prisma or knex, sqlite(file), { query, transaction }, or a function (sql, params) => Promise<rows>.`,
    { details: { key: 'sql', field: 'sql' } },
  );
}
