const wait = (ms, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    }, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal?.addEventListener('abort', stop);
  });

async function* every(ms, value, options) {
  while (true) yield await wait(ms, value, options);
}

module.exports = {
  setTimeout: wait,
  setImmediate: (value, options) => wait(0, value, options),
  setInterval: every,
  scheduler: { wait: (ms, options) => wait(ms, undefined, options), yield: () => wait(0) },
};
