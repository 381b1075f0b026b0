/** What the tools for agents may do with a kernel, beyond its public methods. */

import { fileHistory } from './kernel_git.js';

/**
 * @typedef {import('../../index.js').SearchFilesResult} SearchFilesResult
 * @typedef {import('../../index.js').FileHistoryEntry} FileHistoryEntry
 * @typedef {Omit<import('../../index.js').WriteFileResult, 'success'>} Written
 * @typedef {Omit<import('../../index.js').ApplyDiffResult, 'success'>} Diffed
 * @typedef {import('../boundary/crossing.js').Patched} Patched
 */

/**
 * How kernel tools reach the files of a kernel. Registered, so that tools of the CommonJS copy of this package work
 * with a kernel of the ESM copy.
 */
export const FILES = Symbol.for('@tgp/core/files');

/** How kernel tools run a tool on behalf of an agent, which the check may refuse. */
export const EXEC_FOR_AGENT = Symbol.for('@tgp/core/exec_for_agent');

/** How kernel tools learn how much a model is given, and where the rest of a result is kept. */
export const RESULTS = Symbol.for('@tgp/core/results');

/** @param {import('./kernel_calls.js').KernelCalls} calls */
export function agentFiles(calls) {
  return {
    /** @type {(dir: string, signal?: AbortSignal) => Promise<string[]>} */
    list: (dir, signal) => calls.read((kernel) => kernel.listFiles(dir), signal),
    /** @type {(path: string, signal?: AbortSignal) => Promise<string>} */
    read: (path, signal) => calls.read((kernel) => kernel.readFile(path), signal),
    /** @type {(path: string, content: string, signal?: AbortSignal) => Promise<Written>} */
    write: (path, content, signal) => calls.change((kernel) => kernel.writeFile(path, content), signal),
    /** @type {(path: string, search: string, replace: string, signal?: AbortSignal) => Promise<Patched>} */
    patch: (path, search, replace, signal) => calls.change((kernel) => kernel.patchFile(path, search, replace), signal),
    /** @type {(path: string, diff: string, signal?: AbortSignal) => Promise<Diffed>} */
    diff: (path, diff, signal) => calls.change((kernel) => kernel.applyDiff(path, diff), signal),
    /** @type {(query: import('../boundary/crossing.js').SearchQuery, signal?: AbortSignal) => Promise<SearchFilesResult>} */
    search: (query, signal) => calls.read((kernel) => kernel.searchFiles(JSON.stringify(query)), signal),
    /** @type {(path: string, limit?: number, signal?: AbortSignal) => Promise<FileHistoryEntry[]>} */
    history: (path, limit, signal) => fileHistory(calls, path, limit, signal),
  };
}
