import { socketUnderWay } from './wire/socket_under_way.js';

/**
 * @typedef {object} Hold a connection of postgres.js that is ours until its transaction ends
 * @property {any} socket undefined when it cannot be found
 * @property {() => boolean} isOurs
 * @property {Promise<void>} closed
 * @property {(text: string, parameters: unknown[], settings: object) => any} query that is sent when it is awaited
 * @property {() => void} giveBackAfterNext the driver takes the connection back when the next query has left no
 * transaction open
 * @property {() => void} end
 */

/** What the server says when it ends a connection: class 57P of its error codes. */
const ENDED_BY_SERVER = /^57P/;
/** How often a connection is asked for that was too busy to be taken. */
const MAX_TRIES = 5;

/**
 * Takes a connection out of the driver's hands, as its own `begin` does. Its `reserve` loses requests and connections for
 * good when any connection is closed meanwhile.
 * @param {any} sql
 * @returns {Promise<Hold>}
 */
export async function hold(sql) {
  // A connection that the server has ended tells its last error once more to the first who asks after it is open again.
  let stale = sql.options?.max ?? 1;
  for (let tries = 0; tries < MAX_TRIES; ) {
    try {
      const held = await take(sql);
      if (held) return held;
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
 * @returns {Promise<Hold | undefined>}
 */
async function take(sql) {
  /** @type {any} */
  let core;
  /** @type {any} */
  let socket;
  const reservation = Object.assign(() => {}, { release: true });
  /** @type {() => void} */
  let tellClosed = () => {};
  /** @type {Promise<void>} */
  const closed = new Promise((resolve) => {
    tellClosed = resolve;
  });
  const settings = {
    onexecute: (/** @type {any} */ taken) => {
      core = taken;
      core.reserved = reservation;
      core.onclose = () => tellClosed();
      return false;
    },
  };
  const isOurs = () => core.reserved === reservation;
  const query = (/** @type {string} */ text, /** @type {unknown[]} */ parameters, /** @type {object} */ more) => {
    const made = sql.unsafe(text, parameters, more);
    made.handler = (/** @type {any} */ ready) => core.execute(ready);
    // Where a statement comes from is what errors tell, and what the driver then remembers for ever.
    return Object.defineProperty(made, 'origin', { value: '' });
  };
  const giveBackAfterNext = () => {
    reservation.release = false;
  };
  /** The driver takes it back after a query. */
  const giveBack = async () => {
    giveBackAfterNext();
    await query('SELECT 1', [], {}).catch(() => core.terminate());
  };
  try {
    await sql.unsafe('SELECT 1 AS one', [], settings).forEach(() => {
      socket = socketUnderWay();
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
