/** SQL adapter for node:sqlite. */

import { SqlError } from '../../boundary/errors.js';
import type { SqlAdapter, SyncSqliteOptions } from '../../types/sql.js';
import type { DatabaseAdapter, TransactionalAdapter } from '../adapter.js';
import { defineAdapter, refuseOptions } from '../adapter.js';
import { memberOf } from '../driver_error.js';
import type { NodeSqlite, PragmaRow } from '../drivers.js';
import { besideApplication, fileFacts } from './shared_sqlite.js';
import type { SyncDatabase } from './sync_sqlite.js';
import { syncSqlite } from './sync_sqlite.js';

/** One adapter per database, shared by all of its uses. */
const adapters = new WeakMap<object, DatabaseAdapter>();

/** A `DatabaseSync` of `node:sqlite`. The documentation of {@link betterSqlite3} applies. */
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function nodeSqlite(db: any, options: SyncSqliteOptions = {}): SqlAdapter {
  refuseOptions('nodeSqlite', options, ['onMainThread']);
  if (options.onMainThread) return syncSqlite(nodeSqliteDatabase(db));
  const adapter = adapters.get(db) ?? besideNode(db);
  adapters.set(db, adapter);
  return adapter;
}

function besideNode(db: NodeSqlite): DatabaseAdapter {
  const application = {
    optIn: 'nodeSqlite(db, { onMainThread: true })',
    ask: (pragma: string) => db.prepare(`PRAGMA ${pragma}`).all(),
    // Older versions of Node do not have `isOpen`.
    isOpen: () => db.isOpen ?? true,
    inTransaction: () => db.isTransaction,
    isReadOnly: () => false,
  };
  const facts = fileFacts(application);
  let adapter: TransactionalAdapter | undefined;
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
 */
function isReadOnly(db: NodeSqlite, ask: (pragma: string) => PragmaRow[]) {
  const timeout = ask('busy_timeout')[0]?.timeout;
  const version = ask('user_version')[0]?.user_version;
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
    return /readonly/i.test(String(memberOf(error, 'message')));
  } finally {
    db.exec('ROLLBACK');
    db.exec(`PRAGMA busy_timeout = ${Number(timeout)}`);
  }
}

function nodeSqliteDatabase(db: NodeSqlite): SyncDatabase {
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
