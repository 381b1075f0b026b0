/**
 * Makes room for one more entry in what may hold `most` of them.
 * @param {Map<unknown, unknown> | Set<unknown>} entries in the order in which they came
 * @param {number} most
 */
export function dropOldest(entries, most) {
  if (entries.size >= most) entries.delete(entries.keys().next().value);
}
