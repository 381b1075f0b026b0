/** Shim of `node:os` without information about the host. */

const { refusingModule } = require('tgp:refusing');

module.exports = {
  ...refusingModule('os', { userInfo: true, networkInterfaces: true, setPriority: true, getPriority: true }),
  EOL: '\n',
  devNull: '/dev/null',
  constants: { signals: {}, errno: {}, priority: {} },
  platform: () => 'browser',
  type: () => 'Browser',
  arch: () => '',
  machine: () => '',
  release: () => '',
  version: () => '',
  hostname: () => 'localhost',
  homedir: () => '/',
  tmpdir: () => '/tmp',
  endianness: () => 'LE',
  uptime: () => 0,
  loadavg: () => [0, 0, 0],
  totalmem: () => 0,
  freemem: () => 0,
  cpus: () => [],
  availableParallelism: () => 1,
};
