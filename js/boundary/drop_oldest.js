/**
 * Removes the oldest entry of a full cache, to make room for a new one.
 * @param {Map<unknown, unknown> | Set<unknown>} entries in insertion order
 * @param {number} most
 */
export function dropOldest(entries, most) {
  if (entries.size >= most) entries.delete(entries.keys().next().value);
}
