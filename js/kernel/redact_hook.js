/**
 * Events as the application wants them to be recorded; null for one that it failed on, whose contents nobody gets to see then.
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
        log.error('redact has given no object, so the contents of an event are not in the ledger. Return the event.');
        return null;
      } catch (error) {
        log.error('redact has failed, so the contents of an event are not in the ledger.', error);
        return null;
      }
    }),
  );
}

/** @param {unknown} value */
function isEvent(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
