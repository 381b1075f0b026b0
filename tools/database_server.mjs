import { execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * @typedef {{ port: number, stop: () => Promise<void> }} Server
 * @typedef {object} Flavour
 * @property {string} user that runs it if the tests run as root, which both servers refuse
 * @property {() => string | undefined} program
 * @property {(program: string, folder: string) => string[]} init
 * @property {(program: string, folder: string, port: number) => string[]} start
 * @property {(program: string, port: number) => Promise<boolean>} isReady
 * @property {NodeJS.Signals} stopSignal
 */

const CERTIFICATE = 'server.crt';
const KEY = 'server.key';

/** Creates a self-signed certificate; clients choose whether to use TLS. */
const SELF_SIGNED = [
  ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
  ...['-subj', '/CN=localhost', '-keyout', KEY, '-out', CERTIFICATE],
];

/** Where Debian keeps the newest PostgreSQL. */
function postgresBin() {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return undefined;
  const newest = readdirSync(root).sort((a, b) => Number(b) - Number(a))[0];
  const program = join(root, newest ?? '', 'bin', 'postgres');
  return existsSync(program) ? program : undefined;
}

/** @type {Record<'postgres' | 'mariadb', Flavour>} */
const FLAVOURS = {
  postgres: {
    user: 'postgres',
    program: postgresBin,
    init: (program, folder) => [
      program.replace(/postgres$/, 'initdb'),
      '-D',
      join(folder, 'data'),
      '-U',
      'postgres',
      '-A',
      'trust',
      '-N',
      '-E',
      'UTF8',
      '--locale=C',
    ],
    start: (program, folder, port) => [
      program,
      ...['-D', join(folder, 'data'), '-p', String(port), '-k', folder, '-h', '127.0.0.1'],
      ...['-c', 'fsync=off', '-c', 'max_connections=120', '-c', 'shared_buffers=32MB'],
      ...[
        '-c',
        'ssl=on',
        '-c',
        `ssl_cert_file=${join(folder, CERTIFICATE)}`,
        '-c',
        `ssl_key_file=${join(folder, KEY)}`,
      ],
    ],
    isReady: (program, port) =>
      run(program.replace(/postgres$/, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
        () => true,
        () => false,
      ),
    // Fast shutdown: clients are disconnected.
    stopSignal: 'SIGINT',
  },
  mariadb: {
    user: 'mysql',
    program: () => ['/usr/sbin/mariadbd', '/usr/libexec/mariadbd'].find((path) => existsSync(path)),
    init: (_program, folder) => [
      'mariadb-install-db',
      '--no-defaults',
      `--datadir=${join(folder, 'data')}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    start: (program, folder, port) => [
      program,
      '--no-defaults',
      `--datadir=${join(folder, 'data')}`,
      `--port=${port}`,
      `--socket=${join(folder, 'server.sock')}`,
      `--pid-file=${join(folder, 'server.pid')}`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=32M',
      '--skip-log-bin',
      `--ssl-cert=${join(folder, CERTIFICATE)}`,
      `--ssl-key=${join(folder, KEY)}`,
    ],
    isReady: (_program, port) =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1');
        socket.once('connect', () => {
          socket.destroy();
          resolve(true);
        });
        socket.once('error', () => resolve(false));
      }),
    stopSignal: 'SIGTERM',
  },
};

/**
 * Whether the server can be started here; logs if it cannot.
 * @param {'postgres' | 'mariadb'} name
 */
export function hasServer(name) {
  const found = process.platform === 'linux' && FLAVOURS[name].program() !== undefined;
  if (!found)
    console.warn(
      `SKIPPED: ${name} is not installed (Debian package: ${name === 'postgres' ? 'postgresql' : 'mariadb-server'}).`,
    );
  return found;
}

/**
 * Starts a server on a free port, with a data folder that is removed when it stops.
 * @param {'postgres' | 'mariadb'} name
 * @returns {Promise<Server>}
 */
export async function startServer(name) {
  const flavour = FLAVOURS[name];
  const program = flavour.program() ?? '';
  const folder = mkdtempSync(join(tmpdir(), `tgp-${name}-`));
  const asRoot = process.getuid?.() === 0;
  if (asRoot) giveTo(flavour.user, folder);
  /** @param {string[]} words @returns {[string, string[]]} */
  const asUser = ([command = '', ...args]) =>
    asRoot ? ['setpriv', [...asOther(flavour.user), '--', command, ...args]] : [command, args];
  const environment = { ...process.env, HOME: folder, LC_ALL: 'C' };
  await Promise.all([
    run(...asUser(flavour.init(program, folder)), { env: environment, cwd: folder }),
    run(...asUser(SELF_SIGNED), { env: environment, cwd: folder }),
  ]);
  const port = await freePort();
  const [command, args] = asUser(flavour.start(program, folder, port));
  const child = spawn(command, args, { stdio: 'ignore', cwd: folder, env: environment });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill(flavour.stopSignal);
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(() => flavour.isReady(program, port), child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, stop };
}

/**
 * Arguments of `setpriv` to start a program as another user. The program ends with its parent, also if that is killed.
 * @param {string} user
 */
function asOther(user) {
  return ['--reuid', user, '--regid', user, '--clear-groups', '--pdeathsig', 'KILL'];
}

/**
 * @param {string} user
 * @param {string} folder
 */
function giveTo(user, folder) {
  const id = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  chownSync(folder, id('-u'), id('-g'));
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/**
 * @param {() => Promise<boolean>} isReady
 * @param {import('node:child_process').ChildProcess} child
 */
async function untilReady(isReady, child) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode} instead of starting.`);
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The server did not start within a minute.');
}
