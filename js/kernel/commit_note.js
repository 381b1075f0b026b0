/**
 * A commit note as JSON for the native part; undefined for an empty one.
 * @param {import('../../index.js').CommitNote} [note]
 */
export function noteText({ why, session, model } = {}) {
  if (why === undefined && session === undefined && model === undefined) return undefined;
  return JSON.stringify({ why, session, model });
}
