/** MCP tool annotations and output schemas. */

import { RUNS, toolWords } from '../tool_shape/kernel_tool_table.js';
import { PREVIEW, REPORT } from '../tool_shape/output_schemas.js';

/**
 * @typedef {object} Facts
 * @property {import('@modelcontextprotocol/sdk/types.js').ToolAnnotations} annotations
 * @property {Record<string, any>} [outputSchema] only where every result is an object
 */

/**
 * @param {string} name
 * @param {'forged' | 'given'} origin whether it is a forged tool or a tool of the application
 * @param {import('../tool_shape/agent_tool.js').Mode} calls whether calls are made or are dry runs
 * @returns {Facts}
 */
export function factsOf(name, origin, calls) {
  const facts = realFacts(name, origin);
  if (calls === 'real' || facts.annotations.readOnlyHint) return facts;
  // A preview may still send a GET.
  const annotations = { ...facts.annotations, readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  return { annotations, ...(facts.outputSchema && { outputSchema: PREVIEW }) };
}

/**
 * @param {string} name
 * @param {'forged' | 'given'} origin
 * @returns {Facts}
 */
function realFacts(name, origin) {
  const title = name.replaceAll(/[_-]+/g, ' ').trim();
  if (origin === 'forged') return { annotations: { title, ...RUNS }, outputSchema: REPORT };
  const known = toolWords(name);
  // The effects of an application tool are unknown: the worst is assumed.
  if (known === undefined) return { annotations: { title, ...RUNS } };
  const annotations = { title: known.title, ...known.hints };
  return { annotations, ...(known.output && { outputSchema: known.output }) };
}
