/** SQL adapter for node:sqlite. */

import { SqlError } from '../../boundary/errors.js';
import { defineAdapter } from '../adapter.js';
import { besideApplication, fileFacts } from './shared_sqlite.js';
import { syncSqlite } from './sync_sqlite.js';

/** @typedef {import('../adapter.js').SqlAdapter} SqlAdapter */

/** One adapter per database, shared by all of its uses. @type {WeakMap<object, SqlAdapter>} */
const adapters = new WeakMap();

/**
 * An adapter for a `DatabaseSync` of `node:sqlite`.
 * @type {typeof import('../../../index.js').nodeSqlite}
 */
export function nodeSqlite(db, { onMainThread = false } = {}) {
  if (onMainThread) return syncSqlite(nodeSqliteDatabase(db));
  const adapter = adapters.get(db) ?? besideNode(db);
  adapters.set(db, adapter);
  return /** @type {any} */ (adapter);
}

/**
 * @param {any} db
 * @returns {SqlAdapter}
 */
function besideNode(db) {
  const application = {
    optIn: 'nodeSqlite(db, { onMainThread: true })',
    ask: (/** @type {string} */ pragma) => db.prepare(`PRAGMA ${pragma}`).all(),
    // Older versions of Node do not have `isOpen`.
    isOpen: () => db.isOpen ?? true,
    inTransaction: () => db.isTransaction,
    isReadOnly: () => false,
  };
  const facts = fileFacts(application);
  /** @type {import('../adapter.js').TransactionalAdapter | undefined} */
  let adapter;
  return defineAdapter({
    dialect: 'sqlite',
    connect: async (need) => {
      const made = adapter ?? besideApplication({ ...facts, readOnly: isReadOnly(db, application.ask) }, application);
      adapter = made;
      return made.connect(need);
    },
    close: async () => adapter?.close?.(),
  });
}

/**
 * Whether the connection is read-only. The driver does not report it, so a write is attempted and rolled back, without waiting
 * for a lock.
 * @param {any} db
 * @param {(pragma: string) => any[]} ask
 */
function isReadOnly(db, ask) {
  const [{ timeout }] = ask('busy_timeout');
  const [{ user_version: version }] = ask('user_version');
  try {
    db.exec('BEGIN');
  } catch {
    throw new SqlError(
      'The application has an open transaction on this database. End it before tools use the database for the first time.',
      { details: { reason: 'busy' } },
    );
  }
  try {
    db.exec('PRAGMA busy_timeout = 0');
    db.exec(`PRAGMA user_version = ${Number(version)}`);
    return false;
  } catch (error) {
    return /readonly/i.test(String(/** @type {any} */ (error)?.message));
  } finally {
    db.exec('ROLLBACK');
    db.exec(`PRAGMA busy_timeout = ${Number(timeout)}`);
  }
}

/**
 * @param {any} db
 * @returns {import('./sync_sqlite.js').SyncDatabase}
 */
function nodeSqliteDatabase(db) {
  return {
    exec: (sql) => db.exec(sql),
    rows: (sql, values, returns) => {
      const statement = db.prepare(sql);
      statement.setReadBigInts(true);
      if (returns === 'count') {
        statement.run(...values);
        return [];
      }
      // Older versions of Node do not have `iterate`.
      return statement.iterate?.(...values) ?? statement.all(...values);
    },
    totalChanges: () => db.prepare('SELECT total_changes() AS n').get().n,
  };
}
