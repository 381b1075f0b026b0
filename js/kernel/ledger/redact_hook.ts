/**
 * Passes events through the application's `redact` function. A failure yields null: the event is recorded without contents.
 */

import { isRecord } from '../../boundary/foreign_json.js';
import type { Logger } from '../../types/kernel.js';
import type { RedactEvent } from '../../types/ledger.js';

/** An event before the ledger adds its position and hashes. */
export type RecordedEvent = Parameters<RedactEvent>[0];

/** @returns the events as `redact` returns them, null for those that it failed on */
export async function redacted(redact: RedactEvent, events: RecordedEvent[], log: Logger): Promise<unknown[]> {
  return Promise.all(
    events.map(async (event) => {
      try {
        const kept = await redact(event);
        if (isRecord(kept)) return kept;
        log.error('redact did not return an object; the contents of an event were not recorded. Return the event.');
        return null;
      } catch (error) {
        log.error('redact failed; the contents of an event were not recorded.', error);
        return null;
      }
    }),
  );
}
