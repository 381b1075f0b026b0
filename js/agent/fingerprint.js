import { createHash } from 'node:crypto';

/**
 * A hash of plain data, whatever the order of its members: whether something came back as it was written. What did not come
 * back at all has one too.
 * @param {unknown} value
 */
export function fingerprint(value) {
  return createHash('sha256')
    .update(sorted(value) ?? 'undefined')
    .digest('hex');
}

/**
 * @param {unknown} value as `JSON.parse` makes it
 * @returns {string | undefined}
 */
function sorted(value) {
  return JSON.stringify(value, (_, member) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
