import { setTimeout as pause } from 'node:timers/promises';
import { untilAborted } from '../boundary/abort.js';

/** How long a call waits for a ledger that has no room for it, and how often it tries. */
const FULL_MS = 5_000;
const FULL_PAUSE_MS = 50;

/**
 * Tries again for a while what the ledger has no room for.
 * @template Outcome
 * @param {() => Promise<Outcome>} start
 * @param {(outcome: Outcome) => boolean} isFull
 * @param {AbortSignal} [signal]
 */
export async function withRoom(start, isFull, signal) {
  let outcome = await start();
  if (!isFull(outcome)) return outcome;
  const until = performance.now() + FULL_MS;
  while (isFull(outcome) && performance.now() < until) {
    await untilAborted(pause(FULL_PAUSE_MS), signal);
    outcome = await start();
  }
  return outcome;
}
