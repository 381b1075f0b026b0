/** The sessions of an MCP server over HTTP. Each session has its own server. */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage as Request, ServerResponse as Response } from 'node:http';
import type { TGP } from '../kernel/tgp.js';
import type { McpServerOptions } from '../types/mcp.js';
import { familyOf } from './bearer.js';
import { Refusal } from './request_rules.js';
import { loadSdk } from './sdk.js';
import { mcpServer } from './server.js';

type Transport = {
  handleRequest: (request: Request, response: Response, body?: unknown) => Promise<void>;
  close: () => Promise<void>;
  sessionId?: string;
};
/** `family`: the token family of the client, empty for the owner. */
type Session = { transport: Transport; family: string };

/** The family of requests without a capability token. */
const OWNER = '';

export class Sessions {
  /** Least recently used first. */
  #open = new Map<string, Session>();
  #kernel;
  #options;
  #most;
  /** Number of sessions that are being opened by the owner and by token holders. */
  #opening = { owner: 0, others: 0 };

  /**
   * @param most maximum number of sessions of the owner, and of all tokens. One more closes the least recently used session of
   * the same side
   */
  constructor(kernel: TGP, options: McpServerOptions, most: number) {
    this.#kernel = kernel;
    this.#options = options;
    this.#most = most;
  }

  async handle(request: Request, response: Response, readBody: () => Promise<unknown>) {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') {
      if (request.method !== 'POST') throw new Refusal(400, 'A session starts with a POST of "initialize".');
      return this.#begin(request, response, await readBody());
    }
    const session = this.#open.get(id);
    if (session === undefined || session.family !== ownFamily(request)) {
      throw new Refusal(404, 'The session does not exist. Start a new session.');
    }
    this.#open.delete(id);
    this.#open.set(id, session);
    return session.transport.handleRequest(request, response, request.method === 'POST' ? await readBody() : undefined);
  }

  async close() {
    await Promise.allSettled([...this.#open.values()].map(({ transport }) => transport.close()));
  }

  async #begin(request: Request, response: Response, body: unknown) {
    // Checked before a server is created, because a server is expensive.
    if (methodOf(body) !== 'initialize') throw new Refusal(400, 'A session starts with a POST of "initialize".');
    const family = ownFamily(request);
    const group = family === OWNER ? 'owner' : 'others';
    if (this.#opening[group] >= this.#most) throw new Refusal(503, 'Too many sessions are being opened. Retry later.');
    this.#opening[group] += 1;
    try {
      await this.#connect(request, response, body, family);
    } finally {
      this.#opening[group] -= 1;
    }
  }

  async #connect(request: Request, response: Response, body: unknown, family: string) {
    const { StreamableHTTPServerTransport } = await loadSdk();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: async (id) => {
        this.#open.set(id, { transport, family });
        await this.#makeRoom(family);
      },
    });
    const server = await mcpServer(this.#kernel, this.#options, { catalogue: family === OWNER });
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#open.delete(transport.sessionId);
    };
    await server.connect(transport);
    await transport.handleRequest(request, response, body);
    // An invalid "initialize" was refused: remove its server.
    if (transport.sessionId === undefined) await server.close();
  }

  /** @param family of the new session */
  async #makeRoom(family: string) {
    const families = new Set([...this.#open.values()].map((session) => session.family));
    const side = family === OWNER ? [OWNER] : [...families].filter((each) => each !== OWNER);
    const open = side.map((each) => this.#ofFamily(each));
    if (open.flat().length <= this.#most) return;
    // Closes a session of the token with the most sessions, so that one token cannot close those of others.
    const largest = open.reduce((most, next) => (next.length > most.length ? next : most));
    const [id, session] = largest[0] ?? [];
    if (id === undefined) return;
    this.#open.delete(id);
    await session?.transport.close();
  }

  /** @returns least recently used first */
  #ofFamily(family: string): [string, Session][] {
    return [...this.#open].filter(([, session]) => session.family === family);
  }
}

/** @param body of a request: a JSON-RPC message or a batch */
function methodOf(body: unknown) {
  return typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined;
}

/** @param request whose token was checked */
function ownFamily({ auth }: Request & { auth?: { token?: string } }) {
  return familyOf(auth);
}
