/**
 * Opens the SQLite file of a synchronous driver a second time, in a process for tools. Synchronous drivers block Node's thread and
 * cannot be interrupted. So tools do not use the application's connection: the file is opened by the SQLite of the addon, which has
 * its own threads.
 */

import type { SharedFile } from '../../boundary/crossing.js';
import { ConfigError, SqlError } from '../../boundary/errors.js';
import { defineAdapter } from '../adapter.js';
import type { PragmaRow } from '../drivers.js';
import { EmbeddedDatabase } from '../sqlite/embedded_sqlite.js';

type FileFacts = SharedFile & { file: string };

/** The application's own connection. */
type ApplicationDatabase = {
  /** The call that lets tools use that connection, for messages. */
  optIn: string;
  /** Returns the rows of a PRAGMA. */
  ask: (pragma: string) => PragmaRow[];
  isOpen: () => boolean;
  inTransaction: () => boolean | undefined;
  isReadOnly: () => boolean;
};

/** How the application has opened its file. */
export function fileFacts({ ask, isReadOnly, optIn }: ApplicationDatabase): FileFacts {
  const file = ask('database_list').find(({ name }) => name === 'main')?.file;
  if (typeof file !== 'string' || file === '') {
    throw new ConfigError(
      `An in-memory database exists only on the application's connection, which runs on Node's thread: a statement of a tool could block the application indefinitely. Use a file, sqlite(":memory:") of this package, or ${optIn} if the tools are trusted.`,
      { details: { key: 'sql' } },
    );
  }
  const setting = (name: string) => Number(Object.values(ask(name)[0] ?? {})[0] ?? 0);
  return {
    file,
    readOnly: isReadOnly(),
    foreignKeys: setting('foreign_keys') === 1,
    synchronous: setting('synchronous'),
  };
}

/** An adapter that opens the application's file again. */
export function besideApplication(
  { file, ...shared }: FileFacts,
  { isOpen, inTransaction, optIn }: Pick<ApplicationDatabase, 'isOpen' | 'inTransaction' | 'optIn'>,
) {
  const embedded = new EmbeddedDatabase(file, shared);
  return defineAdapter({
    dialect: 'sqlite',
    connect: async (need) => {
      if (!isOpen()) throw new SqlError('The application has closed its database.', { details: { reason: 'closed' } });
      const writes = need.access !== 'read' && !need.limits.readOnly;
      if (writes && inTransaction()) throw ownTransaction(optIn);
      const connection = await embedded.connect(need);
      return { ...connection, query: (...args) => connection.query(...args).catch(explained(optIn)) };
    },
    close: async () => embedded.close(),
  });
}

function ownTransaction(optIn: string) {
  return new SqlError(
    `The application has an open transaction on this database, so a tool cannot write to it. End it before tools run, or use ${optIn} to let them take part in it.`,
    { details: { reason: 'busy' } },
  );
}

function explained(optIn: string) {
  return (error: unknown) => {
    if (!(error instanceof SqlError) || !/no such (?:function|module|collation)/.test(error.message)) throw error;
    throw new SqlError(
      `${error.message} Functions, extensions and collations of the application's connection are not available to tools, unless they share it with ${optIn}.`,
      { details: error.details },
    );
  };
}
