import { ValidationError } from '../boundary/errors.js';
import { parseArguments, requireText } from '../boundary/validation.js';
import { noteText } from './commit_note.js';
import { CommitNoteSchema, DiffOptionsSchema, HistoryOptionsSchema } from './option_schemas.js';

/**
 * @typedef {import('./kernel_calls.js').KernelCalls} KernelCalls
 * @typedef {import('./kernel_calls.js').Caller} Caller
 */

/**
 * Implements `kernel.git`: the history of the root, and its remote.
 * @param {KernelCalls} calls
 * @param {Caller | undefined} caller owns the kernel
 * @returns {import('../../index.js').KernelGit}
 */
export function kernelGit(calls, caller) {
  /** @type {(tool: string, path?: string) => import('./kernel_calls.js').CallInfo} */
  const callInfo = (tool, path) => ({ tool, caller, path });
  return {
    hydrate: () => calls.receive((kernel, callerText) => kernel.hydrate(callerText), callInfo('hydrate')),
    persist: async (message, files) => {
      requireText(message, 'message');
      if (!Array.isArray(files))
        throw new ValidationError('"files" must be an array.', { details: { field: 'files' } });
      for (const file of files) requireText(file, 'files');
      if (files.length === 0) {
        calls.refuseWhenDown();
        return { persisted: true };
      }
      const { path: _, ...written } = await calls.change(
        (kernel, callerText) => kernel.persist(message, files, callerText),
        undefined,
        callInfo('commit', files[0]),
      );
      return written;
    },
    uncommitted: () => calls.read((kernel) => kernel.uncommitted()),
    log: async (path, options = {}) => {
      if (path !== undefined) requireText(path, 'path');
      const { limit } = parseArguments(HistoryOptionsSchema, options, 'history options');
      return fileHistory(calls, caller, path, limit, undefined);
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
      const call = callInfo('revert_file', path);
      return calls.change((kernel, callerText) => kernel.revertFile(path, commit, text, callerText), undefined, call);
    },
    remove: async (path, note = {}) => {
      requireText(path, 'path');
      const text = checkedNote(note);
      const call = callInfo('delete_file', path);
      return calls.change((kernel, callerText) => kernel.deleteFile(path, text, callerText), undefined, call);
    },
    move: async (from, to, note = {}) => {
      requireText(from, 'from');
      requireText(to, 'to');
      const text = checkedNote(note);
      const call = callInfo('move_file', from);
      return calls.change((kernel, callerText) => kernel.moveFile(from, to, text, callerText), undefined, call);
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
 * @param {Caller | undefined} caller
 * @param {string | undefined} path
 * @param {number | undefined} limit
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<import('../../index.js').FileHistoryEntry[]>}
 */
export async function fileHistory(calls, caller, path, limit, signal) {
  const call = { tool: 'file_history', caller, path };
  const entries = await calls.read((kernel, callerText) => kernel.fileHistory(path, limit, callerText), signal, call);
  return entries.map(({ time, ...entry }) => ({ ...entry, date: new Date(time * 1000).toISOString() }));
}
