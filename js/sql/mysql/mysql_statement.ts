/** Executes prepared statements with mysql2. */

import type { MysqlCommand, MysqlConnection, MysqlField } from '../drivers.js';
import type { RowCollector } from '../rows/row_collector.js';
import type { MysqlWire } from '../wire/mysql_wire.js';
import { mysqlRowWriter, READING, toMysql, typeCastOf, withIntegers } from './mysql_values.js';

/** Prepared statements kept per connection for tools: the server has one limit for all clients. */
const MAX_PREPARED = 32;
/** Longer statements are not kept prepared. */
const MAX_PREPARED_LENGTH = 4_096;

/** The prepared statements of each connection, oldest first. */
const prepared = new WeakMap<object, Set<string>>();

/**
 * Runs a prepared statement on a `mysql2` connection: values are never interpolated into the text. Rows are passed to `rows` as
 * they arrive.
 * @param core the connection with callbacks
 */
export async function runOnMysql(
  core: MysqlConnection,
  wire: MysqlWire,
  { sql, values }: { sql: string; values: unknown[] },
  rows: RowCollector,
  maxBytes: number,
): Promise<{ returns: boolean; affected: number }> {
  const options = { sql, values: values.map(toMysql), ...READING };
  try {
    return await new Promise((resolve, reject) => {
      const isIdle = !core._command;
      if (isIdle) wire.allow(rows, maxBytes);
      const command = execute(core, options, (started) => {
        // Not before the start: a statement of the application may be running on this connection.
        if (!isIdle) wire.allow(rows, maxBytes);
        started.statement = withIntegers(started.statement, options.values);
      });
      listen(command, rows, resolve, reject);
    });
  } finally {
    wire.settle();
    keepFew(core, options);
  }
}

/**
 * Executes a statement. The driver may send a prepared one immediately, so `beforeStart` is hooked in where it queues its
 * commands.
 */
function execute(core: MysqlConnection, options: { values: unknown[] }, beforeStart: (command: MysqlCommand) => void) {
  const usual = core.addCommand;
  const isOwn = Object.hasOwn(core, 'addCommand');
  const queue = (command: MysqlCommand) => {
    if (command.parameters === options.values) {
      const { start } = command;
      command.start = (...args) => {
        beforeStart(command);
        return start.apply(command, args);
      };
    }
    return usual.call(core, command);
  };
  core.addCommand = queue;
  try {
    return core.execute(options);
  } finally {
    // A connection that was closed meanwhile has replaced `addCommand`.
    if (core.addCommand === queue) {
      if (isOwn) core.addCommand = usual;
      else delete (core as Partial<MysqlConnection>).addCommand;
    }
  }
}

function listen(
  command: MysqlCommand,
  rows: RowCollector,
  resolve: (ending: { returns: boolean; affected: number }) => void,
  reject: (error: unknown) => void,
) {
  let affected = 0;
  let fields: MysqlField[] | undefined;
  let write: ReturnType<typeof mysqlRowWriter> | undefined;
  command.on('fields', (received) => {
    fields ??= received;
    if (fields && command.options) command.options.typeCast = typeCastOf(fields);
  });
  command.on('result', (row) => {
    const columns = fields;
    if (!columns) affected = (row as { affectedRows?: number } | undefined)?.affectedRows ?? 0;
    else {
      rows.add((room) => {
        write ??= mysqlRowWriter(columns);
        return write(row as unknown[], room);
      });
    }
  });
  command.on('error', reject);
  command.on('end', () => resolve({ returns: fields !== undefined, affected }));
}

function keepFew(core: MysqlConnection, options: { sql: string }) {
  const kept = prepared.get(core) ?? new Set<string>();
  prepared.set(core, kept);
  const unprepare = (sql: string) => {
    kept.delete(sql);
    if (!core._fatalError && !core._closing) core.unprepare({ ...options, sql });
  };
  if (options.sql.length > MAX_PREPARED_LENGTH) unprepare(options.sql);
  else {
    kept.delete(options.sql);
    kept.add(options.sql);
    const [oldest] = kept;
    if (kept.size > MAX_PREPARED && oldest !== undefined) unprepare(oldest);
  }
}
