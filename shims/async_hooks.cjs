/**
 * Shim of `node:async_hooks`. V8 passes the context on to reactions of promises and to microtasks, the sandbox to timers. A context
 * is a map from each storage to its value; it is replaced and never changed. Hooks are not called.
 */

const engine = require('tgp:engine');
const { invalidType } = require('tgp:node_error');

const current = () => engine('contexts').context();
const enter = (context) => engine('contexts').setContext(context);

/** Calls a function in a context, and returns to the present one. */
function runIn(context, action, self, args) {
  const before = current();
  enter(context);
  try {
    return Reflect.apply(action, self, args);
  } finally {
    enter(before);
  }
}

/** @param {AsyncLocalStorage} storage */
const contextWith = (storage, store) => new Map(current()).set(storage, { store });

class AsyncLocalStorage {
  #standard;
  #name;
  constructor({ defaultValue, name = '' } = {}) {
    this.#standard = defaultValue;
    this.#name = `${name}`;
  }
  get name() {
    return this.#name;
  }
  getStore() {
    const found = current()?.get(this);
    return found === undefined ? this.#standard : found.store;
  }
  run(store, action, ...args) {
    return runIn(contextWith(this, store), action, null, args);
  }
  exit(action, ...args) {
    return this.run(undefined, action, ...args);
  }
  enterWith(store) {
    enter(contextWith(this, store));
  }
  disable() {
    const context = new Map(current());
    context.delete(this);
    enter(context);
  }
  static bind(action) {
    return AsyncResource.bind(action);
  }
  static snapshot() {
    return AsyncLocalStorage.bind((action, ...args) => action(...args));
  }
}

let ids = 1;

class AsyncResource {
  #context = current();
  #id;
  #type;
  constructor(type) {
    if (typeof type !== 'string') throw invalidType('type', ['string'], type);
    this.#type = type;
    ids += 1;
    this.#id = ids;
  }
  get type() {
    return this.#type;
  }
  runInAsyncScope(action, self, ...args) {
    return runIn(this.#context, action, self, args);
  }
  bind(action, self) {
    if (typeof action !== 'function') throw invalidType('fn', ['function'], action);
    const resource = this;
    const bound = function (...args) {
      return resource.runInAsyncScope(action, self === undefined ? this : self, ...args);
    };
    return Object.defineProperty(bound, 'length', { value: action.length, configurable: true });
  }
  emitDestroy() {
    return this;
  }
  asyncId() {
    return this.#id;
  }
  triggerAsyncId() {
    return 1;
  }
  static bind(action, type, self) {
    return new AsyncResource(type || action.name || 'bound-anonymous-fn').bind(action, self);
  }
}

const hook = { enable: () => hook, disable: () => hook };

module.exports = {
  AsyncLocalStorage,
  AsyncResource,
  createHook: () => hook,
  executionAsyncId: () => 1,
  triggerAsyncId: () => 0,
  executionAsyncResource: () => ({}),
};
