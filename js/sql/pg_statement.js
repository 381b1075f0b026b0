import { rowWriter } from './pg_values.js';

/**
 * @typedef {import('./wire/postgres_wire.js').PostgresWire} PostgresWire
 * @typedef {import('./row_collector.js').RowCollector} RowCollector
 * @typedef {{ returns: boolean, affected: number, command: string }} Ending
 */

/** What the server says a statement has done, such as `INSERT 0 5`. */
const COMMAND = /^([A-Za-z]+)(?:.* (\d+)$)?/;

/**
 * Runs a statement on a client of `pg`. The rows go to `rows` as they come in. Every way in which the client calls back is
 * taken over, so that it keeps no row and no failure of ours reaches it.
 * @param {any} client
 * @param {PostgresWire} wire
 * @param {{ text: string, values?: (string | null)[] }} statement with values, or an empty list, it is sent by the extended
 * protocol, which takes one statement only, whatever the text says
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
      // Not before: the client may be busy with a statement of the application's own.
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
    // Where the client has a clock of its own for statements (`query_timeout`), it wants to hear of the end: otherwise it
    // would call this one off while the server still answers. Ours runs, and stops it in the database.
    query.callback?.();
  });
}
