/** The Git API of a kernel. */

import type { Caller, CallInfo } from '../../boundary/caller.js';
import { ValidationError } from '../../boundary/errors.js';
import { parseArguments, requireText } from '../../boundary/validation.js';
import type { CommitNote, FileHistoryEntry, KernelGit } from '../../types/tools.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { CommitNoteSchema, DiffOptionsSchema, HistoryOptionsSchema } from '../config/option_schemas.js';

/**
 * Implements `kernel.git`: the history of the root, and its remote.
 * @param caller owns the kernel
 */
export function kernelGit(calls: KernelCalls, caller: Caller | undefined): KernelGit {
  const callInfo = (tool: string, path?: string): CallInfo => ({ tool, caller, path });
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

function checkedNote(note: CommitNote) {
  return noteText(parseArguments(CommitNoteSchema, note, 'commit note'));
}

/** The commits that changed a file, or all of them, newest first. */
export async function fileHistory(
  calls: KernelCalls,
  caller: Caller | undefined,
  path: string | undefined,
  limit: number | undefined,
  signal: AbortSignal | undefined,
): Promise<FileHistoryEntry[]> {
  const entries = await calls.readTool('file_history', { path: path ?? null, limit: limit ?? null }, caller, signal);
  return entries.map(({ time, ...entry }) => ({ ...entry, date: new Date(time * 1000).toISOString() }));
}

/** A commit note as JSON for the native part; undefined for an empty one. */
export function noteText({ why, session, model }: CommitNote = {}) {
  if (why === undefined && session === undefined && model === undefined) return undefined;
  return JSON.stringify({ why, session, model });
}
