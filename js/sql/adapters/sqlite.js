/** SQL adapter for the SQLite that is part of the addon. */

import { ConfigError } from '../../boundary/errors.js';
import { defineAdapter } from '../adapter.js';
import { EmbeddedDatabase } from '../embedded_sqlite.js';

/** @type {typeof import('../../../index.js').sqlite} */
export function sqlite(fileOrOptions) {
  const options = typeof fileOrOptions === 'string' ? { file: fileOrOptions } : { ...fileOrOptions };
  if (typeof options.file !== 'string' || options.file === '') {
    throw new ConfigError('sqlite() needs the path of a database file, or ":memory:".', { details: { key: 'file' } });
  }
  const source = new EmbeddedDatabase(options.file);
  return defineAdapter({
    dialect: 'sqlite',
    ...(options.file !== ':memory:' && { file: options.file }),
    connect: (need) => source.connect(need),
    close: async () => source.close(),
  });
}
