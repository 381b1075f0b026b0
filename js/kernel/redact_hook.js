/**
 * Passes events through the application's `redact` function. A failure yields null: the event is recorded without contents.
 * @param {import('../../index.js').RedactEvent} redact
 * @param {any[]} events
 * @param {import('../../index.js').Logger} log
 * @returns {Promise<unknown[]>}
 */
export async function redacted(redact, events, log) {
  return Promise.all(
    events.map(async (event) => {
      try {
        const kept = await redact(event);
        if (isEvent(kept)) return kept;
        log.error('redact did not return an object; the contents of an event were not recorded. Return the event.');
        return null;
      } catch (error) {
        log.error('redact failed; the contents of an event were not recorded.', error);
        return null;
      }
    }),
  );
}

/** @param {unknown} value */
function isEvent(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
