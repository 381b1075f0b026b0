/**
 * A server that speaks PostgreSQL's protocol and answers `SELECT 'name of a script'` by that script: with messages that no
 * real server sends, and with more data than one could produce in the time of a test.
 */

import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * @typedef {import('node:net').Socket} Socket
 * @typedef {object} Answering
 * @property {Socket} socket
 * @property {() => boolean} isStopped whether the client has asked to stop the statement
 * @property {(bytes: Buffer) => Promise<boolean>} send waits until the client takes more; false when it is gone
 * @typedef {(answering: Answering) => unknown} Script
 */

/** @param {string} type @param {Buffer | string} [body] */
export function message(type, body = '') {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(type), int32(bytes.length + 4), bytes]);
}

/** @param {number} value */
export function int32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** @param {number} value */
function int16(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

/** @param {{ name: string, type: number }[]} columns */
function description(columns) {
  const fields = columns.map(({ name, type }) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]),
  );
  return message('T', Buffer.concat([int16(columns.length), ...fields]));
}

/**
 * The messages before the rows of a prepared statement.
 * @param {{ name: string, type: number }[]} columns
 */
export function described(columns) {
  return Buffer.concat([message('1'), message('t', int16(0)), description(columns), message('2')]);
}

/** @param {(string | null)[]} cells */
export function row(cells) {
  const parts = cells.map((cell) =>
    cell === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(cell)), Buffer.from(cell)]),
  );
  return message('D', Buffer.concat([int16(cells.length), ...parts]));
}

/** @param {string} tag */
export const completed = (tag) => message('C', `${tag}\0`);
export const ready = message('Z', 'T');

/**
 * @param {string} text
 * @param {string} [code]
 */
export const failed = (text, code = 'XX000') => message('E', `SERROR\0VERROR\0C${code}\0M${text}\0\0`);

/** @param {Record<string, Script>} scripts */
export async function startFakePostgres(scripts) {
  /** @type {Map<number, { stopped: boolean }>} */
  const backends = new Map();
  /** The statements and their connections. @type {{ sql: string, connection: number }[]} */
  const received = [];
  /** @type {Set<Socket>} */
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    serve(socket, scripts, backends, received).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    port,
    received,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const STARTUP = 196_608;
const CANCEL = 80_877_102;

/**
 * @param {Socket} socket
 * @param {Record<string, Script>} scripts
 * @param {Map<number, { stopped: boolean }>} backends
 * @param {{ sql: string, connection: number }[]} received
 */
async function serve(socket, scripts, backends, received) {
  const bytes = reader(socket);
  const startup = await bytes((await bytes(4)).readInt32BE() - 4);
  const requestCode = startup.readInt32BE();
  if (requestCode === CANCEL) {
    const backend = backends.get(startup.readInt32BE(4));
    if (backend) backend.stopped = true;
    socket.end();
    return;
  }
  if (requestCode !== STARTUP) throw new Error('no TLS here');
  const id = backends.size + 1;
  const backend = { stopped: false };
  backends.set(id, backend);
  socket.write(
    Buffer.concat([message('R', int32(0)), message('K', Buffer.concat([int32(id), int32(7)])), message('Z', 'I')]),
  );
  const answering = {
    socket,
    isStopped: () => backend.stopped,
    send: async (/** @type {Buffer} */ answer) => {
      if (socket.destroyed) return false;
      if (!socket.write(answer)) await drained(socket);
      return !socket.destroyed;
    },
  };
  let sql = '';
  for (;;) {
    const head = await bytes(5);
    const body = await bytes(head.readInt32BE(1) - 4);
    const type = String.fromCharCode(head[0] ?? 0);
    if (type === 'X') socket.end();
    if (type === 'P') sql = body.toString().split('\0')[1] ?? '';
    if (type === 'Q') socket.write(plainAnswer(body.toString().replace(/\0$/, '')));
    if (type === 'S') {
      backend.stopped = false;
      received.push({ sql, connection: id });
      const script = scripts[/^SELECT '(.*?)'/.exec(sql)?.[1] ?? ''];
      if (script) await script(answering);
      else socket.write(Buffer.concat([described(WORD), row(['fine']), completed('SELECT 1'), ready]));
    }
  }
}

/** @param {Socket} socket */
function drained(socket) {
  return new Promise((resolve) => {
    const end = () => {
      socket.removeListener('drain', end);
      socket.removeListener('close', end);
      resolve(undefined);
    };
    socket.on('drain', end);
    socket.on('close', end);
  });
}

const WORD = [{ name: 'word', type: 25 }];

/** @param {string} sql of a statement that the adapter itself sends */
function plainAnswer(sql) {
  const answers = sql.split('; ').map((statement) => {
    const [, word = ''] = /^(\w+)/.exec(statement) ?? [];
    if (!/^(?:SELECT|SHOW)$/i.test(word)) return completed(word);
    const text = /^SELECT '(.*?)'/.exec(statement)?.[1] ?? (word === 'select' ? 'PostgreSQL 15.0' : '150000');
    const name = word === 'SHOW' ? 'server_version_num' : 'version';
    return Buffer.concat([description([{ name, type: 25 }]), row([text]), completed('SELECT 1')]);
  });
  return Buffer.concat([...answers, ready]);
}

/**
 * @param {Socket} socket
 * @returns {(length: number) => Promise<Buffer>}
 */
function reader(socket) {
  let buffered = Buffer.alloc(0);
  const chunks = socket[Symbol.asyncIterator]();
  return async (length) => {
    while (buffered.length < length) {
      const { value, done } = await chunks.next();
      if (done) throw new Error('the client is gone');
      buffered = Buffer.concat([buffered, value]);
    }
    const taken = buffered.subarray(0, length);
    buffered = buffered.subarray(length);
    return taken;
  };
}
