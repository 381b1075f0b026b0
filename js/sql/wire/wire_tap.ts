/** Inserts a filter between a socket, plain or TLS, and the driver that listens to its data. */

import type { ByteStream } from '../drivers.js';

/** Reading time after which the event loop gets a turn: Node reads a socket many times in one. */
const MAX_READ_MS = 10;

type Filter = { push: (chunk: Buffer) => void; isArmed: boolean };

/** A wrapper for reads of a socket that yields to the event loop after a while. */
export function turnsOf(socket: ByteStream): (read: () => void) => void {
  let readMs = 0;
  return (read) => {
    const began = performance.now();
    read();
    readMs += performance.now() - began;
    // A socket that the driver has paused itself is also resumed by it.
    if (readMs < MAX_READ_MS || socket.isPaused?.() !== false) return;
    readMs = 0;
    socket.pause();
    setImmediate(() => socket.resume());
  };
}

/** @param socket any stream that emits `data` */
export function tap<T extends Filter>(
  socket: ByteStream,
  makeFilter: (deliver: (bytes: Buffer) => unknown) => T,
): { filter: T; remove: () => void } {
  const hadOwn = Object.hasOwn(socket, 'emit');
  const emit = socket.emit;
  const filter = makeFilter((bytes) => emit.call(socket, 'data', bytes));
  let open = true;
  const inTurns = turnsOf(socket);
  const tapped = (event: string, ...args: unknown[]): boolean => {
    if (!open || event !== 'data') return emit.call(socket, event, ...args);
    const chunk = args[0] as Buffer;
    if (!filter.isArmed) {
      filter.push(chunk);
      return true;
    }
    // An exception of the driver during our statement closes the connection instead of crashing the process.
    try {
      inTurns(() => filter.push(chunk));
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
    return true;
  };
  socket.emit = tapped;
  return {
    filter,
    remove: () => {
      open = false;
      // A later wrapper still calls ours, which passes everything from now on.
      if (socket.emit !== tapped) return;
      if (hadOwn) socket.emit = emit;
      else delete (socket as Partial<ByteStream>).emit;
    },
  };
}
