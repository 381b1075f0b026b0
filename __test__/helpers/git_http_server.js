import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { onTestFinished } from 'vitest';
import { gitHttpBackend } from '../../tools/git_http_backend.mjs';

/**
 * A smart-HTTP remote: the real `git http-backend` behind a small CGI server.
 * @param {string} projectRoot the folder of the bare repositories
 * @param {{ tls?: { key: Buffer, cert: Buffer }, authorization?: string, before?: (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => boolean }} [options]
 *   `tls` makes it https; `authorization` is required of every request; `before` may answer a request itself
 */
export async function gitHttpServer(projectRoot, { tls, authorization, before } = {}) {
  /** @type {string[]} */
  const requests = [];
  /** @type {import('node:http').RequestListener} */
  const listener = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (before?.(request, response)) return;
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('no');
      return;
    }
    gitHttpBackend(projectRoot, request, response);
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, port, requests, server };
}
