/** Shim of `node:events`: the package `events`, extended with newer features. */

const EventEmitter = require('events/');

/** An async iterator over the events of one name. */
async function* on(emitter, name, { signal } = {}) {
  const waiting = [];
  let wake = () => {};
  let failure;
  const take = (...args) => {
    waiting.push(args);
    wake();
  };
  const fail = (error) => {
    failure = { error };
    wake();
  };
  const abort = () => fail(signal.reason);
  emitter.on(name, take);
  if (name !== 'error') emitter.on('error', fail);
  signal?.addEventListener('abort', abort);
  try {
    while (true) {
      while (waiting.length > 0) yield waiting.shift();
      signal?.throwIfAborted();
      if (failure) throw failure.error;
      await new Promise((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    emitter.removeListener(name, take);
    emitter.removeListener('error', fail);
    signal?.removeEventListener('abort', abort);
  }
}

function addAbortListener(signal, listener) {
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}

module.exports = Object.assign(EventEmitter, {
  on,
  addAbortListener,
  errorMonitor: Symbol('events.errorMonitor'),
  captureRejectionSymbol: Symbol.for('nodejs.rejection'),
  captureRejections: false,
  getEventListeners: (emitter, name) => emitter.listeners?.(name) ?? [],
  getMaxListeners: (emitter) => emitter.getMaxListeners?.() ?? EventEmitter.defaultMaxListeners,
  setMaxListeners: (count = EventEmitter.defaultMaxListeners, ...emitters) => {
    for (const emitter of emitters) emitter.setMaxListeners?.(count);
  },
});
