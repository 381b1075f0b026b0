import { agentTool } from '../tool_shape/agent_tool.js';
import { universalSchema } from '../tool_shape/universal_schema.js';

/** @typedef {import('zod').ZodObject} ZodObject */

/**
 * @template {ZodObject} Schema
 * @typedef {object} Dry
 * @property {(args: import('zod').output<Schema>, signal: AbortSignal | undefined) => Promise<unknown>} preview
 * @property {boolean} isAlways whether the tool is never used in earnest
 */

/**
 * A tool whose arguments are held against a zod schema before it runs.
 * @template {ZodObject} Schema
 * @template Result
 * @param {string} name
 * @param {string} description
 * @param {Schema} params
 * @param {(args: import('zod').output<Schema>, signal: AbortSignal | undefined) => Promise<Result>} run
 * @param {Dry<Schema>} [dry] how it is previewed; without it a dry run is as any other, because the tool changes nothing
 * @returns {import('../../index.js').AgentTool<import('zod').input<Schema>, any>}
 */
export function checkedTool(name, description, params, run, dry) {
  const schema = universalSchema(params, name);
  return agentTool(description, schema, async (args, signal, mode) => {
    const given = schema.parse(args);
    if (dry && (mode === 'dry' || dry.isAlways)) return dry.preview(given, signal);
    return run(given, signal);
  });
}
