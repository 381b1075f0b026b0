/** How much of what a database sends is handed to a driver, which takes it into memory before we see it. */

/** Bytes of one statement that are always fine, so that a small `maxBytes` is met by the rows and not by the wire. */
const SLACK_BYTES = 1 << 20;

/**
 * Bytes that rows of `maxBytes` of JSON can need on the wire. Twice as many: bytes are sent as hexadecimal digits, two for
 * each, and returned as base64, which is 1.5 times less; a column that a later one of the same name hides is sent and not
 * returned. Everything else is at least as long in JSON as it is on the wire.
 * @param {number} maxBytes
 */
export function wireBytes(maxBytes) {
  return 2 * maxBytes + SLACK_BYTES;
}

/** Bytes of an error's text that a driver gets; what is passed on is shorter still. */
export const MAX_ERROR_BYTES = 64 << 10;

/** Bytes of notices during one statement that a driver gets; what follows is dropped. */
export const MAX_NOTICE_BYTES = 256 << 10;

/** Bytes of all other messages of one statement: descriptions of columns are the longest. */
export const MAX_OTHER_BYTES = 4 << 20;
