/** Wraps a forged tool as a tool that models call by name. */

import { agentTool, report } from '../tool_shape/agent_tool.js';
import { boundedTool } from '../tool_shape/bounded_result.js';
import { setForgedPath } from '../tool_shape/forged_path.js';
import { forgedSchema } from './cleaned_parameters.js';

/**
 * @typedef {import('../../index.js').ForgedTool} ForgedTool
 * @typedef {import('../tool_shape/tool_owner.js').ToolOwner} ToolOwner
 */

/** Limit of OpenAI. */
const MAX_DESCRIPTION_CHARS = 1024;

/**
 * @param {string} name
 * @param {import('../../index.js').ToolMetadata} meta
 * @param {ToolOwner} owner on whose behalf it runs
 * @param {Pick<import('./forged_tools.js').Source, 'run' | 'typeOf' | 'results'>} source
 * @returns {ForgedTool}
 */
export function forgedTool(name, { path, description, parameters }, owner, source) {
  const { schema, unwrap } = forgedSchema(parameters, name, source.typeOf);
  const unbounded = agentTool(described(path, description), schema, async (args, signal, mode) => {
    const unwrapped = unwrap(args);
    const dry = (mode === 'dry' || owner.isDry) && { dryRun: /** @type {const} */ (true) };
    return report(source.run(path, unwrapped, { signal, ...dry }, owner.caller));
  });
  const callOf = (/** @type {any} */ args) => ({ tool: 'exec_tool', effect: 'run', path, args: unwrap(args) });
  const guarded = owner.guard?.(unbounded, callOf) ?? unbounded;
  const tool = boundedTool(guarded, source.results);
  setForgedPath(tool, path);
  return tool;
}

/**
 * @param {string} path
 * @param {string} description
 */
function described(path, description) {
  // Models need the path to read, check and repair the tool.
  const suffix = `[${path}]`;
  const room = MAX_DESCRIPTION_CHARS - suffix.length - 1;
  const text = description.length > room ? `${description.slice(0, room - 1)}…` : description;
  return `${text} ${suffix}`.trim();
}
