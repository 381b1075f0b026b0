import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A real HTTP proxy on loopback that tunnels with CONNECT to the given hosts only.
 * @param {Record<string, number>} hosts ports of this machine, by the requested `host:port`
 * @param {{ authorization?: string }} [options] `authorization` is required of every request
 */
export async function connectProxy(hosts, { authorization } = {}) {
  /** @type {string[]} */
  const asked = [];
  /** @type {Set<import('node:stream').Duplex>} */
  const sockets = new Set();
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(501).end();
  });
  server.on('connect', (request, client) => {
    asked.push(request.url ?? '');
    sockets.add(client);
    client.on('error', () => {});
    const port = hosts[request.url ?? ''];
    if (authorization !== undefined && request.headers['proxy-authorization'] !== authorization) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n');
    } else if (port === undefined) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    } else {
      const target = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.pipe(client).pipe(target);
      });
      sockets.add(target);
      target.on('error', () => client.destroy());
      client.on('close', () => target.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, port, asked };
}
