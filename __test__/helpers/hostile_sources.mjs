/**
 * One source of each driver, as an application creates it, for programs that are attacked through it.
 *
 * @typedef {{ postgres: number, mariadb: number, folder: string }} Where ports of the servers, and a folder for files
 * @typedef {object} Source
 * @property {any} source what the kernel gets
 * @property {() => unknown} pool the numbers of busy connections and waiting requests, if the driver has them
 * @property {() => unknown} close
 */

import { join } from 'node:path';
import { ANSWERS } from './hostile_answers.mjs';

const HOST = '127.0.0.1';
const unknownCounts = () => 'unknown';

/** @param {Where} where */
const postgresOf = ({ postgres }) => ({ host: HOST, port: postgres, user: 'postgres', database: 'postgres' });
/** @param {Where} where */
const mysqlOf = ({ mariadb }) => ({ host: HOST, port: mariadb, user: 'root', database: 'mysql' });

/** @param {any} settings */
async function pgPool(settings) {
  const { default: pg } = await import(/** @type {any} */ ('pg'));
  const pool = new pg.Pool({ max: 2, ...settings });
  pool.on('error', () => {});
  return {
    source: /** @type {any} */ (pool),
    // A connection that was thrown away is gone; whatever is left must be free.
    pool: () => ({ busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

/** @param {any} settings */
async function postgresJs(settings) {
  const { default: postgres } = await import('postgres');
  const sql = postgres({ max: 2, onnotice: () => {}, ...settings });
  return { source: /** @type {any} */ (sql), pool: unknownCounts, close: () => sql.end({ timeout: 1 }) };
}

/** @param {any} settings */
async function mysqlPool(settings) {
  const { default: mysql } = await import('mysql2/promise');
  const pool = mysql.createPool({ connectionLimit: 2, ...settings });
  return { source: /** @type {any} */ (pool), pool: () => mysqlCounts(pool.pool), close: () => pool.end() };
}

/** @param {any} pool */
function mysqlCounts(pool) {
  return { busy: pool._allConnections.length - pool._freeConnections.length, waiting: pool._connectionQueue.length };
}

/**
 * @param {string} client
 * @param {any} connection
 */
async function knex(client, connection) {
  const { default: makeKnex } = await import('knex');
  const instance = makeKnex({ client, connection, pool: { min: 0, max: 2 }, useNullAsDefault: true });
  return {
    source: /** @type {any} */ (instance),
    pool: () => ({ busy: instance.client.pool.numUsed(), waiting: instance.client.pool.numPendingAcquires() }),
    close: () => instance.destroy(),
  };
}

/** @param {Where} where */
async function betterSqlite3({ folder }) {
  const { default: BetterSqlite3 } = await import('better-sqlite3');
  const db = new BetterSqlite3(join(folder, 'hostile.db'));
  return { source: /** @type {any} */ (db), pool: unknownCounts, close: () => db.close() };
}

/** @param {string} sql */
async function answer(sql) {
  const hostile = ANSWERS[/^SELECT '(.*)'$/.exec(sql)?.[1] ?? ''];
  if (hostile) return hostile();
  return sql.startsWith('SELECT') ? [{ word: 'fine' }] : [];
}

/** @type {Record<string, (where: Where) => Promise<Source>>} */
export const SOURCES = {
  'pg pool': (where) => pgPool(postgresOf(where)),
  'pg pool over TLS': (where) => pgPool({ ...postgresOf(where), ssl: { rejectUnauthorized: false } }),
  'pg client': async (where) => {
    const { default: pg } = await import(/** @type {any} */ ('pg'));
    const client = new pg.Client(postgresOf(where));
    await client.connect();
    return { source: client, pool: unknownCounts, close: () => client.end() };
  },
  'postgres.js': (where) => postgresJs(postgresOf(where)),
  'postgres.js over TLS': (where) => postgresJs({ ...postgresOf(where), ssl: 'require' }),
  'knex over pg': (where) => knex('pg', postgresOf(where)),
  'drizzle over pg': async (where) => {
    const { drizzle } = await import('drizzle-orm/node-postgres');
    const { source, pool, close } = await pgPool(postgresOf(where));
    return { source: drizzle(source), pool, close };
  },
  'drizzle over postgres.js': async (where) => {
    const { drizzle } = await import('drizzle-orm/postgres-js');
    const { source, pool, close } = await postgresJs(postgresOf(where));
    return { source: drizzle(source), pool, close };
  },
  'mysql2 pool': (where) => mysqlPool(mysqlOf(where)),
  'mysql2 pool, compressed': (where) => mysqlPool({ ...mysqlOf(where), compress: true }),
  'mysql2 pool over TLS': (where) => mysqlPool({ ...mysqlOf(where), ssl: { rejectUnauthorized: false } }),
  'mysql2 connection': async (where) => {
    const { default: mysql } = await import('mysql2/promise');
    const connection = await mysql.createConnection(mysqlOf(where));
    return { source: connection, pool: unknownCounts, close: () => connection.end() };
  },
  'mysql2 with callbacks': async (where) => {
    const { default: mysql } = await import('mysql2');
    const pool = mysql.createPool({ connectionLimit: 2, ...mysqlOf(where) });
    return { source: pool, pool: () => mysqlCounts(pool), close: () => new Promise((done) => pool.end(done)) };
  },
  'knex over mysql2': (where) => knex('mysql2', mysqlOf(where)),
  'drizzle over mysql2': async (where) => {
    const { drizzle } = await import('drizzle-orm/mysql2');
    const { source, pool, close } = await mysqlPool(mysqlOf(where));
    return { source: drizzle(source), pool, close };
  },
  'better-sqlite3': betterSqlite3,
  'knex over better-sqlite3': (where) => knex('better-sqlite3', { filename: join(where.folder, 'hostile.db') }),
  'drizzle over better-sqlite3': async (where) => {
    const { drizzle } = await import('drizzle-orm/better-sqlite3');
    const { source, pool, close } = await betterSqlite3(where);
    return { source: drizzle(source), pool, close };
  },
  'plain function': async () => ({ source: answer, pool: unknownCounts, close: () => {} }),
  // Looks like its client; the packages themselves are tested on request.
  'prisma, a stand-in': async () => {
    const transaction = { $queryRawUnsafe: answer, $executeRawUnsafe: answer };
    const $transaction = (/** @type {(tx: object) => Promise<unknown>} */ work) => work(transaction);
    return {
      source: { ...transaction, $transaction, _activeProvider: 'sqlite' },
      pool: unknownCounts,
      close: () => {},
    };
  },
  'node:sqlite': async ({ folder }) => {
    // Not in the types of the oldest Node that is supported.
    const { DatabaseSync } = await import(/** @type {any} */ ('node:sqlite'));
    const db = new DatabaseSync(join(folder, 'hostile.db'));
    return { source: db, pool: unknownCounts, close: () => db.close() };
  },
};
