/** Checks the options of an MCP server: dry run and test mode. */

import { TgpToolsOptionsSchema } from '../agent_tools/tools_options.js';
import { ValidationError } from '../boundary/errors.js';
import { parseArguments } from '../boundary/validation.js';
import type { CallMode } from '../tool_shape/agent_tool.js';
import type { McpServerOptions } from '../types/mcp.js';
import type { Mode } from '../types/tests.js';

export function checkedOptions({ tools, dryRun, mode }: McpServerOptions): { mode: Mode | undefined; calls: CallMode } {
  const parsed = parseArguments(TgpToolsOptionsSchema, { dryRun, mode }, 'MCP server options');
  if (tools !== undefined && (parsed.dryRun || parsed.mode !== undefined)) {
    throw new ValidationError(
      '"dryRun" and "mode" cannot be combined with "tools". Set them in the tools: tgpTools(kernel, { dryRun, mode }).',
      { details: { field: 'tools' } },
    );
  }
  return { mode: parsed.mode, calls: parsed.dryRun ? 'dry' : 'real' };
}
