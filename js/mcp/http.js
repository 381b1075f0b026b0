/** MCP over streamable HTTP: one server per session, behind checks that a web page of a stranger does not pass. */

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isIP } from 'node:net';
import { IoError, ValidationError } from '../errors.js';
import { loadSdk } from './sdk.js';
import { createMcpServer } from './server.js';

/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 * @typedef {{ handleRequest: (request: Request, response: Response) => Promise<void>, close: () => Promise<void>, sessionId?: string }} Transport
 */

const PATH = '/mcp';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** One more, and the session that was quiet for longest is closed. */
const MOST_SESSIONS = 64;

/** @type {typeof import('../../mcp.js').serveMcp} */
export async function serveMcp(kernel, { port = 0, host = '127.0.0.1', token, ...options } = {}) {
  const isLoopback = LOOPBACK.has(host) || host === '::1';
  if (!isLoopback && token === undefined) {
    throw new ValidationError(
      `"host" ${host} can be reached from elsewhere: give a "token" too, or leave "host" out.`,
      {
        details: { field: 'token' },
      },
    );
  }
  if (token === '') throw new ValidationError('"token" is empty.', { details: { field: 'token' } });
  await loadSdk();
  const sessions = new Sessions(kernel, options);
  const server = createServer((request, response) => {
    const refused = refusal(request, isLoopback, token);
    const served = refused ? refuse(response, ...refused) : sessions.handle(request, response);
    Promise.resolve(served).catch((error) => {
      kernel.logger.error('MCP: a request failed.', error);
      refuse(response, 500, 'The request failed.');
    });
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new IoError(`Port ${port} of ${host} cannot be used (${code}). Choose another one.`, { cause });
  }
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const shown = isIP(address.address) === 6 ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}${PATH}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      await sessions.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The clients, each with a server of its own. */
class Sessions {
  /** @type {Map<string, Transport>} the one that was quiet for longest comes first */
  #open = new Map();
  #kernel;
  #options;

  /**
   * @param {import('../../index.js').TGP} kernel
   * @param {import('../../mcp.js').McpServerOptions} options
   */
  constructor(kernel, options) {
    this.#kernel = kernel;
    this.#options = options;
  }

  /**
   * @param {Request} request
   * @param {Response} response
   */
  async handle(request, response) {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') return this.#begin(request, response);
    const transport = this.#open.get(id);
    if (!transport) return refuse(response, 404, 'There is no such session. Begin a new one.');
    this.#open.delete(id);
    this.#open.set(id, transport);
    return transport.handleRequest(request, response);
  }

  async close() {
    await Promise.all([...this.#open.values()].map((transport) => transport.close()));
  }

  /**
   * @param {Request} request
   * @param {Response} response
   */
  async #begin(request, response) {
    if (request.method !== 'POST') return refuse(response, 400, 'A session begins with a POST of "initialize".');
    const { StreamableHTTPServerTransport } = await loadSdk();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: async (id) => {
        this.#open.set(id, transport);
        const [oldest, quiet] = [...this.#open.entries()][0] ?? [];
        if (this.#open.size > MOST_SESSIONS && oldest !== undefined) {
          this.#open.delete(oldest);
          await quiet?.close();
        }
      },
    });
    const server = await createMcpServer(this.#kernel, this.#options);
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#open.delete(transport.sessionId);
    };
    await server.connect(/** @type {any} */ (transport));
    await transport.handleRequest(request, response);
    // What was no "initialize" has been refused, and nothing must be left of it.
    if (transport.sessionId === undefined) await server.close();
  }
}

/**
 * Why a request is not served. A page in somebody's browser can make requests to this machine, and by DNS rebinding even
 * read the answers; but it cannot choose what the headers Host and Origin say.
 * @param {Request} request
 * @param {boolean} isLoopback whether only this machine is meant
 * @param {string | undefined} token
 * @returns {[status: number, message: string] | undefined}
 */
function refusal({ headers, url = '/' }, isLoopback, token) {
  const host = hostOf(`http://${headers.host}`);
  if (host === undefined || (isLoopback && !LOOPBACK.has(host))) return [403, 'This Host is not served.'];
  const from = headers.origin === undefined ? undefined : hostOf(headers.origin);
  if (headers.origin !== undefined && (from === undefined || !(LOOPBACK.has(from) || from === host))) {
    return [403, 'This Origin is not served.'];
  }
  if (token !== undefined && !isSame(headers.authorization ?? '', `Bearer ${token}`)) {
    return [401, 'A bearer token is needed.'];
  }
  return new URL(url, 'http://localhost').pathname === PATH ? undefined : [404, `The server is at ${PATH}.`];
}

/** @param {string} url */
function hostOf(url) {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/**
 * In the same time whatever is given.
 * @param {string} given
 * @param {string} expected
 */
function isSame(given, expected) {
  const digest = (/** @type {string} */ text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * @param {Response} response
 * @param {number} status
 * @param {string} message
 */
function refuse(response, status, message) {
  if (response.headersSent) {
    response.end();
    return;
  }
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'Content-Type': 'application/json', ...challenge });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
}
