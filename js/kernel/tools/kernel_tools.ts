/** The tools of a kernel, for models and for the application. */

import type { Caller } from '../../boundary/caller.js';
import { MAX_FILE_CHARS, parseArguments, requireString, requireText } from '../../boundary/validation.js';
import type { LiveForgedTools } from '../../forged/forged_tools.js';
import type { CommitNote, KernelTools, ToolsOptions } from '../../types/tools.js';
import { agentFiles } from '../agent_access.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { CommitNoteSchema, ToolsOptionsSchema } from '../config/option_schemas.js';
import type { KernelRuntime } from '../kernel_runtime.js';
import type { ToolInspection } from './tool_inspection.js';

/** The caller of a list or prompt for an unnamed agent. */
export const ANY_AGENT: Caller = { agent: 'agent' };

/** The parts of a kernel that its tools use. */
type Parts = { runtime: KernelRuntime; calls: KernelCalls; forged: LiveForgedTools; inspection: ToolInspection };

/**
 * Implements `kernel.tools`.
 * @param caller owns the kernel
 */
export function kernelTools({ runtime, calls, forged, inspection }: Parts, caller: Caller | undefined): KernelTools {
  const snapshot = async (options: ToolsOptions = {}) => {
    const { query, limit } = parseArguments(ToolsOptionsSchema, options, 'tools options');
    if (query !== undefined) {
      const found = await inspection.find(query, { limit }, caller);
      return forged.snapshot(found.map(({ path }) => path));
    }
    if (limit === undefined) return forged.snapshot();
    await runtime.ready();
    const { tools } = calls.catalogue(limit, ANY_AGENT) ?? { tools: [] };
    return forged.snapshot(tools.map(({ path }) => path));
  };
  const write = async (path: string, text: string, note: CommitNote = {}) => {
    requireText(path, 'path');
    requireString(text, 'text', MAX_FILE_CHARS);
    const checked = parseArguments(CommitNoteSchema, note, 'commit note');
    return { success: true as const, ...(await agentFiles(calls, caller).write(path, text, checked)) };
  };
  return Object.assign(snapshot, { write });
}
