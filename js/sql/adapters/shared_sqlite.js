import { ConfigError, SqlError } from '../../boundary/errors.js';
import { defineAdapter } from '../adapter.js';
import { EmbeddedDatabase } from '../embedded_sqlite.js';

/**
 * Drivers that work on Node's own thread cannot be stopped, and everything else waits for them. So tools do not use the
 * application's connection: its file is opened once more, in the SQLite that is part of the addon, which has threads.
 *
 * @typedef {import('../adapter.js').SqlAdapter} SqlAdapter
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {import('../embedded_sqlite.js').SharedFile & { file: string }} FileFacts
 * @typedef {object} ApplicationDatabase what is asked of the application's own connection
 * @property {string} optIn how tools are let onto that connection after all
 * @property {(pragma: string) => Record<string, unknown>[]} ask rows of a PRAGMA
 * @property {() => boolean} isOpen
 * @property {() => boolean | undefined} inTransaction
 * @property {() => boolean} isReadOnly
 */

/**
 * How the application has its file open.
 * @param {ApplicationDatabase} database
 * @returns {FileFacts}
 */
export function fileFacts({ ask, isReadOnly, optIn }) {
  const file = ask('database_list').find(({ name }) => name === 'main')?.file;
  if (typeof file !== 'string' || file === '') {
    throw new ConfigError(
      `A database in memory exists only on the application's own connection, which works on Node's own thread: one statement of a tool could block the whole application for ever. Use a file, sqlite(":memory:") of this package, or ${optIn} if the tools are trusted.`,
      { details: { key: 'sql' } },
    );
  }
  const setting = (/** @type {string} */ name) => Number(Object.values(ask(name)[0] ?? {})[0] ?? 0);
  return {
    file,
    readOnly: isReadOnly(),
    foreignKeys: setting('foreign_keys') === 1,
    synchronous: setting('synchronous'),
  };
}

/**
 * @param {FileFacts} facts
 * @param {Pick<ApplicationDatabase, 'isOpen' | 'inTransaction' | 'optIn'>} database
 */
export function besideApplication({ file, ...shared }, { isOpen, inTransaction, optIn }) {
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

/** @param {string} optIn */
function ownTransaction(optIn) {
  return new SqlError(
    `The application has a transaction of its own open on this database, so a tool cannot write to it. End that transaction before tools run; only ${optIn} lets them take part in it.`,
    { details: { reason: 'busy' } },
  );
}

/** @param {string} optIn */
function explained(optIn) {
  return (/** @type {unknown} */ error) => {
    if (!(error instanceof SqlError) || !/no such (?:function|module|collation)/.test(error.message)) throw error;
    throw new SqlError(
      `${error.message} What the application adds to its own connection (functions, extensions, collations) is not there for tools, unless it lets them onto that connection with ${optIn}.`,
      { details: error.details },
    );
  };
}
