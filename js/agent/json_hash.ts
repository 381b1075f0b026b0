/** Hashes of JSON data. */

import { createHash } from 'node:crypto';
import { isRecord } from '../boundary/foreign_json.js';

/**
 * A hash of JSON data that does not depend on the order of members. It detects values that changed in the ledger; `undefined`
 * has a hash too.
 */
export function jsonHash(value: unknown) {
  return createHash('sha256')
    .update(sorted(value) ?? 'undefined')
    .digest('hex');
}

/** @param value as `JSON.parse` makes it */
function sorted(value: unknown): string | undefined {
  return JSON.stringify(value, (_, member) => {
    if (!isRecord(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
