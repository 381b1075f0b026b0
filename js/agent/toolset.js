/** The tools of an agent: kernel tools, SQL tools, application tools, and forged tools as they change. */

import { z } from 'zod';
import { agentOwner } from '../agent_tools/agent_owner.js';
import { tgpTools } from '../agent_tools/kernel_tools.js';
import { createSqlTools } from '../agent_tools/sql_tools.js';
import { ConfigError, ResultError, ValidationError } from '../boundary/errors.js';
import { toJsonText } from '../boundary/json_text.js';
import { messageOf } from '../boundary/thrown.js';
import { parseArguments } from '../boundary/validation.js';
import { ON_BEHALF, RESULTS, SQL } from '../kernel/agent_access.js';
import { boundedTool } from '../tool_shape/bounded_result.js';
import { toolWords } from '../tool_shape/kernel_tool_table.js';
import { schemaObject } from '../tool_shape/universal_schema.js';
import { readResult } from './read_result.js';
import { pathOf } from './summary.js';

/**
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {import('./conversation.js').Call} Call
 * @typedef {object} Worker the identity and settings of the agent
 * @property {string} session
 * @property {string} model
 * @property {string} agent
 * @property {string} [token]
 * @property {import('../../index.js').Approve} [approve]
 * @property {boolean} [dryRun]
 * @property {import('../../index.js').Mode} [mode]
 */

/** The path of a forged tool, at the end of its description. */
const FORGED_PATH = /\[([^\]]+)\]$/;

export class Toolset {
  #kernel;
  #base;
  #live;
  /** The source of each wrapped tool, by name. @type {Map<string, AgentTool>} */
  #sources = new Map();
  /** Tools for the tool loop. Without a prototype: a model may request a tool named "constructor". @type {Record<string, AgentTool>} */
  wrapped = Object.create(null);

  /**
   * @param {any} kernel
   * @param {Record<string, AgentTool>} base
   * @param {Record<string, AgentTool>} live
   */
  constructor(kernel, base, live) {
    this.#kernel = kernel;
    this.#base = base;
    this.#live = live;
  }

  /**
   * @param {any} kernel
   * @param {Worker} worker
   * @param {Record<string, AgentTool>} own tools of the application
   * @param {import('./conversation.js').Conversation} conversation
   */
  static async of(kernel, worker, own, conversation) {
    const caller = Object.fromEntries(Object.entries(worker).filter(([, value]) => value !== undefined));
    const { mode: _, ...forSql } = caller;
    const maxChars = kernel.config.agent.resultChars;
    const wrapped = Object.entries(own).map(([name, tool]) => [name, applicationTool(kernel, name, tool, worker)]);
    const base = {
      ...tgpTools(kernel, /** @type {any} */ (caller)),
      ...(hasDatabase(kernel) ? createSqlTools(kernel, /** @type {any} */ (forSql)) : {}),
      read_result: readResult(conversation, maxChars),
      ...Object.fromEntries(wrapped),
    };
    return new Toolset(kernel, base, await kernel.liveTools(base));
  }

  /** @param {string} name */
  toolOf(name) {
    return Object.hasOwn(this.#live, name) ? this.#live[name] : undefined;
  }

  /**
   * Updates `wrapped` to the current tools. The object stays the same.
   * @param {(tool: AgentTool) => AgentTool} wrap
   */
  refresh(wrap) {
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

  /** @param {{ tool: string }} call */
  isForged({ tool }) {
    return !Object.hasOwn(this.#base, tool);
  }

  /**
   * The file of a call, and whether the call creates it.
   * @param {Call} call
   * @returns {Promise<{ path?: string, isNew?: true }>}
   */
  async about(call) {
    const path = this.isForged(call)
      ? FORGED_PATH.exec(this.toolOf(call.tool)?.description ?? '')?.[1]
      : pathOf(call.input);
    if (path === undefined) return {};
    const isNew = toolWords(call.tool)?.creates === true && !(await this.#exists(path));
    return { path, ...(isNew && { isNew }) };
  }

  /**
   * Checks the file itself, because the tool list may lag behind.
   * @param {string} path as the model wrote it
   */
  async #exists(path) {
    try {
      return await this.#kernel.vfs.exists(path);
    } catch {
      return false;
    }
  }
}

/** @param {any} kernel that is booted */
function hasDatabase(kernel) {
  try {
    return kernel[SQL]() !== undefined;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/**
 * Wraps a tool of the application: its calls pass policy, approval and ledger.
 * @param {any} kernel
 * @param {string} name
 * @param {any} tool
 * @param {Worker} worker
 * @returns {AgentTool}
 */
function applicationTool(kernel, name, tool, { agent, dryRun, ...worker }) {
  if (typeof tool?.execute !== 'function') {
    throw new ValidationError(`The tool "${name}" has no execute function.`, { details: { field: `tools.${name}` } });
  }
  const { caller } = agentOwner(kernel, { agent: 'agent', id: agent, ...worker }, undefined);
  const access = kernel[ON_BEHALF](caller);
  /** @type {AgentTool['execute']} */
  const execute = (args, options) =>
    dryRun
      ? Promise.resolve({ dryRun: true, notice: `Dry run: ${name} was not called.` })
      : access.own({ tool: name, effect: 'app', changes: true, args }, async () =>
          // The agent's approver also answers requests of its tools, such as `run_program`.
          keepable(name, await tool.execute(args, { ...options, ...(worker.approve && { approve: worker.approve }) })),
        );
  return boundedTool({ ...tool, inputSchema: schemaOf(name, tool.inputSchema), execute }, kernel[RESULTS]);
}

/**
 * Throws if a result is not JSON data. The call was made in any case.
 * @param {string} name
 * @param {unknown} result
 */
function keepable(name, result) {
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

/**
 * A schema for the SDK, made from an SDK schema, a library schema or plain JSON Schema.
 * @param {string} name
 * @param {any} schema
 */
function schemaOf(name, schema) {
  const isPlain = typeof schema === 'object' && schema !== null && typeof schema.type === 'string';
  if (!isPlain || '~standard' in schema || Object.getOwnPropertySymbols(schema).length > 0) return schema;
  try {
    const checked = /** @type {z.ZodObject} */ (z.fromJSONSchema(schema));
    return schemaObject(schema, (value) => parseArguments(checked, value, `arguments of ${name}`));
  } catch (cause) {
    const text = `The schema of the tool "${name}" is not valid: ${messageOf(cause)}`;
    throw new ValidationError(text, { cause, details: { field: `tools.${name}.inputSchema` } });
  }
}
