/** What the tools for agents may do with a kernel, beyond its public methods. */

import { noteText } from './commit_note.js';
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
 */

/**
 * How kernel tools reach the files of a kernel. Registered, so that tools of the CommonJS copy of this package work
 * with a kernel of the ESM copy.
 */
export const FILES = Symbol.for('@tgp/core/files');

/** How arguments are held against a tool's schema before it is run for somebody who may not have seen that. */
export const ARGUMENTS_OF = Symbol.for('@tgp/core/arguments_of');

/** How kernel tools run a tool on behalf of an agent, which the check may refuse. */
export const EXEC_FOR_AGENT = Symbol.for('@tgp/core/exec_for_agent');

/** How kernel tools learn how much a model is given, and where the rest of a result is kept. */
export const RESULTS = Symbol.for('@tgp/core/results');
/** The same for code that is in no file. */
export const RUN_FOR_AGENT = Symbol.for('@tgp/core/run_for_agent');

/** How the SQL tools reach the database of a kernel, with what its tools may do there. */
export const SQL = Symbol.for('@tgp/core/sql');

/** @param {import('./kernel_calls.js').KernelCalls} calls */
export function agentFiles(calls) {
  return {
    /** @type {(dir: string, signal?: AbortSignal) => Promise<string[]>} */
    list: (dir, signal) => calls.read((kernel) => kernel.listFiles(dir), signal),
    /** @type {(path: string, signal?: AbortSignal) => Promise<string>} */
    read: (path, signal) => calls.read((kernel) => kernel.readFile(path), signal),
    /** @type {(path: string, content: string, note?: CommitNote, signal?: AbortSignal) => Promise<Written>} */
    write: (path, content, note, signal) =>
      calls.change((kernel) => kernel.writeFile(path, content, noteText(note)), signal),
    /** @type {(path: string, search: string, replace: string, note?: CommitNote, signal?: AbortSignal) => Promise<Patched>} */
    patch: (path, search, replace, note, signal) =>
      calls.change((kernel) => kernel.patchFile(path, search, replace, noteText(note)), signal),
    /** @type {(path: string, diff: string, note?: CommitNote, signal?: AbortSignal) => Promise<Diffed>} */
    diff: (path, diff, note, signal) => calls.change((kernel) => kernel.applyDiff(path, diff, noteText(note)), signal),
    /** @type {(path: string, note?: CommitNote, signal?: AbortSignal) => Promise<Removed>} */
    remove: (path, note, signal) => calls.change((kernel) => kernel.deleteFile(path, noteText(note)), signal),
    /** @type {(from: string, to: string, note?: CommitNote, signal?: AbortSignal) => Promise<Moved>} */
    move: (from, to, note, signal) => calls.change((kernel) => kernel.moveFile(from, to, noteText(note)), signal),
    /** @type {(path: string, commit: string, note?: CommitNote, signal?: AbortSignal) => Promise<Written>} */
    revert: (path, commit, note, signal) =>
      calls.change((kernel) => kernel.revertFile(path, commit, noteText(note)), signal),
    /** @type {(query: import('../boundary/crossing.js').SearchQuery, signal?: AbortSignal) => Promise<SearchFilesResult>} */
    search: (query, signal) => calls.read((kernel) => kernel.searchFiles(JSON.stringify(query)), signal),
    /** @type {(path: string, limit?: number, signal?: AbortSignal) => Promise<FileHistoryEntry[]>} */
    history: (path, limit, signal) => fileHistory(calls, path, limit, signal),
  };
}
