import { defineAdapter } from '../adapter.js';
import { beforeDeadline } from '../deadline.js';
import { beginPostgres, checkCommitted, readerOf, toPostgresText } from '../pg_values.js';
import { RowCollector } from '../row_collector.js';

/**
 * @typedef {import('../adapter.js').SqlConnection} SqlConnection
 * @typedef {import('../adapter.js').SqlStatement} SqlStatement
 * @typedef {import('../adapter.js').SqlLimits} SqlLimits
 */

/** The server has its own clock for statements; ours is for a server that does not answer. */
const GRACE_MS = 1_000;

/**
 * The type of a literal, which the server settles by its place. Any other would make this driver write the value by rules
 * of its own, which drizzle changes.
 */
const UNKNOWN = 705;

/**
 * The `sql` function of postgres.js.
 * @type {typeof import('../../../index.js').postgresJs}
 */
export function postgresJs(sql) {
  /** @type {number | undefined} */
  let version;
  return defineAdapter({
    dialect: 'postgres',
    connect: async () => {
      const reserved = await sql.reserve();
      try {
        version ??= await versionOf(reserved);
        return reservedConnection(sql, reserved, version);
      } catch (error) {
        reserved.release();
        throw error;
      }
    },
  });
}

/**
 * @param {any} reserved
 * @returns {Promise<number>}
 */
async function versionOf(reserved) {
  const [row] = await reserved.unsafe('SHOW server_version_num');
  return Number(row.server_version_num);
}

/**
 * @param {any} sql
 * @param {any} reserved
 * @param {number} version
 * @returns {SqlConnection}
 */
function reservedConnection(sql, reserved, version) {
  /** @type {any} */
  let current;
  let process = 0;
  const cancel = () => current?.cancel();
  /** @param {unknown} value */
  const parameter = (value) => {
    const text = toPostgresText(value);
    return text === null ? null : reserved.typed(text, UNKNOWN);
  };
  return {
    begin: async ({ limits }) => {
      const answers = await reserved.unsafe(`${beginPostgres(limits, version)}; SELECT pg_backend_pid() AS process`);
      process = answers.at(-1)[0].process;
    },
    query: ({ sql: text, values }, limits) => {
      const rows = new RowCollector(limits, cancel);
      // Not as a simple query: the extended protocol takes one statement only, whatever the text says.
      const query = reserved.unsafe(text, values.map(parameter), { simple: false }).raw();
      current = query;
      return beforeDeadline(collect(query, rows), limits.statementTimeoutMs + GRACE_MS, cancel);
    },
    commit: async () => {
      const { command } = await reserved.unsafe('COMMIT');
      checkCommitted(command);
    },
    rollback: () => reserved.unsafe('ROLLBACK'),
    cancel,
    release: async (state) => {
      // A reserved connection cannot be thrown away, but its backend can.
      if (state === 'broken') await sql.unsafe('SELECT pg_terminate_backend($1)', [process]);
      reserved.release();
    },
  };
}

/**
 * @param {any} query
 * @param {RowCollector} rows
 * @returns {Promise<import('../adapter.js').SqlAnswer>}
 */
async function collect(query, rows) {
  /** @type {{ name: string, read: (text: string) => unknown }[] | undefined} */
  let columns;
  try {
    const result = await query.forEach((/** @type {(Buffer | null)[]} */ row, /** @type {any} */ told) => {
      columns ??= told.columns.map((/** @type {any} */ { name, type }) => ({ name, read: readerOf(type) }));
      const plain = Object.create(null);
      for (const [index, { name, read }] of (columns ?? []).entries()) {
        const bytes = row[index] ?? null;
        plain[name] = bytes === null ? null : read(bytes.toString('utf8'));
      }
      rows.add(plain);
    });
    return { rows: (result.columns?.length ?? 0) > 0 ? rows.text() : undefined, affected: result.count ?? 0 };
  } catch (error) {
    throw rows.excess ?? error;
  }
}
