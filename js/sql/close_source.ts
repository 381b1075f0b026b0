/** Closes a database source. */

import { beforeDeadline } from '../boundary/deadline.js';

/** Names of the closing method in drivers, the most specific first. */
const NAMES = ['$disconnect', 'destroy', 'end', 'close'] as const;
/** A pool waits for its connections, some of which may never be returned. */
const CLOSE_TIMEOUT_MS = 5_000;

/** A database; `$client` is the driver inside drizzle. */
type Closable = { [Name in (typeof NAMES)[number]]?: () => unknown } & { $client?: unknown };

/** Closes the connections of a database that was opened for one kernel. Sources without a closing method are left open. */
export async function closeSource(source: unknown): Promise<void> {
  const closable = source as Closable | null | undefined;
  const name = NAMES.find((candidate) => typeof closable?.[candidate] === 'function');
  if (name !== undefined) await beforeDeadline(async () => closable?.[name]?.(), CLOSE_TIMEOUT_MS);
  else if (closable?.$client) await closeSource(closable.$client);
}
