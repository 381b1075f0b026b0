/** The clients of an MCP server over HTTP, each with a server of its own. */

import { randomUUID } from 'node:crypto';
import { Refusal } from './request_rules.js';
import { loadSdk } from './sdk.js';
import { createMcpServer } from './server.js';

/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 * @typedef {{ handleRequest: (request: Request, response: Response, body?: unknown) => Promise<void>, close: () => Promise<void>, sessionId?: string }} Transport
 */

export class Sessions {
  /** @type {Map<string, Transport>} the one that was quiet for longest comes first */
  #open = new Map();
  #kernel;
  #options;
  #most;
  /** How many are being opened: each of them may become a session. */
  #opening = 0;

  /**
   * @param {import('../../index.js').TGP} kernel
   * @param {import('../../mcp.js').McpServerOptions} options
   * @param {number} most one more, and the session that was quiet for longest is closed
   */
  constructor(kernel, options, most) {
    this.#kernel = kernel;
    this.#options = options;
    this.#most = most;
  }

  /**
   * @param {Request} request
   * @param {Response} response
   * @param {() => Promise<unknown>} readBody
   */
  async handle(request, response, readBody) {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') {
      if (request.method !== 'POST') throw new Refusal(400, 'A session begins with a POST of "initialize".');
      return this.#begin(request, response, await readBody());
    }
    const transport = this.#open.get(id);
    if (!transport) throw new Refusal(404, 'There is no such session. Begin a new one.');
    this.#open.delete(id);
    this.#open.set(id, transport);
    return transport.handleRequest(request, response, request.method === 'POST' ? await readBody() : undefined);
  }

  async close() {
    await Promise.allSettled([...this.#open.values()].map((transport) => transport.close()));
  }

  /**
   * @param {Request} request
   * @param {Response} response
   * @param {any} body
   */
  async #begin(request, response, body) {
    // Looked at here: what begins no session must not cost what one costs.
    if (body.method !== 'initialize') throw new Refusal(400, 'A session begins with a POST of "initialize".');
    if (this.#opening >= this.#most) throw new Refusal(503, 'Too many sessions are being opened. Try again later.');
    this.#opening += 1;
    try {
      await this.#connect(request, response, body);
    } finally {
      this.#opening -= 1;
    }
  }

  /**
   * @param {Request} request
   * @param {Response} response
   * @param {any} body
   */
  async #connect(request, response, body) {
    const { StreamableHTTPServerTransport } = await loadSdk();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: async (id) => {
        this.#open.set(id, transport);
        await this.#makeRoom();
      },
    });
    const server = await createMcpServer(this.#kernel, this.#options);
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#open.delete(transport.sessionId);
    };
    await server.connect(/** @type {any} */ (transport));
    await transport.handleRequest(request, response, body);
    // What was no good "initialize" has been refused, and nothing must be left of it.
    if (transport.sessionId === undefined) await server.close();
  }

  async #makeRoom() {
    const [oldest, quiet] = [...this.#open.entries()][0] ?? [];
    if (this.#open.size <= this.#most || oldest === undefined) return;
    this.#open.delete(oldest);
    await quiet?.close();
  }
}
