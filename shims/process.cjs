/** Shim of `process` without information about the host. */

const { refusing } = require('tgp:refusing');

const nothing = () => process;

function hrtime(since) {
  const now = Date.now();
  const time = [Math.floor(now / 1000), (now % 1000) * 1e6];
  if (!since) return time;
  const nanoseconds = time[1] - since[1];
  return nanoseconds < 0 ? [time[0] - since[0] - 1, nanoseconds + 1e9] : [time[0] - since[0], nanoseconds];
}
hrtime.bigint = () => BigInt(Date.now()) * 1000000n;

/** @param {(text: string) => void} print @param {number} fd */
const output = (print, fd) => ({
  fd,
  isTTY: false,
  writable: true,
  write(chunk, encoding, done) {
    print(String(chunk).replace(/\n$/, ''));
    const after = typeof encoding === 'function' ? encoding : done;
    if (typeof after === 'function') queueMicrotask(after);
    return true;
  },
  end: nothing,
  on: nothing,
  once: nothing,
  removeListener: nothing,
});

const process = {
  title: 'browser',
  browser: true,
  platform: 'browser',
  arch: '',
  version: '',
  versions: {},
  release: {},
  config: {},
  features: {},
  pid: 1,
  ppid: 0,
  env: { NODE_ENV: 'production' },
  argv: [],
  argv0: '',
  execArgv: [],
  execPath: '',
  exitCode: undefined,
  stdout: output((text) => console.log(text), 1),
  stderr: output((text) => console.error(text), 2),
  nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
  hrtime,
  uptime: () => 0,
  cwd: () => '/',
  umask: () => 0,
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  cpuUsage: () => ({ user: 0, system: 0 }),
  emitWarning: (warning) => console.warn(String(warning?.message ?? warning)),
  listeners: () => [],
  listenerCount: () => 0,
  emit: () => false,
};
for (const name of ['on', 'once', 'off', 'addListener', 'removeListener', 'removeAllListeners', 'prependListener']) {
  process[name] = nothing;
}
for (const name of ['exit', 'abort', 'kill', 'chdir', 'binding', 'dlopen']) process[name] = refusing(`process.${name}`);

module.exports = process;
