/** Shim of `node:async_hooks` without context tracking: reading returns nothing, storing throws. */

const { refusing } = require('tgp:refusing');

class AsyncLocalStorage {
  getStore() {
    return undefined;
  }
  disable() {}
  exit(action, ...args) {
    return action(...args);
  }
  static bind(action) {
    return action;
  }
  static snapshot() {
    return (action, ...args) => action(...args);
  }
}
AsyncLocalStorage.prototype.run = refusing('AsyncLocalStorage.run');
AsyncLocalStorage.prototype.enterWith = refusing('AsyncLocalStorage.enterWith');

class AsyncResource {
  runInAsyncScope(action, self, ...args) {
    return action.apply(self, args);
  }
  bind(action) {
    return action;
  }
  emitDestroy() {
    return this;
  }
  asyncId() {
    return 0;
  }
  triggerAsyncId() {
    return 0;
  }
  static bind(action) {
    return action;
  }
}

const hook = { enable: () => hook, disable: () => hook };

module.exports = {
  AsyncLocalStorage,
  AsyncResource,
  createHook: () => hook,
  executionAsyncId: () => 0,
  triggerAsyncId: () => 0,
  executionAsyncResource: () => ({}),
};
