const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;

const timers = {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate: (callback, ...args) => setTimeout(callback, 0, ...args),
  clearImmediate: (timer) => clearTimeout(timer),
  get promises() {
    return require('tgp:timers/promises');
  },
};

module.exports = timers;
