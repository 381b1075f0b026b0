/** Checks, searches and describes tools on behalf of a caller. */

import { untilAborted } from '../../boundary/abort.js';
import type { Caller } from '../../boundary/caller.js';
import type { NativeKernel } from '../../boundary/typed_native.js';
import { parseArguments, requireText } from '../../boundary/validation.js';
import { systemPrompt } from '../../prompt/system_prompt.js';
import type { CheckResult, FoundTool } from '../../types/kernel.js';
import type { Mode } from '../../types/tests.js';
import { withTypes } from '../../types_check/type_checker.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { CheckOptionsSchema, FindOptionsSchema, PromptOptionsSchema } from '../config/option_schemas.js';
import type { KernelRuntime } from '../kernel_runtime.js';

export class ToolInspection {
  #runtime;
  #calls;
  #liveNames;

  /** @param liveNames names of tools that can be called by name, by path */
  constructor(runtime: KernelRuntime, calls: KernelCalls, liveNames: () => Map<string, string>) {
    this.#runtime = runtime;
    this.#calls = calls;
    this.#liveNames = liveNames;
  }

  /** Checks a tool: the rules in the addon, the types here, as one call with one result. */
  async check(path: string, options: { signal?: AbortSignal }, caller: Caller | undefined): Promise<CheckResult> {
    requireText(path, 'path');
    const { signal } = parseArguments(CheckOptionsSchema, options, 'check options');
    const call = { tool: 'check_tool', caller, path, args: { path } };
    return this.#calls.continued(
      call,
      (kernel, callerText) => kernel.checkTool(path, callerText),
      async ({ types: sources, ...report }) => {
        const types = await untilAborted(this.#runtime.typeChecks.check(sources), signal);
        return withTypes(sources.files[0]?.path ?? path, report, types);
      },
      signal,
    );
  }

  /** Searches tools by a description of a job. */
  async find(
    query: string,
    options: { limit?: number; signal?: AbortSignal },
    caller: Caller | undefined,
  ): Promise<FoundTool[]> {
    requireText(query, 'query');
    const { limit, signal } = parseArguments(FindOptionsSchema, options, 'find options');
    const search = async (kernel: NativeKernel, callerText: string | undefined) => {
      const { embeddingModel } = this.#runtime;
      const vector = await untilAborted(embeddingModel.vectorOf(query), signal);
      const found = await kernel.findTool(query, limit, vector, callerText);
      embeddingModel.reportProblem(kernel);
      return found;
    };
    return this.#calls.read(search, signal, { tool: 'find_tool', caller, args: { query, limit } });
  }

  /** The system prompt for a caller. */
  systemPrompt(options: { maxTokens?: number; mode?: Mode; catalogue?: boolean }, caller: Caller) {
    const { maxTokens, mode, catalogue = true } = parseArguments(PromptOptionsSchema, options, 'prompt options');
    return systemPrompt({
      maxTokens,
      catalogue: (limit) => (catalogue ? this.#calls.catalogue(limit, caller) : undefined),
      facts: {
        config: { ...(this.#runtime.isConfigKnown && this.#runtime.config), ...(mode && { mode }) },
        sql: this.#runtime.sqlGuide,
        functions: this.#runtime.functionGuides,
        isJudged: this.#runtime.isJudged,
      },
      live: this.#liveNames(),
    });
  }
}
