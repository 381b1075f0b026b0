/** Executes statements with pg. */

import { rowWriter } from './pg_values.js';

/**
 * @typedef {import('./wire/postgres_wire.js').PostgresWire} PostgresWire
 * @typedef {import('./row_collector.js').RowCollector} RowCollector
 * @typedef {{ returns: boolean, affected: number, command: string }} Ending
 */

/** A command tag of the server, such as `INSERT 0 5`. */
const COMMAND = /^([A-Za-z]+)(?:.* (\d+)$)?/;

/**
 * Runs a statement on a `pg` client. Rows are passed to `rows` as they arrive. All callbacks of the query are replaced, so that the
 * client keeps no rows and sees no exceptions of ours.
 * @param {any} client
 * @param {PostgresWire} wire
 * @param {{ text: string, values?: (string | null)[] }} statement with values, or an empty list, it uses the extended
 * protocol, which accepts a single statement only
 * @param {RowCollector} rows
 * @param {number} maxBytes
 * @returns {Promise<Ending>}
 */
export function runOnPg(client, wire, { text, values }, rows, maxBytes) {
  return new Promise((resolve, reject) => {
    const extended = { values, queryMode: 'extended' };
    const query = new client.constructor.Query({ text, ...(values && extended) });
    /** @type {any[]} */
    let fields = [];
    /** @type {ReturnType<typeof rowWriter> | undefined} */
    let write;
    let command = '';
    let affected = 0;
    const { submit } = query;
    query.submit = (/** @type {any} */ connection) => {
      // Not earlier: the client may be running a statement of the application.
      wire.open(connection.stream);
      wire.allow(rows, maxBytes);
      return submit.call(query, connection);
    };
    query.handleRowDescription = (/** @type {any} */ message) => {
      fields = message.fields;
      write = undefined;
    };
    query.handleDataRow = (/** @type {any} */ message) => {
      rows.add((room) => {
        write ??= rowWriter(fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })));
        return write(message.fields, room);
      });
    };
    query.handleCommandComplete = (/** @type {any} */ message) => {
      const [, word = '', count] = COMMAND.exec(message.text) ?? [];
      command = word;
      affected = Number(count ?? 0);
    };
    query.handleError = (/** @type {unknown} */ error) => {
      wire.settle();
      reject(error);
    };
    query.handleReadyForQuery = () => {
      wire.settle();
      resolve({ returns: fields.length > 0, affected, command });
    };
    client.query(query);
    // Clears the client's own timer (`query_timeout`), which would abandon the statement while the server still executes it. Our
    // deadline stops it in the database.
    query.callback?.();
  });
}
