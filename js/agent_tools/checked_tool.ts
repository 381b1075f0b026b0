import type { input, output, ZodObject } from 'zod';
import { agentTool } from '../tool_shape/agent_tool.js';
import type { ToolName } from '../tool_shape/agent_tool_table.js';
import { AGENT_TOOLS } from '../tool_shape/agent_tool_table.js';
import { universalSchema } from '../tool_shape/universal_schema.js';
import type { AgentTool } from '../types/tools.js';

type Dry<Schema extends ZodObject> = {
  preview: (args: output<Schema>, signal: AbortSignal | undefined) => Promise<unknown>;
  /** Whether every call is a dry run. */
  isAlways: boolean;
};

/**
 * A tool whose arguments are validated by a zod schema before it runs.
 * @param dry the preview of a dry run; omitted for tools that change nothing, whose dry run is an ordinary call
 */
export function checkedTool<Schema extends ZodObject>(
  name: string,
  description: string,
  params: Schema,
  run: (args: output<Schema>, signal: AbortSignal | undefined) => Promise<unknown>,
  dry?: Dry<Schema>,
): AgentTool<input<Schema>> {
  const schema = universalSchema(params, name);
  return agentTool(description, schema, async (args, signal, mode) => {
    const input = schema.parse(args);
    if (dry && (mode === 'dry' || dry.isAlways)) return dry.preview(input, signal);
    return run(input, signal);
  });
}

type Parameters<Name extends ToolName> = (typeof AGENT_TOOLS)[Name]['parameters'];
type Arguments<Name extends ToolName> = output<Parameters<Name>>;

type Implementation<Name extends ToolName> = {
  run: (args: Arguments<Name>, signal: AbortSignal | undefined) => Promise<unknown>;
  /** Omitted for tools that change nothing, whose dry run is an ordinary call. */
  preview?: (args: Arguments<Name>, signal: AbortSignal | undefined) => Promise<unknown>;
  /** Instead of the one in the table. */
  description?: string;
};

/** Implementations of the tools `Name`. */
export type Implementations<Name extends ToolName> = { [Each in Name]: Implementation<Each> };

/**
 * The implemented kernel tools, in the order of the table.
 * @param isAlways whether every call is a dry run
 */
export function implementedTools(
  isAlways: boolean,
  implementations: Partial<Implementations<ToolName>>,
): Record<string, AgentTool> {
  const names = Object.keys(AGENT_TOOLS) as ToolName[];
  const entries = names.flatMap(<Name extends ToolName>(name: Name) => {
    const own: Implementation<Name> | undefined = implementations[name];
    if (own === undefined) return [];
    const { description } = AGENT_TOOLS[name];
    const parameters: Parameters<Name> = AGENT_TOOLS[name].parameters;
    const dry = own.preview && { isAlways, preview: own.preview };
    return [[name, checkedTool(name, own.description ?? description, parameters, own.run, dry)]];
  });
  return Object.fromEntries(entries);
}
