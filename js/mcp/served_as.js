/** How the calls of clients are made: for real or as previews, and in which mode of test first. */

import { TgpToolsOptionsSchema } from '../agent_tools/tool_parameters.js';
import { ValidationError } from '../boundary/errors.js';
import { parseArguments } from '../boundary/validation.js';

/**
 * @param {import('../../mcp.js').McpServerOptions} options
 * @returns {{ mode: import('../../index.js').Mode | undefined, calls: import('../tool_shape/agent_tool.js').Mode }}
 */
export function servedAs({ tools, dryRun, mode }) {
  const given = parseArguments(TgpToolsOptionsSchema, { dryRun, mode }, 'MCP server options');
  if (tools !== undefined && (given.dryRun || given.mode !== undefined)) {
    throw new ValidationError(
      '"tools" say themselves whether they are only previewed, and in which mode: give tgpTools(kernel, { dryRun, mode }) in "tools", and leave "dryRun" and "mode" out here.',
      { details: { field: 'tools' } },
    );
  }
  return { mode: given.mode, calls: given.dryRun ? 'dry' : 'real' };
}
