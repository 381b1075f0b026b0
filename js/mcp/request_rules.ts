/** Checks of HTTP requests before they are processed: Host, Origin, token, path and body size. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage as Request, ServerResponse as Response } from 'node:http';
import { readAtMost, TooLarge } from '../boundary/bounded_read.js';
import { BadJson, MAX_MESSAGE_VALUES, parseForeignJson } from '../boundary/foreign_json.js';
import { foreignUrl } from '../boundary/foreign_url.js';
import { guarded, ignored } from '../boundary/guarded.js';

/** The only path that is served. */
export const PATH = '/mcp';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** An Authorization header with a capability token. */
const CAPABILITY = /^Bearer (tgp_\S+)$/i;
/** Maximum number of messages in one body. */
const MAX_BATCH = 100;

/** Whether a host name is this machine. */
export const isLoopback = (host: string) => LOOPBACK.has(host) || host === '::1';

/** A refused request: status and message. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Checks Host, Origin, token and path. A web page can send requests to this machine, and with DNS rebinding read the responses,
 * but it cannot choose the Host and Origin headers.
 * @param rules whether only loopback hosts are served, and the owner's token
 * @returns the capability token, if the request has one instead of the owner's token; not verified yet
 * @throws Refusal
 */
export function checkRequest(
  { headers, url = '' }: Request,
  { onlyHere, token }: { onlyHere: boolean; token: string | undefined },
): string | undefined {
  const host = foreignUrl(`http://${headers.host}`)?.hostname;
  if (host === undefined || host === '') throw new Refusal(403, 'The Host header is missing or is not valid.');
  if (onlyHere && !LOOPBACK.has(host)) {
    throw new Refusal(403, 'The Host header names another host. Connect to localhost, 127.0.0.1 or [::1].');
  }
  if (headers.origin !== undefined) {
    const from = foreignUrl(headers.origin)?.hostname;
    if (from === undefined || !(LOOPBACK.has(from) || from === host)) {
      throw new Refusal(403, 'The Origin header is not allowed. Connect from a page of this host or of localhost.');
    }
  }
  const isOwner = token !== undefined && isSame(headers.authorization ?? '', `Bearer ${token}`);
  const capability = isOwner ? undefined : bearerCapability(headers.authorization);
  if (token !== undefined && !isOwner && capability === undefined) {
    throw new Refusal(401, 'A bearer token is required.');
  }
  // Compared literally: a path that needs normalisation is refused.
  if (url.split('?', 1)[0] !== PATH) throw new Refusal(404, `The server is at ${PATH}.`);
  return capability;
}

function bearerCapability(authorization: string | undefined) {
  return CAPABILITY.exec(authorization ?? '')?.[1];
}

const TOO_MUCH = new Refusal(503, 'The server is receiving too much data. Retry later.');

/** A memory budget for the bodies of all requests together. */
export class BodyBudget {
  #left;
  #maxBytes;

  constructor({ bodyBytes, allBodiesBytes }: { bodyBytes: number; allBodiesBytes: number }) {
    this.#maxBytes = bodyBytes;
    this.#left = allBodiesBytes;
  }

  /**
   * Reads the messages in a request's body.
   * @param response its end releases the request's part of the budget
   * @throws Refusal
   */
  async read(request: Request, response: Response) {
    if (Number(request.headers['content-length'] ?? 0) > this.#maxBytes) throw this.#tooLarge();
    if (this.#left <= 0) throw TOO_MUCH;
    let bytesHeld = 0;
    // A request keeps its part of the budget until it is answered.
    const release = guarded(ignored, () => {
      this.#left += bytesHeld;
    });
    response.once('close', release);
    const hold = (bytes: number) => {
      bytesHeld += bytes;
      this.#left -= bytes;
      if (this.#left < 0) throw TOO_MUCH;
    };
    if (request.headers.expect !== undefined) response.writeContinue();
    return messagesIn(await this.#text(request, hold));
  }

  async #text(request: Request, hold: (bytes: number) => void) {
    try {
      return (await readAtMost(request, this.#maxBytes, hold)).toString('utf8');
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw error instanceof TooLarge ? this.#tooLarge() : new Refusal(400, 'The body is incomplete.');
    }
  }

  #tooLarge() {
    return new Refusal(413, `A body may have at most ${this.#maxBytes} bytes.`);
  }
}

function messagesIn(text: string) {
  try {
    const body = parseForeignJson(text, { maxValues: MAX_MESSAGE_VALUES });
    const isGood = typeof body === 'object' && body !== null && !(Array.isArray(body) && body.length > MAX_BATCH);
    if (isGood) return body;
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    throw new Refusal(400, `The body is not valid. ${error.message}`);
  }
  throw new Refusal(400, `The body must be one message, or an array of at most ${MAX_BATCH} messages.`);
}

/** Compares two texts in constant time. */
function isSame(actual: string, expected: string) {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(actual), digest(expected));
}

/** Sends a refusal and closes the connection without reading the rest of the request. */
export function refuse(response: Response, { status, message }: Refusal) {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close', ...challenge });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
}
