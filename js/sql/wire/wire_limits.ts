/** Limits of the bytes that a driver receives: it holds them in memory before our code sees them. */

/** Allowance per statement, so that a small `maxBytes` is enforced on rows and not on the wire. */
const SLACK_BYTES = 1 << 20;

/**
 * Bytes on the wire for rows of `maxBytes` of JSON. The factor two covers binary data, sent as two hexadecimal digits per byte and
 * returned as shorter base64, and columns hidden by a later one of the same name. Everything else is at least as long in JSON.
 */
export function wireBytes(maxBytes: number) {
  return 2 * maxBytes + SLACK_BYTES;
}

/** Maximum bytes of an error text for the driver. */
export const MAX_ERROR_BYTES = 64 << 10;

/** Maximum bytes of notices per statement; further ones are dropped. */
export const MAX_NOTICE_BYTES = 256 << 10;

/** Maximum bytes of all other messages per statement, mostly column descriptions. */
export const MAX_OTHER_BYTES = 4 << 20;
