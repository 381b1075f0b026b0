import { syncSqlite } from './sync_sqlite.js';

/**
 * A database of `better-sqlite3`.
 * @type {typeof import('../../../index.js').betterSqlite3}
 */
export function betterSqlite3(db) {
  return syncSqlite(betterSqlite3Database(db));
}

/**
 * @param {any} db
 * @returns {import('./sync_sqlite.js').SyncDatabase}
 */
export function betterSqlite3Database(db) {
  return {
    exec: (sql) => db.exec(sql),
    rows: (sql, values) => {
      const statement = db.prepare(sql).safeIntegers(true);
      if (statement.reader) return statement.iterate(...values);
      statement.run(...values);
      return [];
    },
    totalChanges: () => db.prepare('SELECT total_changes() AS n').get().n,
    inTransaction: () => db.inTransaction,
  };
}
