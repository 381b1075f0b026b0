/** Puts a sieve between a socket and the driver that listens to its data. TLS sockets are sockets like any other here. */

/** How long rows are read without a turn of the event loop: Node reads a socket many times in one. */
const TURN_MS = 10;

/** @typedef {{ push: (chunk: Buffer) => void, isArmed: boolean }} Sieve */

/**
 * What lets the event loop turn while a socket is read for long.
 * @param {any} socket
 * @returns {(read: () => void) => void}
 */
export function turnsOf(socket) {
  let readMs = 0;
  return (read) => {
    const began = performance.now();
    read();
    readMs += performance.now() - began;
    // Where the driver has stopped the socket itself, it also says when to go on.
    if (readMs < TURN_MS || socket.isPaused?.() !== false) return;
    readMs = 0;
    socket.pause();
    setImmediate(() => socket.resume());
  };
}

/**
 * @template {Sieve} T
 * @param {any} socket any stream that emits `data`
 * @param {(deliver: (bytes: Buffer) => unknown) => T} makeSieve
 * @returns {{ sieve: T, remove: () => void }}
 */
export function tap(socket, makeSieve) {
  const hadOwn = Object.hasOwn(socket, 'emit');
  const emit = socket.emit;
  const sieve = makeSieve((bytes) => emit.call(socket, 'data', bytes));
  let open = true;
  const inTurns = turnsOf(socket);
  /** @type {(event: string, ...args: any[]) => boolean} */
  const tapped = (event, ...args) => {
    if (!open || event !== 'data') return emit.call(socket, event, ...args);
    if (!sieve.isArmed) {
      sieve.push(args[0]);
      return true;
    }
    // What the driver makes of a statement of ours may cost the connection, and never the process.
    try {
      inTurns(() => sieve.push(args[0]));
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
    return true;
  };
  socket.emit = tapped;
  return {
    sieve,
    remove: () => {
      open = false;
      // Whoever came later still calls ours, which lets everything through from now on.
      if (socket.emit !== tapped) return;
      if (hadOwn) socket.emit = emit;
      else delete socket.emit;
    },
  };
}
