import { beforeDeadline } from '../boundary/deadline.js';

/** How drivers call it, the more telling name first. */
const NAMES = ['$disconnect', 'destroy', 'end', 'close'];
/** A pool waits for its connections, and one of them may never come back. */
const PATIENCE_MS = 5_000;

/**
 * Ends the connections of a database that was opened for one kernel. What cannot be ended, such as a plain function, stays.
 * @param {any} source
 */
export async function closeSource(source) {
  const name = NAMES.find((candidate) => typeof source?.[candidate] === 'function');
  if (name !== undefined) await beforeDeadline(async () => source[name](), PATIENCE_MS);
  // drizzle keeps its driver there.
  else if (source?.$client) await closeSource(source.$client);
}
