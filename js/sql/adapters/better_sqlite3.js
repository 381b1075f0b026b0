/** SQL adapter for better-sqlite3. */

import { besideApplication, fileFacts } from './shared_sqlite.js';
import { syncSqlite } from './sync_sqlite.js';

/** @typedef {import('../adapter.js').SqlAdapter} SqlAdapter */

/** One adapter per database, shared by all of its uses. @type {WeakMap<object, SqlAdapter>} */
const adapters = new WeakMap();

/**
 * An adapter for a `better-sqlite3` database.
 * @type {typeof import('../../../index.js').betterSqlite3}
 */
export function betterSqlite3(db, { onMainThread = false } = {}) {
  if (onMainThread) return syncSqlite(betterSqlite3Database(db));
  const application = {
    isOpen: () => db.open,
    inTransaction: () => db.inTransaction,
    optIn: 'betterSqlite3(db, { onMainThread: true })',
  };
  const adapter = adapters.get(db) ?? besideApplication(betterSqlite3Facts(db, application.optIn), application);
  adapters.set(db, adapter);
  return /** @type {any} */ (adapter);
}

/**
 * @param {any} db
 * @param {string} optIn
 */
export function betterSqlite3Facts(db, optIn) {
  return fileFacts({
    optIn,
    ask: (pragma) => db.pragma(pragma),
    isOpen: () => db.open,
    inTransaction: () => db.inTransaction,
    isReadOnly: () => db.readonly,
  });
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
