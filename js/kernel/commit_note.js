/**
 * What is said about a change, as the kernel reads it; nothing when nothing is said.
 * @param {import('../../index.js').CommitNote} [note]
 */
export function noteText({ why, session, model } = {}) {
  if (why === undefined && session === undefined && model === undefined) return undefined;
  return JSON.stringify({ why, session, model });
}
