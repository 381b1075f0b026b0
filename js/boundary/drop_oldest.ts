/**
 * Removes the oldest entry of a full cache, to make room for a new one.
 * @param entries in insertion order
 */
export function dropOldest(entries: Map<unknown, unknown> | Set<unknown>, most: number) {
  if (entries.size >= most) entries.delete(entries.keys().next().value);
}
