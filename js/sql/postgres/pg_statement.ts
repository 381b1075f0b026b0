/** Executes statements with pg. */

import type { PgClient, PgField } from '../drivers.js';
import type { RowCollector } from '../rows/row_collector.js';
import type { PostgresWire } from '../wire/postgres_wire.js';
import { rowWriter } from './pg_values.js';

type Ending = { returns: boolean; affected: number; command: string };

/** A command tag of the server, such as `INSERT 0 5`. */
const COMMAND = /^([A-Za-z]+)(?:.* (\d+)$)?/;

/**
 * Runs a statement on a `pg` client. Rows are passed to `rows` as they arrive. All callbacks of the query are replaced, so that the
 * client keeps no rows and sees no exceptions of ours.
 * @param statement with `values`, also an empty list, it uses the extended protocol, which accepts a single statement only
 */
export function runOnPg(
  client: PgClient,
  wire: PostgresWire,
  { text, values }: { text: string; values?: (string | null)[] },
  rows: RowCollector,
  maxBytes: number,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const extended = { values, queryMode: 'extended' };
    const query = new client.constructor.Query({ text, ...(values && extended) });
    let fields: PgField[] = [];
    let write: ReturnType<typeof rowWriter> | undefined;
    let command = '';
    let affected = 0;
    const { submit } = query;
    query.submit = (connection) => {
      // Not earlier: the client may be running a statement of the application.
      wire.open(connection.stream);
      wire.allow(rows, maxBytes);
      return submit.call(query, connection);
    };
    query.handleRowDescription = (message) => {
      fields = message.fields;
      write = undefined;
    };
    query.handleDataRow = (message) => {
      rows.add((room) => {
        write ??= rowWriter(fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })));
        return write(message.fields, room);
      });
    };
    query.handleCommandComplete = (message) => {
      const [, word = '', count] = COMMAND.exec(message.text) ?? [];
      command = word;
      affected = Number(count ?? 0);
    };
    query.handleError = (error) => {
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
