import { AsyncLocalStorage } from 'node:async_hooks';
import { DeniedError } from '../boundary/errors.js';

/**
 * @typedef {import('./kernel_calls.js').Who} Who
 * @typedef {Pick<Who, 'token' | 'approve'>} ServedRequest the token that a request came with, and who can be asked there
 */

/** Requests that somebody serves for others, such as an MCP server: what holds for all that is asked meanwhile. */
export class ServedRequests {
  /** @type {AsyncLocalStorage<{ request: ServedRequest | undefined }>} */
  #present = new AsyncLocalStorage();

  /**
   * @template T
   * @param {ServedRequest} request
   * @param {() => Promise<T>} work
   */
  async during(request, work) {
    /** @type {{ request: ServedRequest | undefined }} */
    const held = { request };
    try {
      return await this.#present.run(held, work);
    } finally {
      // What was made meanwhile, such as a pool, keeps this for as long as it lives.
      held.request = undefined;
    }
  }

  /**
   * Who asks, with what the present request adds. Calls of the application itself stay what they are.
   * @param {Who | undefined} who
   * @param {'manned' | 'unmanned'} kernel whether it has somebody who approves: then nobody else is asked
   * @returns {Who | undefined}
   */
  asker(who, kernel) {
    const request = this.#present.getStore()?.request;
    if (who === undefined || request === undefined) return who;
    const { token = who.token } = request;
    if (who.token !== undefined && who.token !== token) {
      throw new DeniedError(
        'The request has a token, and the tools have another one. Send the request without a token, or serve tools without one.',
      );
    }
    const approve = who.approve ?? (kernel === 'manned' ? undefined : request.approve);
    return { ...who, ...(token !== undefined && { token }), ...(approve !== undefined && { approve }) };
  }
}
