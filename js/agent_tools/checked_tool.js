import { agentTool } from '../tool_shape/agent_tool.js';
import { universalSchema } from '../tool_shape/universal_schema.js';

/** @typedef {import('zod').ZodObject} ZodObject */

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
