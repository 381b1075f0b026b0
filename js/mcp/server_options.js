/** Checks the options of an MCP server: dry run and test mode. */

import { TgpToolsOptionsSchema } from '../agent_tools/tools_options.js';
import { ValidationError } from '../boundary/errors.js';
import { parseArguments } from '../boundary/validation.js';

/**
 * @param {import('../../mcp.js').McpServerOptions} options
 * @returns {{ mode: import('../../index.js').Mode | undefined, calls: import('../tool_shape/agent_tool.js').Mode }}
 */
export function checkedOptions({ tools, dryRun, mode }) {
  const parsed = parseArguments(TgpToolsOptionsSchema, { dryRun, mode }, 'MCP server options');
  if (tools !== undefined && (parsed.dryRun || parsed.mode !== undefined)) {
    throw new ValidationError(
      '"dryRun" and "mode" cannot be combined with "tools". Set them in the tools: tgpTools(kernel, { dryRun, mode }).',
      { details: { field: 'tools' } },
    );
  }
  return { mode: parsed.mode, calls: parsed.dryRun ? 'dry' : 'real' };
}
