/** A commit note as JSON for the native part; undefined for an empty one. */

import type { CommitNote } from '../../types/tools.js';
export function noteText({ why, session, model }: CommitNote = {}) {
  if (why === undefined && session === undefined && model === undefined) return undefined;
  return JSON.stringify({ why, session, model });
}
