import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';

/**
 * A real server on loopback, closed after the test.
 * @param {import('node:http').RequestListener} listener
 * @param {string} [host]
 */
export async function serveHttp(listener, host = '127.0.0.1') {
  const server = createServer(listener);
  await new Promise((ready) => server.listen(0, host, () => ready(undefined)));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { port, url: `http://127.0.0.1:${port}` };
}
