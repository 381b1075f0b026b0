/** SQL adapter for the SQLite that is part of the addon. */

import { ConfigError } from '../../boundary/errors.js';
import type { SqlAdapter } from '../../types/sql.js';
import { defineAdapter, refuseOptions } from '../adapter.js';
import { EmbeddedDatabase } from '../sqlite/embedded_sqlite.js';

/**
 * An embedded SQLite database. Needs no package; statements run on threads of their own and can be stopped. No other SQLite
 * of the same process may have the file open: two copies do not see each other's locks. Pass the application's own database
 * instead ({@link betterSqlite3}, {@link nodeSqlite}).
 *
 * A database may use 40 MB of memory in total for all concurrent runs. A value may have 8 MB, and more when `maxBytes` is larger,
 * to 32 MB; the more a statement computes at once, the shorter its values may be. `LIKE` and `GLOB` are functions that can be
 * stopped, and use no index: for a prefix in a large table compare with `>=` and `<`.
 * @param fileOrOptions the path of the file, created if it is missing (not with `readOnly`), or `':memory:'`
 */
export function sqlite(fileOrOptions: string | { file: string }): SqlAdapter;
export function sqlite(fileOrOptions: string | { file: string }, none?: object): SqlAdapter {
  refuseOptions('sqlite', none);
  const options = typeof fileOrOptions === 'string' ? { file: fileOrOptions } : { ...fileOrOptions };
  if (typeof options.file !== 'string' || options.file === '') {
    throw new ConfigError('sqlite() needs the path of a database file, or ":memory:".', { details: { key: 'file' } });
  }
  refuseOptions('sqlite', options, ['file']);
  const source = new EmbeddedDatabase(options.file);
  return defineAdapter({
    dialect: 'sqlite',
    ...(options.file !== ':memory:' && { file: options.file }),
    connect: (need) => source.connect(need),
    close: async () => source.close(),
  });
}
