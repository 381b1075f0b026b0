import { agentTool } from '../tool_shape/agent_tool.js';
import { KERNEL_TOOLS } from '../tool_shape/kernel_tool_table.js';
import { universalSchema } from '../tool_shape/universal_schema.js';

/**
 * @typedef {import('zod').ZodObject} ZodObject
 * @typedef {import('../tool_shape/kernel_tool_table.js').ToolName} ToolName
 */

/**
 * @template {ZodObject} Schema
 * @typedef {object} Dry
 * @property {(args: import('zod').output<Schema>, signal: AbortSignal | undefined) => Promise<unknown>} preview
 * @property {boolean} isAlways whether every call is a dry run
 */

/**
 * A tool whose arguments are validated by a zod schema before it runs.
 * @template {ZodObject} Schema
 * @template Result
 * @param {string} name
 * @param {string} description
 * @param {Schema} params
 * @param {(args: import('zod').output<Schema>, signal: AbortSignal | undefined) => Promise<Result>} run
 * @param {Dry<Schema>} [dry] the preview of a dry run; omitted for tools that change nothing, whose dry run is an ordinary call
 * @returns {import('../../index.js').AgentTool<import('zod').input<Schema>, any>}
 */
export function checkedTool(name, description, params, run, dry) {
  const schema = universalSchema(params, name);
  return agentTool(description, schema, async (args, signal, mode) => {
    const input = schema.parse(args);
    if (dry && (mode === 'dry' || dry.isAlways)) return dry.preview(input, signal);
    return run(input, signal);
  });
}

/**
 * @template {ToolName} Name
 * @typedef {import('zod').output<(typeof KERNEL_TOOLS)[Name]['parameters']>} Arguments
 */

/**
 * @template {ToolName} Name
 * @typedef {object} Implementation
 * @property {(args: Arguments<Name>, signal: AbortSignal | undefined) => Promise<unknown>} run
 * @property {(args: Arguments<Name>, signal: AbortSignal | undefined) => Promise<unknown>} [preview] omitted for tools that
 * change nothing, whose dry run is an ordinary call
 * @property {string} [description] instead of the one in the table
 */

/**
 * The implemented kernel tools, in the order of the table.
 * @param {boolean} isAlways whether every call is a dry run
 * @param {{ [Name in ToolName]?: Implementation<Name> }} implementations
 * @returns {Record<string, import('../../index.js').AgentTool>}
 */
export function kernelTools(isAlways, implementations) {
  const entries = Object.entries(KERNEL_TOOLS).flatMap(([name, { description, parameters }]) => {
    const own = /** @type {Implementation<any> | undefined} */ (implementations[/** @type {ToolName} */ (name)]);
    if (own === undefined) return [];
    const dry = own.preview && { isAlways, preview: own.preview };
    return [[name, checkedTool(name, own.description ?? description, parameters, own.run, dry)]];
  });
  return Object.fromEntries(entries);
}
