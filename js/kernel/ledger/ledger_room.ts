/** Waits for room in a full ledger. */

import { setTimeout as pause } from 'node:timers/promises';
import { untilAborted } from '../../boundary/abort.js';

/** How long a call waits for a full ledger, and how often it retries. */
const FULL_TIMEOUT_MS = 5_000;
const RETRY_MS = 50;

/**
 * Retries an operation while the ledger is full, up to a timeout.
 * @param first the outcome of the first attempt, if it was made
 */
export async function withRoom<Outcome>(
  start: () => Promise<Outcome>,
  isFull: (outcome: Outcome) => boolean,
  signal?: AbortSignal,
  first?: Outcome,
) {
  let outcome = first ?? (await start());
  if (!isFull(outcome)) return outcome;
  const until = performance.now() + FULL_TIMEOUT_MS;
  while (isFull(outcome) && performance.now() < until) {
    await untilAborted(pause(RETRY_MS), signal);
    outcome = await start();
  }
  return outcome;
}
