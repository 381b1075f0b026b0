/** Executes prepared statements with mysql2. */

import { mysqlRowWriter, READING, toMysql, typeCastOf, withIntegers } from './mysql_values.js';

/**
 * @typedef {import('./wire/mysql_wire.js').MysqlWire} MysqlWire
 * @typedef {import('./row_collector.js').RowCollector} RowCollector
 * @typedef {import('./mysql_values.js').Field} Field
 */

/** Prepared statements kept per connection for tools: the server has one limit for all clients. */
const MAX_PREPARED = 32;
/** Longer statements are not kept prepared. */
const MAX_PREPARED_LENGTH = 4_096;

/** The prepared statements of each connection, oldest first. @type {WeakMap<object, Set<string>>} */
const prepared = new WeakMap();

/**
 * Runs a prepared statement on a `mysql2` connection: values are never interpolated into the text. Rows are passed to `rows` as
 * they arrive.
 * @param {any} core the connection with callbacks
 * @param {MysqlWire} wire
 * @param {{ sql: string, values: unknown[] }} statement
 * @param {RowCollector} rows
 * @param {number} maxBytes
 * @returns {Promise<{ returns: boolean, affected: number }>}
 */
export async function runOnMysql(core, wire, { sql, values }, rows, maxBytes) {
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
 * @param {any} core
 * @param {{ values: unknown[] }} options
 * @param {(command: any) => void} beforeStart
 */
function execute(core, options, beforeStart) {
  const usual = core.addCommand;
  const isOwn = Object.hasOwn(core, 'addCommand');
  const queue = (/** @type {any} */ command) => {
    if (command.parameters === options.values) {
      const { start } = command;
      command.start = (/** @type {any[]} */ ...args) => {
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
      else delete core.addCommand;
    }
  }
}

/**
 * @param {any} command
 * @param {RowCollector} rows
 * @param {(ending: { returns: boolean, affected: number }) => void} resolve
 * @param {(error: unknown) => void} reject
 */
function listen(command, rows, resolve, reject) {
  let affected = 0;
  /** @type {Field[] | undefined} */
  let fields;
  /** @type {ReturnType<typeof mysqlRowWriter> | undefined} */
  let write;
  command.on('fields', (/** @type {Field[] | undefined} */ received) => {
    fields ??= received;
    if (fields && command.options) command.options.typeCast = typeCastOf(fields);
  });
  command.on('result', (/** @type {any} */ row) => {
    const columns = fields;
    if (!columns) affected = row?.affectedRows ?? 0;
    else {
      rows.add((room) => {
        write ??= mysqlRowWriter(columns);
        return write(row, room);
      });
    }
  });
  command.on('error', reject);
  command.on('end', () => resolve({ returns: fields !== undefined, affected }));
}

/**
 * @param {any} core
 * @param {{ sql: string }} options
 */
function keepFew(core, options) {
  const kept = prepared.get(core) ?? new Set();
  prepared.set(core, kept);
  const unprepare = (/** @type {string} */ sql) => {
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
