import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { onTestFinished } from 'vitest';

/**
 * A smart-HTTP remote: the real `git http-backend` behind a small CGI server.
 * @param {string} projectRoot the folder of the bare repositories
 * @param {{ tls?: { key: Buffer, cert: Buffer }, authorization?: string, before?: (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => boolean }} [options]
 *   `tls` makes it https; `authorization` is demanded of every request; `before` may answer a request itself
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
    backend(projectRoot, request, response);
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

/**
 * @param {string} projectRoot
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
function backend(projectRoot, request, response) {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: projectRoot,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'somebody',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin).on('error', () => {});
  let head = Buffer.alloc(0);
  child.stdout.on('data', function onData(chunk) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    child.stdout.off('data', onData);
    const headers = Object.fromEntries(
      head
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(/: (.*)/s).slice(0, 2)),
    );
    const status = Number.parseInt(headers.Status ?? '200', 10);
    delete headers.Status;
    response.writeHead(status, headers);
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  });
  child.on('close', () => response.headersSent || response.writeHead(500).end());
}
