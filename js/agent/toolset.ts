/** The tools of an agent: kernel tools, SQL tools, application tools, and forged tools as they change. */

import { z } from 'zod';
import { agentOwner } from '../agent_tools/agent_owner.js';
import { createShellTools } from '../agent_tools/shell_tools.js';
import { createSqlTools } from '../agent_tools/sql_tools.js';
import { tgpTools } from '../agent_tools/tgp_tools.js';
import { ConfigError, ResultError, ValidationError } from '../boundary/errors.js';
import { toJsonText } from '../boundary/json_text.js';
import { messageOf } from '../boundary/thrown.js';
import { parseArguments } from '../boundary/validation.js';
import { ON_BEHALF, RESULTS, SQL } from '../kernel/access_symbols.js';
import type { TGP } from '../kernel/tgp.js';
import { agentToolRow } from '../tool_shape/agent_tool_table.js';
import { boundedTool } from '../tool_shape/bounded_result.js';
import { schemaObject } from '../tool_shape/universal_schema.js';
import type { Approve } from '../types/policy.js';
import type { Mode } from '../types/tests.js';
import type { AgentTool, ToolCallOptions } from '../types/tools.js';
import type { Call, Conversation } from './conversation.js';
import { readResult } from './read_result.js';
import { pathOf } from './summary.js';

/** The identity and settings of the agent. */
export type Worker = {
  session: string;
  model: string;
  agent: string;
  token?: string;
  approve?: Approve;
  dryRun?: boolean;
  mode?: Mode;
};

/** Programs, and the folder that they work on. */
export type AllowedPrograms = { programs: string[]; cwd: string };

/** The path of a forged tool, at the end of its description. */
const FORGED_PATH = /\[([^\]]+)\]$/;

export class Toolset {
  #kernel;
  #base;
  #live;
  /** The source of each wrapped tool, by name. */
  #sources = new Map<string, AgentTool>();
  /** Tools for the tool loop. Without a prototype: a model may request a tool named "constructor". */
  wrapped: Record<string, AgentTool> = Object.create(null);

  constructor(kernel: TGP, base: Record<string, AgentTool>, live: Record<string, AgentTool>) {
    this.#kernel = kernel;
    this.#base = base;
    this.#live = live;
  }

  /**
   * @param own tools of the application
   * @param programs that the agent may run
   */
  static async of(
    kernel: TGP,
    worker: Worker,
    own: Record<string, AgentTool>,
    conversation: Conversation,
    programs?: AllowedPrograms,
  ) {
    const caller: Partial<Worker> = Object.fromEntries(
      Object.entries(worker).filter(([, value]) => value !== undefined),
    );
    const { mode: _, ...withoutMode } = caller;
    const maxChars = kernel.config.agent.resultChars;
    const wrapped = Object.entries(own).map(
      ([name, tool]) => [name, applicationTool(kernel, name, tool, worker)] as const,
    );
    const base = {
      ...tgpTools(kernel, caller),
      ...(hasDatabase(kernel) ? createSqlTools(kernel, withoutMode) : {}),
      ...(programs && programTools(kernel, withoutMode, programs)),
      read_result: readResult(conversation, maxChars),
      ...Object.fromEntries(wrapped),
    };
    return new Toolset(kernel, base, await kernel.liveTools(base));
  }

