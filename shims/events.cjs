/** Shim of `node:events`. */

const engine = require('tgp:engine');
const { invalidType, needType, nodeError, outOfRange } = require('tgp:node_error');

const REJECTION = Symbol.for('nodejs.rejection');
const MONITOR = Symbol('events.errorMonitor');
/** Whether rejections of listeners are errors of the emitter. */
const CAPTURES = Symbol('kCapture');
const SHAPE = Symbol('shapeMode');
const MAX_LISTENERS = 10;
let mostListeners = MAX_LISTENERS;

const newEvents = () => Object.create(null);
const plain = (listener) => listener.listener ?? listener;

class AbortError extends Error {
  constructor(cause) {
    super('The operation was aborted', { cause });
    this.name = 'AbortError';
    this.code = 'ABORT_ERR';
  }
}

function needCount(name, value) {
  needType(name, 'number', value);
  if (!(value >= 0)) throw outOfRange(name, '>= 0', value);
}

function EventEmitter(options) {
  EventEmitter.init.call(this, options);
}

EventEmitter.init = function init(options) {
  const inherited = Object.getPrototypeOf(this)?._events;
  if (this._events === undefined || this._events === inherited) {
    this._events = newEvents();
    this._eventsCount = 0;
  }
  this._maxListeners ||= undefined;
  const captures = options?.captureRejections;
  if (captures !== undefined) needType('options.captureRejections', 'boolean', captures);
  this[SHAPE] = false;
  this[CAPTURES] = captures ?? EventEmitter.prototype[CAPTURES];
};

/** The listeners of a name, which may change meanwhile. */
function listOf(emitter, name) {
  const found = emitter._events?.[name];
  if (found === undefined) return [];
  return typeof found === 'function' ? [found] : [...found];
}

