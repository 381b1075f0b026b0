import { executionAsyncResource } from 'node:async_hooks';

/**
 * The socket whose data is being handled right now, for drivers that keep theirs to themselves: Node knows which of its
 * handles it is calling back for, and the handle knows its socket.
 * @returns {any} undefined when this is no callback of a socket
 */
export function socketUnderWay() {
  const handle = /** @type {any} */ (executionAsyncResource());
  const owner = Object.getOwnPropertySymbols(handle ?? {}).find(({ description }) => description === 'owner_symbol');
  const socket = owner && handle[owner];
  return typeof socket?.emit === 'function' && typeof socket.destroy === 'function' ? socket : undefined;
}