  toolOf(name: string) {
    return Object.hasOwn(this.#live, name) ? this.#live[name] : undefined;
  }

  /** Updates `wrapped` to the current tools. The object stays the same. */
  refresh(wrap: (tool: AgentTool) => AgentTool) {
    for (const name of Object.keys(this.wrapped)) {
      if (Object.hasOwn(this.#live, name)) continue;
      delete this.wrapped[name];
      this.#sources.delete(name);
    }
    for (const [name, tool] of Object.entries(this.#live)) {
      if (this.#sources.get(name) === tool) continue;
      this.#sources.set(name, tool);
      this.wrapped[name] = wrap(tool);
    }
  }

  isForged({ tool }: { tool: string }) {
    return !Object.hasOwn(this.#base, tool);
  }

  /** The file of a call, and whether the call creates it. */
  async about(call: Call): Promise<{ path?: string; isNew?: true }> {
    const path = this.isForged(call)
      ? FORGED_PATH.exec(this.toolOf(call.tool)?.description ?? '')?.[1]
      : pathOf(call.input);
    if (path === undefined) return {};
    const isNew = agentToolRow(call.tool)?.creates === true && !(await this.#exists(path));
    return { path, ...(isNew && { isNew }) };
  }

  /**
   * Checks the file itself, because the tool list may lag behind.
   * @param path as the model wrote it
   */
  async #exists(path: string) {
    try {
      return await this.#kernel.vfs.exists(path);
    } catch {
      return false;
    }
  }
}

/** @param kernel that is booted */
function hasDatabase(kernel: TGP) {
  try {
    return kernel[SQL]() !== undefined;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** The tools that run programs. The agent's approver answers their requests. */
function programTools(kernel: TGP, { approve, ...caller }: Partial<Worker>, programs: AllowedPrograms) {
  const { run_program } = createShellTools({ kernel, ...caller, ...programs });
  const execute: AgentTool['execute'] = (args, options) =>
    run_program.execute(args, { ...options, ...(approve && { approve }) } as ToolCallOptions);
  return { run_program: { ...run_program, execute } };
}

/** Wraps a tool of the application: its calls pass policy, approval and ledger. */
function applicationTool(kernel: TGP, name: string, tool: AgentTool, { agent, dryRun, ...worker }: Worker): AgentTool {
  if (typeof tool?.execute !== 'function') {
    throw new ValidationError(`The tool "${name}" has no execute function.`, { details: { field: `tools.${name}` } });
  }
  const { caller } = agentOwner(kernel, { agent: 'agent', id: agent, ...worker }, undefined);
  const access = kernel[ON_BEHALF](caller);
  const execute: AgentTool['execute'] = (args, options) =>
    dryRun
      ? Promise.resolve({ dryRun: true, notice: `Dry run: ${name} was not called.` })
      : access.own({ tool: name, effect: 'app', changes: true, args }, async () =>
          // The agent's approver also answers requests of its tools, such as `run_program`.
          keepable(name, await tool.execute(args, { ...options, ...(worker.approve && { approve: worker.approve }) })),
        );
  return boundedTool({ ...tool, inputSchema: schemaOf(name, tool.inputSchema), execute }, kernel[RESULTS]);
}

/** Throws if a result is not JSON data. The call was made in any case. */
function keepable(name: string, result: unknown) {
  try {
    toJsonText(result, 'result', { nonFiniteNumbers: 'null' });
  } catch (cause) {
    throw new ResultError(
      `${name} was called and succeeded, but its result is not JSON data: ${messageOf(cause)} Do not repeat the call.`,
      { cause },
    );
  }
  return result;
}

/** A schema for the SDK, made from an SDK schema, a library schema or plain JSON Schema. */
function schemaOf(name: string, schema: unknown) {
  if (!isJsonSchema(schema)) return schema;
  try {
    const checked = z.fromJSONSchema(schema) as z.ZodObject;
    return schemaObject(schema, (value) => parseArguments(checked, value, `arguments of ${name}`));
  } catch (cause) {
    const text = `The schema of the tool "${name}" is not valid: ${messageOf(cause)}`;
    throw new ValidationError(text, { cause, details: { field: `tools.${name}.inputSchema` } });
  }
}

/** Whether a schema is plain JSON Schema. */
function isJsonSchema(schema: unknown): schema is z.core.JSONSchema.JSONSchema {
  if (typeof schema !== 'object' || schema === null || !('type' in schema) || typeof schema.type !== 'string')
    return false;
  return !('~standard' in schema) && Object.getOwnPropertySymbols(schema).length === 0;
}