function unhandled(error) {
  if (error instanceof Error) return error;
  let text;
  try {
    text = engine('inspect').inspect(error);
  } catch {
    text = error;
  }
  return Object.assign(nodeError(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${text})`), { context: error });
}

function report(emitter, error, name, args) {
  if (typeof emitter[REJECTION] === 'function') {
    emitter[REJECTION](error, name, ...args);
    return;
  }
  const captures = emitter[CAPTURES];
  emitter[CAPTURES] = false;
  try {
    emitter.emit('error', error);
  } finally {
    emitter[CAPTURES] = captures;
  }
}

function warnOfMany(emitter, name, count, most) {
  const kind = emitter.constructor?.name ?? 'EventEmitter';
  const advice = 'Use emitter.setMaxListeners() to increase limit';
  console.warn(
    `MaxListenersExceededWarning: Possible EventEmitter memory leak detected. ${count} ${String(name)} listeners added to [${kind}]. MaxListeners is ${most}. ${advice}`,
  );
}

function add(emitter, name, listener, isFirst) {
  needType('listener', 'function', listener);
  if (emitter._events === undefined) Object.assign(emitter, { _events: newEvents(), _eventsCount: 0 });
  else if (emitter._events.newListener !== undefined) emitter.emit('newListener', name, plain(listener));
  const list = listOf(emitter, name);
  if (list.length === 0) emitter._eventsCount += 1;
  const next = isFirst ? [listener, ...list] : [...list, listener];
  const isWarned = emitter._events[name]?.warned;
  emitter._events[name] = next.length === 1 ? listener : next;
  const most = emitter.getMaxListeners();
  if (most > 0 && next.length > most && !isWarned) warnOfMany(emitter, name, next.length, most);
  if (most > 0 && next.length > most) next.warned = true;
  return emitter;
}

function onceOf(emitter, name, listener) {
  needType('listener', 'function', listener);
  let isDone = false;
  const wrapped = (...args) => {
    if (isDone) return undefined;
    isDone = true;
    emitter.removeListener(name, wrapped);
    return Reflect.apply(listener, emitter, args);
  };
  return Object.assign(wrapped, { listener });
}

const methods = {
  setMaxListeners(n) {
    needCount('setMaxListeners', n);
    this._maxListeners = n;
    return this;
  },
  getMaxListeners() {
    return this._maxListeners ?? mostListeners;
  },
  emit(name, ...args) {
    if (name === 'error') {
      if (this._events?.[MONITOR] !== undefined) this.emit(MONITOR, ...args);
      if (this._events?.error === undefined) throw unhandled(args[0]);
    }
    const found = this._events?.[name];
    if (found === undefined) return false;
    for (const listener of typeof found === 'function' ? [found] : [...found]) {
      const result = Reflect.apply(listener, this, args);
      if (this[CAPTURES] && typeof result?.then === 'function')
        result.then(undefined, (error) => queueMicrotask(() => report(this, error, name, args)));
    }
    return true;
  },
  addListener(name, listener) {
    return add(this, name, listener, false);
  },
  prependListener(name, listener) {
    return add(this, name, listener, true);
  },
  once(name, listener) {
    return this.on(name, onceOf(this, name, listener));
  },
  prependOnceListener(name, listener) {
    return this.prependListener(name, onceOf(this, name, listener));
  },
  removeListener(name, listener) {
    needType('listener', 'function', listener);
    const list = listOf(this, name);
    const at = list.findLastIndex((one) => one === listener || one.listener === listener);
    if (at < 0) return this;
    const [removed] = list.splice(at, 1);
    if (list.length > 1) this._events[name] = list;
    else if (list.length === 1) [this._events[name]] = list;
    else {
      delete this._events[name];
      this._eventsCount -= 1;
    }
    if (this._events.removeListener !== undefined) this.emit('removeListener', name, plain(removed));
    return this;
  },
  removeAllListeners(...names) {
    if (names.length === 0 && this._events?.removeListener === undefined) {
      Object.assign(this, { _events: newEvents(), _eventsCount: 0 });
      return this;
    }
    const all = names.length > 0 ? [names[0]] : this.eventNames().filter((name) => name !== 'removeListener');
    if (names.length === 0) all.push('removeListener');
    for (const name of all) for (const listener of listOf(this, name).reverse()) this.removeListener(name, listener);
    return this;
  },
  listeners(name) {
    return listOf(this, name).map(plain);
  },
  rawListeners(name) {
    return listOf(this, name);
  },
  listenerCount(name, listener) {
    const list = listOf(this, name);
    return listener ? list.filter((one) => one === listener || one.listener === listener).length : list.length;
  },
  eventNames() {
    return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
  },
};
Object.assign(EventEmitter.prototype, methods, {
  on: methods.addListener,
  off: methods.removeListener,
  _events: undefined,
  _eventsCount: 0,
  _maxListeners: undefined,
});
Object.defineProperty(EventEmitter.prototype, CAPTURES, { value: false, writable: true });

const isTarget = (emitter) => typeof emitter.on !== 'function' && typeof emitter.addEventListener === 'function';

/** Adds a listener to an emitter or an `EventTarget`, and returns the function that removes it. */
function listen(emitter, name, listener, isOnce = false) {
  if (isTarget(emitter)) {
    emitter.addEventListener(name, listener, { once: isOnce });
    return () => emitter.removeEventListener(name, listener);
  }
  if (typeof emitter?.on !== 'function') throw invalidType('emitter', ['EventEmitter'], emitter);
  emitter[isOnce ? 'once' : 'on'](name, listener);
  return () => emitter.removeListener(name, listener);
}

function needSignal(signal) {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalidType('options.signal', ['AbortSignal'], signal);
  if (signal?.aborted) throw new AbortError(signal.reason);
}

/** Calls `failed` if the signal fires, or the emitter reports an error. Returns the functions that stop it. */
function watchFailures(emitter, name, signal, failed) {
  const stops = [];
  if (name !== 'error' && !isTarget(emitter)) stops.push(listen(emitter, 'error', failed, true));
  if (signal !== undefined) stops.push(listen(signal, 'abort', () => failed(new AbortError(signal.reason)), true));
  return stops;
}

async function once(emitter, name, { signal } = {}) {
  needSignal(signal);
  const stops = [];
  try {
    return await new Promise((resolve, reject) => {
      stops.push(listen(emitter, name, (...args) => resolve(args), true));
      stops.push(...watchFailures(emitter, name, signal, reject));
    });
  } finally {
    for (const stop of stops) stop();
  }
}

/** An async iterator over the events of one name. */
function on(emitter, name, { signal, close = [] } = {}) {
  needSignal(signal);
  const [events, waiting] = [[], []];
  let failure;
  let isOver = false;
  const take = (...args) => {
    if (waiting.length > 0) waiting.shift().resolve({ value: args, done: false });
    else events.push(args);
  };
  const end = async () => {
    for (const stop of stops) stop();
    isOver = true;
    for (const one of waiting.splice(0)) one.resolve({ value: undefined, done: true });
    return { value: undefined, done: true };
  };
  const fail = (error) => {
    if (waiting.length > 0) waiting.shift().reject(error);
    else failure = { error };
    end();
  };
  const stops = [listen(emitter, name, take), ...watchFailures(emitter, name, signal, fail)];
  for (const ending of close) stops.push(listen(emitter, ending, end));
  const iterator = {
    async next() {
      if (events.length > 0) return { value: events.shift(), done: false };
      if (failure !== undefined) {
        const { error } = failure;
        failure = undefined;
        throw error;
      }
      if (isOver) return { value: undefined, done: true };
      return new Promise((resolve, reject) => void waiting.push({ resolve, reject }));
    },
    return: end,
    throw: async (error) => fail(error),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

function addAbortListener(signal, listener) {
  if (signal.aborted) queueMicrotask(() => listener());
  else signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}

module.exports = Object.assign(EventEmitter, {
  addAbortListener,
  captureRejectionSymbol: REJECTION,
  errorMonitor: MONITOR,
  EventEmitter,
  getEventListeners: (emitter, name) => emitter.listeners?.(name) ?? [],
  getMaxListeners: (emitter) => emitter.getMaxListeners?.() ?? mostListeners,
  listenerCount: (emitter, name) => emitter.listenerCount(name),
  on,
  once,
  setMaxListeners: (count = mostListeners, ...emitters) => {
    needCount('setMaxListeners', count);
    if (emitters.length === 0) mostListeners = count;
    for (const emitter of emitters) emitter.setMaxListeners?.(count);
  },
  usingDomains: false,
});
Object.defineProperties(EventEmitter, {
  captureRejections: {
    enumerable: true,
    get: () => EventEmitter.prototype[CAPTURES],
    set: (value) => {
      needType('EventEmitter.captureRejections', 'boolean', value);
      EventEmitter.prototype[CAPTURES] = value;
    },
  },
  defaultMaxListeners: {
    enumerable: true,
    get: () => mostListeners,
    set: (count) => {
      needCount('defaultMaxListeners', count);
      mostListeners = count;
    },
  },
});
