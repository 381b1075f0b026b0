/** Finds the socket of the current callback. */

import { executionAsyncResource } from 'node:async_hooks';

/**
 * The socket whose data is currently being handled, for drivers that do not expose theirs. Node knows the handle of the current
 * callback, and the handle its socket.
 * @returns {any} undefined outside a socket callback
 */
export function currentSocket() {
  const handle = /** @type {any} */ (executionAsyncResource());
  const owner = Object.getOwnPropertySymbols(handle ?? {}).find(({ description }) => description === 'owner_symbol');
  const socket = owner && handle[owner];
  return typeof socket?.emit === 'function' && typeof socket.destroy === 'function' ? socket : undefined;
}
