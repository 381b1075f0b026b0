/** Wraps a forged tool as a tool that models call by name. */

import { ValidationError } from '../boundary/errors.js';
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
  const { schema, unwrap, converted } = forgedSchema(parameters, name, source.typeOf);
  /** The arguments for the tool, and the error if the schema refuses them. */
  const read = (args: unknown) => {
    try {
      return { fitting: unwrap(args) };
    } catch (refusal) {
      return { fitting: converted(args), refusal };
    }
  };
  const unbounded = agentTool(described(path, description), schema, async (args, signal, mode) => {
    const { fitting, refusal } = read(args);
    const dry = (mode === 'dry' || owner.isDry) && { dryRun: true as const };
    const run = source.run(path, fitting, { signal, ...dry }, owner.caller);
    // The text may have changed since: its own schema decides.
    if (refusal !== undefined) {
      await run.catch((error) => {
        if (isRefused(error)) throw refusal;
      });
    }
    return report(run);
  });
  const callOf = (args: unknown) => ({ tool: 'exec_tool', effect: 'run', path, args: unwrap(args) });
  const guarded = owner.guard?.(unbounded, callOf) ?? unbounded;
  const tool = boundedTool(guarded, source.results);
  setForgedPath(tool, path);
  return tool;
}

/** Whether a run was refused because of its arguments. */
function isRefused(error: unknown) {
  return error instanceof ValidationError && error.details.field !== undefined;
}

function described(path: string, description: string) {
  // Models need the path to read, check and repair the tool.
  const suffix = `[${path}]`;
  const room = MAX_DESCRIPTION_CHARS - suffix.length - 1;
  const text = description.length > room ? `${description.slice(0, room - 1)}…` : description;
  return `${text} ${suffix}`.trim();
}
