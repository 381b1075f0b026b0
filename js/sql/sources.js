import { ConfigError } from '../boundary/errors.js';
import { isAdapter } from './adapter.js';
import { betterSqlite3 } from './adapters/better_sqlite3.js';
import { executor } from './adapters/executor.js';
import { knex } from './adapters/knex.js';
import { mysql2 } from './adapters/mysql2.js';
import { nodeSqlite } from './adapters/node_sqlite.js';
import { pg } from './adapters/pg.js';
import { postgresJs } from './adapters/postgres_js.js';
import { prisma } from './adapters/prisma.js';

/** @typedef {import('./adapter.js').SqlAdapter} SqlAdapter */

/**
 * A database of drizzle, by the driver behind it.
 * @type {typeof import('../../index.js').drizzle}
 */
export const drizzle = (/** @type {any} */ db, /** @type {object | undefined} */ options) =>
  /** @type {any} */ (adapterOf(db.$client, options));

/** @param {any} value @param {string} name */
const has = (value, name) => typeof value?.[name] === 'function';

/**
 * What each library's object looks like; the first that fits is taken.
 * @type {{ fits: (value: any) => boolean, make: (value: any, options?: any) => unknown }[]}
 */
const SHAPES = [
  { fits: isAdapter, make: (value) => value },
  { fits: (value) => has(value, '$queryRawUnsafe') && has(value, '$transaction'), make: prisma },
  { fits: (value) => has(value, 'raw') && has(value?.client, 'acquireConnection'), make: knex },
  { fits: (value) => typeof value === 'object' && '$client' in value && has(value, 'select'), make: drizzle },
  { fits: (value) => has(value, 'unsafe') && has(value, 'reserve'), make: postgresJs },
  {
    fits: (value) => has(value, 'getConnection') || (has(value, 'execute') && has(value, 'beginTransaction')),
    make: mysql2,
  },
  { fits: (value) => has(value, 'connect') && has(value, 'query'), make: pg },
  { fits: (value) => has(value, 'prepare') && has(value, 'pragma'), make: betterSqlite3 },
  { fits: (value) => has(value, 'prepare') && has(value, 'exec') && !has(value, 'pragma'), make: nodeSqlite },
  { fits: (value) => typeof value === 'function', make: executor },
];

/**
 * The adapter for what a user has: an adapter already, an object of a known library, or a plain function.
 * @param {unknown} source
 * @param {object} [options] of the library's adapter
 * @returns {SqlAdapter}
 */
export function adapterOf(source, options) {
  const shape = source === null || source === undefined ? undefined : SHAPES.find(({ fits }) => fits(source));
  if (shape) return /** @type {SqlAdapter} */ (shape.make(source, options));
  throw new ConfigError(
    'The SQL source is not one that is known. Pass a pool or client of pg, postgres, mysql2, better-sqlite3, node:sqlite, drizzle, prisma or knex, sqlite(file), or a function (sql, params) => Promise<rows>.',
    { details: { key: 'sql' } },
  );
}
