/** Wraps a forged tool as a tool that models call by name. */

import { agentTool, report } from '../tool_shape/agent_tool.js';
import { boundedTool } from '../tool_shape/bounded_result.js';
import { setForgedPath } from '../tool_shape/forged_path.js';
import type { ToolOwner } from '../tool_shape/tool_owner.js';
import type { ToolMetadata } from '../types/kernel.js';
import type { ForgedTool } from '../types/tools.js';
import { forgedSchema } from './cleaned_parameters.js';
import type { Source } from './forged_tools.js';

/** Limit of OpenAI. */
const MAX_DESCRIPTION_CHARS = 1024;

/** @param owner on whose behalf it runs */
export function forgedTool(
  name: string,
  { path, description, parameters }: ToolMetadata,
  owner: ToolOwner,
  source: Pick<Source, 'run' | 'typeOf' | 'results'>,
): ForgedTool {
  const { schema, unwrap } = forgedSchema(parameters, name, source.typeOf);
  const unbounded = agentTool(described(path, description), schema, async (args, signal, mode) => {
    const unwrapped = unwrap(args);
    const dry = (mode === 'dry' || owner.isDry) && { dryRun: true as const };
    return report(source.run(path, unwrapped, { signal, ...dry }, owner.caller));
  });
  const callOf = (args: unknown) => ({ tool: 'exec_tool', effect: 'run', path, args: unwrap(args) });
  const guarded = owner.guard?.(unbounded, callOf) ?? unbounded;
  const tool = boundedTool(guarded, source.results);
  setForgedPath(tool, path);
  return tool;
}

function described(path: string, description: string) {
  // Models need the path to read, check and repair the tool.
  const suffix = `[${path}]`;
  const room = MAX_DESCRIPTION_CHARS - suffix.length - 1;
  const text = description.length > room ? `${description.slice(0, room - 1)}…` : description;
  return `${text} ${suffix}`.trim();
}
