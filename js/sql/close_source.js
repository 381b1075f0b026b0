/** Closes a database source. */

import { beforeDeadline } from '../boundary/deadline.js';

/** Names of the closing method in drivers, the most specific first. */
const NAMES = ['$disconnect', 'destroy', 'end', 'close'];
/** A pool waits for its connections, some of which may never be returned. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Closes the connections of a database that was opened for one kernel. Sources without a closing method are left open.
 * @param {any} source
 */
export async function closeSource(source) {
  const name = NAMES.find((candidate) => typeof source?.[candidate] === 'function');
  if (name !== undefined) await beforeDeadline(async () => source[name](), CLOSE_TIMEOUT_MS);
  // The driver inside drizzle.
  else if (source?.$client) await closeSource(source.$client);
}
