import { syncSqlite } from './sync_sqlite.js';

/**
 * A `DatabaseSync` of `node:sqlite`.
 * @type {typeof import('../../../index.js').nodeSqlite}
 */
export function nodeSqlite(db) {
  return syncSqlite({
    exec: (sql) => db.exec(sql),
    rows: (sql, values, returns) => {
      const statement = db.prepare(sql);
      statement.setReadBigInts(true);
      if (returns === 'count') {
        statement.run(...values);
        return [];
      }
      // Older versions of Node cannot iterate.
      return statement.iterate?.(...values) ?? statement.all(...values);
    },
    totalChanges: () => db.prepare('SELECT total_changes() AS n').get().n,
  });
}
