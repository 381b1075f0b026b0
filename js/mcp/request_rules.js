/** What a request over HTTP has to be before anybody looks into it. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { readAtMost, TooLarge } from '../boundary/bounded_read.js';
import { BadJson, MAX_MESSAGE_VALUES, parseForeignJson } from '../boundary/foreign_json.js';
import { foreignUrl } from '../boundary/foreign_url.js';
import { guarded, ignored } from '../boundary/guarded.js';

/**
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 */

export const PATH = '/mcp';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** A header with a capability token. */
const CAPABILITY = /^Bearer (tgp_\S+)$/i;
/** Messages in one body. */
const MAX_BATCH = 100;

/** @param {string} host */
export const isLoopback = (host) => LOOPBACK.has(host) || host === '::1';

/** Why a request is not served. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * A page in somebody's browser can make requests to this machine, and by DNS rebinding even read the answers; but it cannot
 * choose what the headers Host and Origin say.
 * @param {Request} request
 * @param {{ onlyHere: boolean, token: string | undefined }} rules whether only this machine is meant, and what opens the door
 * @returns {string | undefined} the capability token that opens it in the place of that; nobody has looked at it yet
 * @throws {Refusal}
 */
export function checkRequest({ headers, url = '' }, { onlyHere, token }) {
  const host = foreignUrl(`http://${headers.host}`)?.hostname;
  if (host === undefined || host === '' || (onlyHere && !LOOPBACK.has(host))) {
    throw new Refusal(403, 'This Host is not served.');
  }
  if (headers.origin !== undefined) {
    const from = foreignUrl(headers.origin)?.hostname;
    if (from === undefined || !(LOOPBACK.has(from) || from === host)) {
      throw new Refusal(403, 'This Origin is not served.');
    }
  }
  const isOwner = token !== undefined && isSame(headers.authorization ?? '', `Bearer ${token}`);
  const capability = isOwner ? undefined : bearerCapability(headers.authorization);
  if (token !== undefined && !isOwner && capability === undefined) {
    throw new Refusal(401, 'A bearer token is needed.');
  }
  // As it stands: nothing that has to be resolved first names this path.
  if (url.split('?', 1)[0] !== PATH) throw new Refusal(404, `The server is at ${PATH}.`);
  return capability;
}

/** @param {string | undefined} authorization */
function bearerCapability(authorization) {
  return CAPABILITY.exec(authorization ?? '')?.[1];
}

const TOO_MUCH = new Refusal(503, 'Too much is being sent at once. Try again later.');

/** How much of bodies is held at one time, by all requests together. */
export class BodyBudget {
  #left;
  #maxBytes;

  /** @param {{ bodyBytes: number, allBodiesBytes: number }} limits */
  constructor({ bodyBytes, allBodiesBytes }) {
    this.#maxBytes = bodyBytes;
    this.#left = allBodiesBytes;
  }

  /**
   * The messages in a request's body.
   * @param {Request} request
   * @param {Response} response when that is over, its part of the budget is free again
   * @throws {Refusal}
   */
  async read(request, response) {
    if (Number(request.headers['content-length'] ?? 0) > this.#maxBytes) throw this.#tooLarge();
    if (this.#left <= 0) throw TOO_MUCH;
    let held = 0;
    // Everything that a request holds is its own until it has been answered.
    const release = guarded(ignored, () => {
      this.#left += held;
    });
    response.once('close', release);
    const hold = (/** @type {number} */ bytes) => {
      held += bytes;
      this.#left -= bytes;
      if (this.#left < 0) throw TOO_MUCH;
    };
    if (request.headers.expect !== undefined) response.writeContinue();
    return messagesIn(await this.#text(request, hold));
  }

  /**
   * @param {Request} request
   * @param {(bytes: number) => void} hold
   */
  async #text(request, hold) {
    try {
      return (await readAtMost(request, this.#maxBytes, hold)).toString('utf8');
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw error instanceof TooLarge ? this.#tooLarge() : new Refusal(400, 'The body did not come to its end.');
    }
  }

  #tooLarge() {
    return new Refusal(413, `A body is ${this.#maxBytes} bytes at most.`);
  }
}

/** @param {string} text */
function messagesIn(text) {
  try {
    const body = parseForeignJson(text, { maxValues: MAX_MESSAGE_VALUES });
    const isGood = typeof body === 'object' && body !== null && !(Array.isArray(body) && body.length > MAX_BATCH);
    if (isGood) return body;
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    throw new Refusal(400, `The body cannot be used. ${error.message}`);
  }
  throw new Refusal(400, `The body has to be one message, or an array of at most ${MAX_BATCH}.`);
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
 * Ends a request that is not served. What is left of it is not read.
 * @param {Response} response
 * @param {Refusal} refusal
 */
export function refuse(response, { status, message }) {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close', ...challenge });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }));
}
