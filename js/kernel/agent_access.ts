/** Internal access to a kernel for agent tools, beyond its public methods. */

import type { Caller, CallInfo } from '../boundary/caller.js';
import type { FileChangeCall, KernelReads, Patched } from '../boundary/crossing.js';
import type { DescribedCall } from '../tool_shape/tool_owner.js';
import type { DryRunResult } from '../types/dry_run.js';
import type { ExecOptions } from '../types/runs.js';
import type { Mode } from '../types/tests.js';
import type {
  ApplyDiffResult,
  CommitNote,
  DeleteFileResult,
  FileHistoryEntry,
  MoveFileResult,
  WriteFileResult,
} from '../types/tools.js';
import type { ServedRequest } from './approvals/served_requests.js';
import type { KernelCalls, OwnCall } from './calls/kernel_calls.js';
import { fileHistory, noteText } from './files/kernel_git.js';
import type { KernelRuntime } from './kernel_runtime.js';
import { previewedChange } from './runs/dry_run.js';
import type { RunStarter } from './runs/run_starter.js';
import type { ToolInspection } from './tools/tool_inspection.js';

type Written = Omit<WriteFileResult, 'success'>;
type Diffed = Omit<ApplyDiffResult, 'success'>;
type Removed = Omit<DeleteFileResult, 'success'>;
type Moved = Omit<MoveFileResult, 'success'>;

/** The parts of a kernel that agents reach. */
type Parts = { runtime: KernelRuntime; calls: KernelCalls; runs: RunStarter; tools: ToolInspection };

/** Access to a kernel for one caller, an agent. */
export function agentAccess({ runtime, calls, runs, tools }: Parts, caller: Caller) {
  return {
    files: agentFiles(calls, caller),
    find: (query: string, limit?: number, signal?: AbortSignal) => tools.find(query, { limit, signal }, caller),
    check: (path: string, signal?: AbortSignal) => tools.check(path, { signal }, caller),
    exec: (path: string, args: unknown, options: ExecOptions) => runs.toolFor(path, args, options, caller),
    run: (code: string, args: unknown, options: ExecOptions) => runs.codeFor(code, args, options, caller),
    test: (path: string | undefined, signal?: AbortSignal, mode?: 'real' | 'dry') =>
      runs.tests(path, { signal, coverage: true }, mode === 'dry' ? { ...caller, dryRun: true } : caller),
    own: <Value>(call: OwnCall, work: () => Promise<Value>): Promise<Value> =>
      calls.own({ ...call, caller: { ...caller, ...call.caller } }, work),
    judge: (call: DescribedCall) => calls.judge({ ...call, caller }),
    /** Which details of SQL statements the policy inspects. */
    sqlDetail: () => calls.sqlDetail(runtime.gate.withRequest(caller)),
    /** Which tables the policy allows. */
    openTables: calls.openTables(() => runtime.gate.withRequest(caller)),
    /** The paths of the workspace and the policy file. */
    places: () => runtime.places(),
    systemPrompt: (options: { maxTokens?: number; mode?: Mode; catalogue?: boolean }) =>
      tools.systemPrompt(options, caller),
    shownTools: (names: [string, string | null][]) => calls.shownTools(names, caller),
    serving: <Value>(request: ServedRequest, work: () => Promise<Value>) => runtime.gate.requests.during(request, work),
  };
}

/** File operations on behalf of a caller. */
export function agentFiles(calls: KernelCalls, caller: Caller | undefined) {
  const call = (tool: string, path: string | undefined, args: object): CallInfo => ({
    tool,
    caller,
    path,
    args,
  });
  return {
    /** Calls a kernel tool that only reads. */
    read: <Tool extends keyof KernelReads>(tool: Tool, args: Record<string, unknown>, signal?: AbortSignal) =>
      calls.readTool(tool, args, caller, signal),
    preview: (change: FileChangeCall, signal?: AbortSignal): Promise<DryRunResult> =>
      previewedChange(calls, caller, change, signal),
    write: (path: string, content: string, note?: CommitNote, signal?: AbortSignal): Promise<Written> =>
      calls.change(
        (kernel, callerText) => kernel.writeFile(path, content, noteText(note), callerText),
        signal,
        call('write_file', path, { path, content }),
      ),
    patch: (path: string, search: string, replace: string, note?: CommitNote, signal?: AbortSignal): Promise<Patched> =>
      calls.change(
        (kernel, callerText) => kernel.patchFile(path, search, replace, noteText(note), callerText),
        signal,
        call('patch_file', path, { path, search, replace }),
      ),
    diff: (path: string, diff: string, note?: CommitNote, signal?: AbortSignal): Promise<Diffed> =>
      calls.change(
        (kernel, callerText) => kernel.applyDiff(path, diff, noteText(note), callerText),
        signal,
        call('apply_diff', path, { path, diff }),
      ),
    remove: (path: string, note?: CommitNote, signal?: AbortSignal): Promise<Removed> =>
      calls.change(
        (kernel, callerText) => kernel.deleteFile(path, noteText(note), callerText),
        signal,
        call('delete_file', path, { path }),
      ),
    move: (from: string, to: string, note?: CommitNote, signal?: AbortSignal): Promise<Moved> =>
      calls.change(
        (kernel, callerText) => kernel.moveFile(from, to, noteText(note), callerText),
        signal,
        call('move_file', from, { from, to }),
      ),
    revert: (path: string, commit: string, note?: CommitNote, signal?: AbortSignal): Promise<Written> =>
      calls.change(
        (kernel, callerText) => kernel.revertFile(path, commit, noteText(note), callerText),
        signal,
        call('revert_file', path, { path, commit }),
      ),
    history: (path: string | undefined, limit?: number, signal?: AbortSignal): Promise<FileHistoryEntry[]> =>
      fileHistory(calls, caller, path, limit, signal),
  };
}
