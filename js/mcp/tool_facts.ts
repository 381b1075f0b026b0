/** MCP tool annotations and output schemas. */

import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { CallMode } from '../tool_shape/agent_tool.js';
import { RUNS } from '../tool_shape/agent_tool_row.js';
import { agentToolRow } from '../tool_shape/agent_tool_table.js';
import { PREVIEW, REPORT } from '../tool_shape/output_schemas.js';

type Facts = {
  annotations: ToolAnnotations;
  /** Only where every result is an object. */
  outputSchema?: Record<string, unknown>;
};

/**
 * @param origin whether it is a forged tool or a tool of the application
 * @param calls whether calls are made or are dry runs
 */
export function factsOf(name: string, origin: 'forged' | 'given', calls: CallMode): Facts {
  const facts = realFacts(name, origin);
  if (calls === 'real' || facts.annotations.readOnlyHint) return facts;
  // A preview may still send a GET.
  const annotations = { ...facts.annotations, readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  return { annotations, ...(facts.outputSchema && { outputSchema: PREVIEW }) };
}

function realFacts(name: string, origin: 'forged' | 'given'): Facts {
  const title = name.replaceAll(/[_-]+/g, ' ').trim();
  if (origin === 'forged') return { annotations: { title, ...RUNS }, outputSchema: REPORT };
  const known = agentToolRow(name);
  // The effects of an application tool are unknown: the worst is assumed.
  if (known === undefined) return { annotations: { title, ...RUNS } };
  const annotations = { title: known.title, ...known.hints };
  return { annotations, ...(known.output && { outputSchema: known.output }) };
}
