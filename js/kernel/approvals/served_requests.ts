/** Requests that a server, such as an MCP server, handles on behalf of its clients. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../../boundary/caller.js';
import { DeniedError } from '../../boundary/errors.js';

/** The token of a request, and its approver. */
export type ServedRequest = Pick<Caller, 'token' | 'approve'>;

/** The current request in this async context: its token and approver apply to all calls made while it is served. */
export class ServedRequests {
  #present = new AsyncLocalStorage<{ request: ServedRequest | undefined }>();

  async during<T>(request: ServedRequest, work: () => Promise<T>) {
    const context: { request: ServedRequest | undefined } = { request };
    try {
      return await this.#present.run(context, work);
    } finally {
      // Pools and timers created meanwhile keep this object, so the request is removed from it.
      context.request = undefined;
    }
  }

  /**
   * The caller with the token and approver of the current request. Calls of the application itself are unchanged.
   * @param hasApprover whether the kernel has an approver, which then takes precedence
   */
  withRequest(caller: Caller | undefined, hasApprover: boolean): Caller | undefined {
    const request = this.#present.getStore()?.request;
    if (caller === undefined || request === undefined) return caller;
    const { token = caller.token } = request;
    if (caller.token !== undefined && caller.token !== token) {
      throw new DeniedError(
        'The token of the request differs from the token of the tools. Send the request without a token, or serve tools without one.',
      );
    }
    const approve = caller.approve ?? (hasApprover ? undefined : request.approve);
    return { ...caller, ...(token !== undefined && { token }), ...(approve !== undefined && { approve }) };
  }
}
