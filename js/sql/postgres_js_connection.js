/** Reserves connections of postgres.js. */

import { currentSocket } from './wire/current_socket.js';

/**
 * @typedef {object} ReservedConnection a connection of postgres.js, reserved until its transaction ends
 * @property {any} socket undefined when it cannot be found
 * @property {() => boolean} isOurs
 * @property {Promise<void>} closed
 * @property {(text: string, parameters: unknown[], settings: object) => any} query that is sent when it is awaited
 * @property {() => void} giveBackAfterNext the driver takes the connection back after the next query that leaves no
 * open transaction
 * @property {() => void} end
 */

/** SQLSTATE class 57P: the server has ended the connection. */
const ENDED_BY_SERVER = /^57P/;
/** How often a busy connection is retried. */
const MAX_TRIES = 5;

/**
 * Takes a connection from the driver, as its own `begin` does. Its `reserve` loses requests and connections when any connection is
 * closed meanwhile.
 * @param {any} sql
 * @returns {Promise<ReservedConnection>}
 */
export async function reserveConnection(sql) {
  // A connection that the server has ended reports its last error again to the first query after it is reopened.
  let stale = sql.options?.max ?? 1;
  for (let tries = 0; tries < MAX_TRIES; ) {
    try {
      const connection = await take(sql);
      if (connection) return connection;
      tries += 1;
    } catch (error) {
      if (stale <= 0 || !ENDED_BY_SERVER.test(String(/** @type {any} */ (error)?.code))) throw error;
      stale -= 1;
    }
  }
  throw new Error('no connection was free');
}

/**
 * @param {any} sql
 * @returns {Promise<ReservedConnection | undefined>}
 */
async function take(sql) {
  /** @type {any} */
  let core;
  /** @type {any} */
  let socket;
  const reservation = Object.assign(() => {}, { release: true });
  /** @type {() => void} */
  let onClosed = () => {};
  /** @type {Promise<void>} */
  const closed = new Promise((resolve) => {
    onClosed = resolve;
  });
  const settings = {
    onexecute: (/** @type {any} */ taken) => {
      core = taken;
      core.reserved = reservation;
      core.onclose = () => onClosed();
      return false;
    },
  };
  const isOurs = () => core.reserved === reservation;
  const query = (/** @type {string} */ text, /** @type {unknown[]} */ parameters, /** @type {object} */ more) => {
    const made = sql.unsafe(text, parameters, more);
    made.handler = (/** @type {any} */ ready) => core.execute(ready);
    // The driver keeps the origin (a stack) of every statement for its error messages, which would leak memory.
    return Object.defineProperty(made, 'origin', { value: '' });
  };
  const giveBackAfterNext = () => {
    reservation.release = false;
  };
  /** Runs a query, after which the driver takes the connection back. */
  const giveBack = async () => {
    giveBackAfterNext();
    await query('SELECT 1', [], {}).catch(() => core.terminate());
  };
  try {
    await sql.unsafe('SELECT 1 AS one', [], settings).forEach(() => {
      socket = currentSocket();
    });
  } catch (error) {
    if (core && isOurs()) await giveBack();
    throw error;
  }
  if (!core) return undefined;
  return {
    get socket() {
      return socket;
    },
    isOurs: () => isOurs() && socket?.destroyed !== true,
    closed,
    query,
    giveBackAfterNext,
    end: () => (socket ? socket.destroy() : core.terminate()),
  };
}
