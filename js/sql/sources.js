/** Selects the SQL adapter for a source by its shape. */

import { ConfigError } from '../boundary/errors.js';
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
import { holdsTransactions } from './sql_run.js';

/**
 * @typedef {import('./adapter.js').SqlAdapter} SqlAdapter
 * @typedef {import('./adapter.js').SqlDialect} SqlDialect
 */

/**
 * An adapter for a drizzle database, by its driver.
 * @type {typeof import('../../index.js').drizzle}
 */
export const drizzle = (/** @type {any} */ db, /** @type {object | undefined} */ options) =>
  /** @type {any} */ (adapterOf(db.$client, options));

/** @param {any} value @param {string} name */
const has = (value, name) => typeof value?.[name] === 'function';

/**
 * The shape of each library's object; the first match wins.
 * @type {{ fits: (value: any) => boolean, make: (value: any, options?: any) => unknown, dialect: (value: any) => SqlDialect | undefined, plain?: true }[]}
 */
const SHAPES = [
  { fits: isAdapter, make: (value) => value, dialect: (value) => value.dialect },
  {
    fits: (value) => has(value, '$queryRawUnsafe') && has(value, '$transaction'),
    make: prisma,
    dialect: prismaDialect,
  },
  { fits: (value) => has(value, 'raw') && has(value?.client, 'acquireConnection'), make: knex, dialect: knexDialect },
  {
    fits: (value) => typeof value === 'object' && '$client' in value && has(value, 'select'),
    make: drizzle,
    dialect: (value) => dialectOf(value.$client),
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
    dialect: (value) => value.dialect,
  },
  { fits: (value) => typeof value === 'function', make: executor, dialect: () => 'any', plain: true },
];

/** @param {unknown} source */
function shapeOf(source) {
  return source === null || source === undefined ? undefined : SHAPES.find(({ fits }) => fits(source));
}

/**
 * The dialect of a source, without using it; undefined if unknown.
 * @param {unknown} source
 * @returns {SqlDialect | undefined}
 */
export function dialectOf(source) {
  const dialect = shapeOf(source)?.dialect(source);
  return dialect === 'any' ? undefined : dialect;
}

/**
 * Whether a source is a plain function without transactions.
 * @param {unknown} source
 */
export function isPlain(source) {
  return isAdapter(source) ? !holdsTransactions(source) : shapeOf(source)?.plain === true;
}

/**
 * The adapter for a source: an adapter, an object of a supported library, or a plain function.
 * @param {unknown} source
 * @param {object} [options] of the library's adapter
 * @returns {SqlAdapter}
 */
export function adapterOf(source, options) {
  const shape = shapeOf(source);
  if (shape) return /** @type {SqlAdapter} */ (shape.make(source, options));
  throw new ConfigError(
    'The SQL source is not supported. Pass a pool or client of pg, postgres, mysql2, better-sqlite3, node:sqlite, drizzle, prisma or knex, sqlite(file), { query, transaction }, or a function (sql, params) => Promise<rows>.',
    { details: { key: 'sql', field: 'sql' } },
  );
}
