/** Finds the socket of the current callback. */

import { executionAsyncResource } from 'node:async_hooks';
import type { ByteStream } from '../drivers.js';

/**
 * The socket whose data is currently being handled, for drivers that do not expose theirs. Node knows the handle of the current
 * callback, and the handle its socket.
 * @returns undefined outside a socket callback
 */
export function currentSocket(): ByteStream | undefined {
  const handle = executionAsyncResource() as Record<symbol, unknown> | undefined;
  const owner = Object.getOwnPropertySymbols(handle ?? {}).find(({ description }) => description === 'owner_symbol');
  const socket = owner && handle?.[owner];
  return isStream(socket) ? socket : undefined;
}

function isStream(value: unknown): value is ByteStream {
  const stream = value as Partial<ByteStream> | null | undefined;
  return typeof stream?.emit === 'function' && typeof stream.destroy === 'function';
}
