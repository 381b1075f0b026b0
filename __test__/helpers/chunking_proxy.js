import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A proxy that passes on the responses of a server in small chunks, which cut headers and values anywhere.
 * @param {number} port of the server
 * @param {() => number} nextSize of a chunk
 */
export async function startChunkingProxy(port, nextSize) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.setNoDelay(true);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.on('data', (bytes) => upstream.write(bytes));
    /** @type {Promise<unknown>} */
    let sent = Promise.resolve();
    upstream.on('data', (bytes) => {
      sent = sent.then(async () => {
        for (let at = 0; at < bytes.length; ) {
          const size = nextSize();
          client.write(bytes.subarray(at, at + size));
          at += size;
          await new Promise((done) => setImmediate(done));
        }
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
