/** MCP over streamable HTTP: one server per session. Requests are checked for host, origin, token and size first. */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isIP } from 'node:net';
import { IoError, ValidationError } from '../boundary/errors.js';
import { guarded, ignored } from '../boundary/guarded.js';
import type { TGP } from '../kernel/tgp.js';
import type { Logger } from '../types/kernel.js';
import type { McpLimits, ServeMcpOptions } from '../types/mcp.js';
import { checkCapability } from './bearer.js';
import { BodyBudget, checkRequest, isLoopback, PATH, Refusal, refuse } from './request_rules.js';
import { loadSdk } from './sdk.js';
import { checkedOptions } from './server_options.js';
import { Sessions } from './sessions.js';

type Limits = Required<McpLimits>;

const LIMITS: Limits = {
  bodyBytes: 4 << 20,
  allBodiesBytes: 32 << 20,
  headersMs: 10_000,
  requestMs: 30_000,
  connections: 256,
  sessions: 64,
};
const MAX_HEADER_BYTES = 16 << 10;
const MAX_HEADERS = 100;
const LIMIT_KEYS = Object.keys(LIMITS);

/**
 * Serves MCP over streamable HTTP, with one server per session. Requests whose Host or Origin is not this machine are refused,
 * so that web pages cannot reach it by DNS rebinding.
 * @throws {ValidationError} when the address is not loopback and there is no token
 * @throws {IoError} when the port cannot be used
 */
export async function serveMcp(
  kernel: TGP,
  options: ServeMcpOptions = {},
): Promise<{ url: string; close: () => Promise<void> }> {
  const { port = 0, host = '127.0.0.1', token, limits = {}, ...forServers } = options;
  const onlyHere = isLoopback(host);
  if (!onlyHere && token === undefined) {
    throw new ValidationError(
      `"host" ${host} can be reached from other machines: set a "token" too, or remove "host".`,
      {
        details: { field: 'token' },
      },
    );
  }
  if (token === '') throw new ValidationError('"token" is empty.', { details: { field: 'token' } });
  const checked = checkedLimits(limits);
  checkedOptions(forServers);
  await loadSdk();
  const sessions = new Sessions(kernel, forServers, checked.sessions);
  const bodies = new BodyBudget(checked);
  const server = guardedServer(checked, kernel.logger, async (request, response) => {
    const capability = checkRequest(request, { onlyHere, token });
    if (capability !== undefined) await admit(kernel, request, capability);
    await sessions.handle(request, response, () => bodies.read(request, response));
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new IoError(`Port ${port} of ${host} cannot be used (${code}). Choose another one.`, { cause });
  }
  // Such as too many open files: existing connections are not affected.
  server.on(
    'error',
    guarded(ignored, (error) => kernel.logger.error('MCP: a connection could not be accepted.', error)),
  );
  const address = server.address() as AddressInfo;
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

/** Admits a request with a capability token, which limits its calls. */
async function admit(kernel: TGP, request: IncomingMessage, token: string) {
  await checkCapability(kernel, token);
  // The SDK passes `auth` on to request handlers.
  Object.assign(request, { auth: { token, clientId: 'tgp', scopes: [] } });
}

/** A server that ends every request with a response or a closed connection, whatever `handle` does. */
function guardedServer(
  limits: Limits,
  logger: Logger,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
) {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.headersMs,
    requestTimeout: Math.max(limits.requestMs, limits.headersMs),
    connectionsCheckingInterval: Math.min(limits.headersMs, 1000),
    requireHostHeader: true,
    insecureHTTPParser: false,
  });
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = limits.connections;
  const serve = guarded(
    (error) => logger.error('MCP: a request failed.', error),
    async (request: IncomingMessage, response: ServerResponse) => {
      // A connection that breaks during a write is not an error.
      response.on('error', ignored);
      request.on('error', ignored);
      try {
        await handle(request, response);
      } catch (error) {
        if (error instanceof Refusal) return refuse(response, error);
        refuse(response, new Refusal(500, 'The request failed.'));
        throw error;
      }
    },
  );
  server.on('request', serve);
  // "100 Continue" is sent only after the request is admitted.
  server.on('checkContinue', serve);
  return server;
}

function checkedLimits(limits: McpLimits): Limits {
  for (const [key, value] of Object.entries(limits)) {
    const details = { field: `limits.${key}` };
    if (!LIMIT_KEYS.includes(key)) {
      throw new ValidationError(`"limits.${key}" is not known (known: ${LIMIT_KEYS.join(', ')}).`, { details });
    }
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw new ValidationError(`"limits.${key}" must be a whole number above 0.`, { details });
    }
  }
  const chosen = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...LIMITS, ...Object.fromEntries(chosen) };
}
