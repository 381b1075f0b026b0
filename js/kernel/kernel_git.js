import { ValidationError } from '../boundary/errors.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { noteText } from './commit_note.js';
import { CommitNoteSchema, DiffOptionsSchema, HistoryOptionsSchema } from './option_schemas.js';

/** @typedef {import('./kernel_calls.js').KernelCalls} KernelCalls */

/**
 * `kernel.git`: the history of the root, and its remote.
 * @param {KernelCalls} calls
 * @returns {import('../../index.js').KernelGit}
 */
export function kernelGit(calls) {
  return {
    hydrate: () => calls.receive((kernel) => kernel.hydrate()),
    persist: async (message, files) => {
      requireText(message, 'message');
      if (!Array.isArray(files))
        throw new ValidationError('"files" must be an array.', { details: { field: 'files' } });
      for (const file of files) requireText(file, 'files');
      if (files.length === 0) {
        calls.refuseWhenDown();
        return { persisted: true };
      }
      const { path: _, ...written } = await calls.change((kernel) => kernel.persist(message, files));
      return written;
    },
    uncommitted: () => calls.read((kernel) => kernel.uncommitted()),
    log: async (path, options = {}) => {
      if (path !== undefined) requireText(path, 'path');
      const { limit } = parseArguments(HistoryOptionsSchema, options, 'history options');
      return fileHistory(calls, path, limit, undefined);
    },
    diff: async (path, options = {}) => {
      if (path !== undefined) requireText(path, 'path');
      const { from, to } = parseArguments(DiffOptionsSchema, options, 'diff options');
      return calls.read((kernel) => kernel.fileDiff(path, from, to));
    },
    revert: async (path, commit, note = {}) => {
      requireText(path, 'path');
      requireText(commit, 'commit');
      const text = checkedNote(note);
      return calls.change((kernel) => kernel.revertFile(path, commit, text));
    },
    remove: async (path, note = {}) => {
      requireText(path, 'path');
      const text = checkedNote(note);
      return calls.change((kernel) => kernel.deleteFile(path, text));
    },
    move: async (from, to, note = {}) => {
      requireText(from, 'from');
      requireText(to, 'to');
      const text = checkedNote(note);
      return calls.change((kernel) => kernel.moveFile(from, to, text));
    },
  };
}

/** @param {import('../../index.js').CommitNote} note */
function checkedNote(note) {
  return noteText(parseArguments(CommitNoteSchema, note, 'commit note'));
}

/**
 * The commits that changed a file, or all of them, newest first.
 * @param {KernelCalls} calls
 * @param {string | undefined} path
 * @param {number | undefined} limit
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<import('../../index.js').FileHistoryEntry[]>}
 */
export async function fileHistory(calls, path, limit, signal) {
  const entries = await calls.read((kernel) => kernel.fileHistory(path, limit), signal);
  return entries.map(({ time, ...entry }) => ({ ...entry, date: new Date(time * 1000).toISOString() }));
}
