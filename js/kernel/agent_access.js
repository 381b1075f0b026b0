/** Internal access to a kernel for agent tools, beyond its public methods. */

import { noteText } from './commit_note.js';
import { previewedChange } from './dry_run.js';
import { fileHistory } from './kernel_git.js';

/**
 * @typedef {import('../../index.js').SearchFilesResult} SearchFilesResult
 * @typedef {import('../../index.js').FileHistoryEntry} FileHistoryEntry
 * @typedef {Omit<import('../../index.js').WriteFileResult, 'success'>} Written
 * @typedef {Omit<import('../../index.js').ApplyDiffResult, 'success'>} Diffed
 * @typedef {import('../boundary/crossing.js').Patched} Patched
 * @typedef {Omit<import('../../index.js').DeleteFileResult, 'success'>} Removed
 * @typedef {Omit<import('../../index.js').MoveFileResult, 'success'>} Moved
 * @typedef {import('../../index.js').CommitNote} CommitNote
 * @typedef {import('./kernel_calls.js').Caller} Caller
 */

/**
 * Method of a kernel that gives agent tools access for one caller. A registered symbol, so that tools of the CommonJS copy of
 * this package work with a kernel of the ESM copy.
 */
export const ON_BEHALF = Symbol.for('@tgp/core/on_behalf');

/** File operations of a kernel, for its owner. */
export const FILES = Symbol.for('@tgp/core/files');

/** Kernel option, set by the command line: the owner, if it is not the application. */
export const OWNER = Symbol('owner');

/** Method of a kernel that validates arguments against a tool's schema before a run for a caller who may not know it. */
export const ARGUMENTS_OF = Symbol.for('@tgp/core/arguments_of');

/** The limits for results shown to a model, and the storage for longer ones. */
export const RESULTS = Symbol.for('@tgp/core/results');

/** Method of a kernel that returns its database and the limits for its tools. */
export const SQL = Symbol.for('@tgp/core/sql');

/**
 * File operations on behalf of a caller.
 * @param {import('./kernel_calls.js').KernelCalls} calls
 * @param {Caller | undefined} caller
 */
export function agentFiles(calls, caller) {
  /** @type {(tool: string, path: string | undefined, args: object) => import('./kernel_calls.js').CallInfo} */
  const call = (tool, path, args) => ({ tool, caller, path, args });
  return {
    /** @type {(dir: string, glob?: string, signal?: AbortSignal) => Promise<string[]>} */
    list: (dir, glob, signal) =>
      calls.read(
        (kernel, callerText) => kernel.listFiles(dir, glob, callerText),
        signal,
        call('list_files', dir, { dir, ...(glob !== undefined && { glob }) }),
      ),
    /** @type {(path: string, signal?: AbortSignal) => Promise<string>} */
    read: (path, signal) =>
      calls.read((kernel, callerText) => kernel.readFile(path, callerText), signal, call('read_file', path, { path })),
    /** @type {(change: import('../boundary/crossing.js').FileChangeCall, signal?: AbortSignal) => Promise<import('../../index.js').DryRunResult>} */
    preview: (change, signal) => previewedChange(calls, caller, change, signal),
    /** @type {(path: string, content: string, note?: CommitNote, signal?: AbortSignal) => Promise<Written>} */
    write: (path, content, note, signal) =>
      calls.change(
        (kernel, callerText) => kernel.writeFile(path, content, noteText(note), callerText),
        signal,
        call('write_file', path, { path, content }),
      ),
    /** @type {(path: string, search: string, replace: string, note?: CommitNote, signal?: AbortSignal) => Promise<Patched>} */
    patch: (path, search, replace, note, signal) =>
      calls.change(
        (kernel, callerText) => kernel.patchFile(path, search, replace, noteText(note), callerText),
        signal,
        call('patch_file', path, { path, search, replace }),
      ),
    /** @type {(path: string, diff: string, note?: CommitNote, signal?: AbortSignal) => Promise<Diffed>} */
    diff: (path, diff, note, signal) =>
      calls.change(
        (kernel, callerText) => kernel.applyDiff(path, diff, noteText(note), callerText),
        signal,
        call('apply_diff', path, { path, diff }),
      ),
    /** @type {(path: string, note?: CommitNote, signal?: AbortSignal) => Promise<Removed>} */
    remove: (path, note, signal) =>
      calls.change(
        (kernel, callerText) => kernel.deleteFile(path, noteText(note), callerText),
        signal,
        call('delete_file', path, { path }),
      ),
    /** @type {(from: string, to: string, note?: CommitNote, signal?: AbortSignal) => Promise<Moved>} */
    move: (from, to, note, signal) =>
      calls.change(
        (kernel, callerText) => kernel.moveFile(from, to, noteText(note), callerText),
        signal,
        call('move_file', from, { from, to }),
      ),
    /** @type {(path: string, commit: string, note?: CommitNote, signal?: AbortSignal) => Promise<Written>} */
    revert: (path, commit, note, signal) =>
      calls.change(
        (kernel, callerText) => kernel.revertFile(path, commit, noteText(note), callerText),
        signal,
        call('revert_file', path, { path, commit }),
      ),
    /** @type {(query: import('../boundary/crossing.js').SearchQuery, signal?: AbortSignal) => Promise<SearchFilesResult>} */
    search: (query, signal) =>
      calls.read(
        (kernel, callerText) => kernel.searchFiles(JSON.stringify(query), callerText),
        signal,
        call('search_files', undefined, query),
      ),
    /** @type {(path: string | undefined, limit?: number, signal?: AbortSignal) => Promise<FileHistoryEntry[]>} */
    history: (path, limit, signal) => fileHistory(calls, caller, path, limit, signal),
  };
}
