/** SQL adapter for better-sqlite3. */

import type { SqlAdapter, SyncSqliteOptions } from '../../types/sql.js';
import type { DatabaseAdapter } from '../adapter.js';
import { refuseOptions } from '../adapter.js';
import type { BetterSqlite3 } from '../drivers.js';
import { besideApplication, fileFacts } from './shared_sqlite.js';
import type { SyncDatabase } from './sync_sqlite.js';
import { syncSqlite } from './sync_sqlite.js';

/** One adapter per database, shared by all of its uses. */
const adapters = new WeakMap<object, DatabaseAdapter>();

/**
 * A database of `better-sqlite3`. The driver works on Node's own thread, where nothing can stop a statement, so tools do
 * not use its connection: the same file is opened once more by the SQLite of this package, in a process of its own, since
 * two copies of SQLite in one process do not see each other's locks. That process is started by the first run, and ends ten
 * seconds after the last.
 *
 * - Runs take turns, as they would on one connection.
 * - What the application has committed, tools see; what they commit, it sees. Its own open transaction is not theirs:
 *   while one is open, tools that write are refused, and others do not see its changes.
 * - A write of the application waits for a run that has written, as for any other process, for as long as its own `timeout`
 *   says (5 s in better-sqlite3, 0 in node:sqlite unless it is set). It waits on Node's own thread, where the run cannot be
 *   ended meanwhile: if the application is blocked for half a second, the run is rolled back with an error, so that the
 *   application continues.
 * - The file keeps its journal mode. With WAL (`db.pragma('journal_mode = WAL')`) reading and writing do not wait for each
 *   other; without it, the same holds for a run that has only read.
 * - `readonly`, `foreign_keys` and `synchronous` are as the application has them when it hands the database over.
 * - A database in memory is refused, and functions, extensions, temporary tables, attached databases and keys of encrypted
 *   files are not available to tools, unless they use the application's connection: see {@link SyncSqliteOptions}.
 */
// biome-ignore lint/suspicious/noExplicitAny: the application's driver, of any version
export function betterSqlite3(db: any, options: SyncSqliteOptions = {}): SqlAdapter {
  refuseOptions('betterSqlite3', options, ['onMainThread']);
  if (options.onMainThread) return syncSqlite(betterSqlite3Database(db));
  const application = {
    isOpen: () => db.open,
    inTransaction: () => db.inTransaction,
    optIn: 'betterSqlite3(db, { onMainThread: true })',
  };
  const adapter = adapters.get(db) ?? besideApplication(betterSqlite3Facts(db, application.optIn), application);
  adapters.set(db, adapter);
  return adapter;
}

/** @internal */
export function betterSqlite3Facts(db: BetterSqlite3, optIn: string) {
  return fileFacts({
    optIn,
    ask: (pragma) => db.pragma(pragma),
    isOpen: () => db.open,
    inTransaction: () => db.inTransaction,
    isReadOnly: () => db.readonly,
  });
}

/** @internal */
export function betterSqlite3Database(db: BetterSqlite3): SyncDatabase {
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
