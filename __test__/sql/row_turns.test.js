import callbackMysql from 'mysql2';
import { afterAll, describe, expect, test } from 'vitest';
import { createSqlTools } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { ownDatabase } from '../helpers/shared_servers.js';

/** @type {(() => unknown)[]} */
const closing = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
}, 60_000);

/** @param {string} value */
const columns = (value) => Array.from({ length: 40 }, (_, index) => `${value} AS c${index}`).join(', ');
const ROWS = 9_999;
/** Node reads up to 2 MB of a socket in one turn of its loop; rows of that size take a tenth of a second and more. */
const MAX_IN_A_TURN = 1_300_000;
/** Bytes after which the server has begun to send rows. */
const BEGUN = 50_000;

/**
 * The most bytes that a socket reads between two turns of the event loop, when the server is ahead of it.
 * @param {any} source
 * @param {{ bytesRead: number }[]} sockets
 * @param {string} sql
 */
async function mostInATurn(source, sockets, sql) {
  const tools = createSqlTools(source, { maxBytes: 64 << 20, readOnly: true });
  let [before, most, isOver, isAhead] = [0, 0, false, false];
  const turn = () => {
    const read = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    most = Math.max(most, read - before);
    before = read;
    if (!isAhead && read > BEGUN) {
      isAhead = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    }
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const rows = await tools.exec_sql.execute({ sql });
  isOver = true;
  expect(rows).not.toHaveLength(0);
  expect(isAhead).toBe(true);
  return most;
}

describe.skipIf(!hasServer('mariadb'))('rows of MariaDB', () => {
  test('do not starve the event loop', async () => {
    const server = await ownDatabase('mariadb');
    closing.push(() => server.stop());
    const pool = callbackMysql.createPool(server.settings);
    closing.push(() => pool.promise().end());
    /** @type {any[]} */
    const sockets = [];
    pool.on('connection', (/** @type {any} */ connection) => sockets.push(connection.stream));
    const sql = `SELECT ${columns('CAST(1.5 AS DECIMAL(20, 5))')} FROM seq_1_to_${ROWS}`;
    expect(await mostInATurn(pool, sockets, sql)).toBeLessThan(MAX_IN_A_TURN);
  });
});
