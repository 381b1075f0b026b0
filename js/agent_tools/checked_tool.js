import { agentTool } from '../tool_shape/agent_tool.js';
import { universalSchema } from '../tool_shape/universal_schema.js';

/** @typedef {import('zod').ZodObject} ZodObject */

/**
 * A tool whose arguments are held against a zod schema before it runs.
 * @template {ZodObject} Schema
 * @template Result
 * @param {string} name
 * @param {string} description
 * @param {Schema} params
 * @param {(args: import('zod').output<Schema>, signal: AbortSignal | undefined) => Promise<Result>} run
 * @returns {import('../../index.js').AgentTool<import('zod').input<Schema>, Result>}
 */
export function checkedTool(name, description, params, run) {
  const schema = universalSchema(params, name);
  return agentTool(description, schema, (args, signal) => run(schema.parse(args), signal));
}
