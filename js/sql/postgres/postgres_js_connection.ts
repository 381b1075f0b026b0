/** Reserves connections of postgres.js. */

import { executionAsyncResource } from 'node:async_hooks';
import { memberOf } from '../driver_error.js';
import type { ByteStream, PostgresJs, PostgresJsConnection, PostgresJsQuery } from '../drivers.js';

/** A connection of postgres.js, reserved until its transaction ends. */
export type ReservedConnection = {
  /** Undefined when it cannot be found. */
  socket: ByteStream | undefined;
  isOurs: () => boolean;
  closed: Promise<void>;
  query: (text: string, parameters: unknown[], settings: object) => PostgresJsQuery;
  /** The driver takes the connection back after the next query that leaves no open transaction. */
  giveBackAfterNext: () => void;
  end: () => void;
};

/** SQLSTATE class 57P: the server has ended the connection. */
const ENDED_BY_SERVER = /^57P/;
/** How often a busy connection is retried. */
const MAX_TRIES = 5;

/**
 * Takes a connection from the driver, as its own `begin` does. Its `reserve` loses requests and connections when any connection is
 * closed meanwhile.
 */
export async function reserveConnection(sql: PostgresJs): Promise<ReservedConnection> {
  // A connection that the server has ended reports its last error again to the first query after it is reopened.
  let stale = sql.options?.max ?? 1;
  for (let tries = 0; tries < MAX_TRIES; ) {
    try {
      const connection = await take(sql);
      if (connection) return connection;
      tries += 1;
    } catch (error) {
      if (stale <= 0 || !ENDED_BY_SERVER.test(String(memberOf(error, 'code')))) throw error;
      stale -= 1;
    }
  }
  throw new Error('no connection was free');
}

async function take(sql: PostgresJs): Promise<ReservedConnection | undefined> {
  let core: PostgresJsConnection | undefined;
  let socket: ByteStream | undefined;
  const reservation = Object.assign(() => {}, { release: true });
  let onClosed: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  const settings = {
    onexecute: (taken: PostgresJsConnection) => {
      core = taken;
      taken.reserved = reservation;
      taken.onclose = () => onClosed();
      return false;
    },
  };
  const isOurs = () => core?.reserved === reservation;
  const query = (text: string, parameters: unknown[], more: object) => {
    const made = sql.unsafe(text, parameters, more);
    made.handler = (ready) => core?.execute(ready);
    // The driver keeps the origin (a stack) of every statement for its error messages, which would leak memory.
    return Object.defineProperty(made, 'origin', { value: '' });
  };
  const giveBackAfterNext = () => {
    reservation.release = false;
  };
  /** Runs a query, after which the driver takes the connection back. */
  const giveBack = async () => {
    giveBackAfterNext();
    await query('SELECT 1', [], {}).catch(() => core?.terminate());
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
    end: () => (socket ? socket.destroy() : core?.terminate()),
  };
}

/**
 * The socket whose data is currently being handled, for drivers that do not expose theirs. Node knows the handle of the current
 * callback, and the handle its socket.
 * @returns undefined outside a socket callback
 */
function currentSocket(): ByteStream | undefined {
  const handle = executionAsyncResource() as Record<symbol, unknown> | undefined;
  const owner = Object.getOwnPropertySymbols(handle ?? {}).find(({ description }) => description === 'owner_symbol');
  const socket = owner && handle?.[owner];
  return isStream(socket) ? socket : undefined;
}

function isStream(value: unknown): value is ByteStream {
  const stream = value as Partial<ByteStream> | null | undefined;
  return typeof stream?.emit === 'function' && typeof stream.destroy === 'function';
}
