/** Whether a call would be allowed. */

import { z } from 'zod';
import type { Caller } from '../../boundary/caller.js';
import { ValidationError } from '../../boundary/errors.js';
import { KERNEL_TOOL_FACTS } from '../../boundary/kernel_tool_facts.js';
import { MODES } from '../../boundary/modes.js';
import { parseArguments } from '../../boundary/validation.js';
import type { AllowedQuery, ToolAllowed } from '../../types/guardian.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { ANY_AGENT } from '../tools/kernel_tools.js';

const QuerySchema = z.strictObject({
  tool: z.string().min(1),
  args: z.record(z.string(), z.unknown()).optional(),
  agent: z.string().min(1).optional(),
  session: z.string().min(1).optional(),
  token: z.string().min(1).optional(),
  mode: z.enum(MODES).optional(),
});

/** Implements `kernel.isToolAllowed`. */
export async function toolAllowed(calls: KernelCalls, query: AllowedQuery): Promise<ToolAllowed> {
  const { tool: name, args: given = {}, ...identity } = parseArguments(QuerySchema, query, 'call');
  const isForged = name.startsWith('tools/');
  const [tool, args] = isForged ? ['exec_tool', { path: name, args: given }] : [name, given];
  const facts = Object.entries(KERNEL_TOOL_FACTS).find(([known]) => known === tool)?.[1];
  if (facts === undefined) {
    throw new ValidationError(`"${name}" is neither a kernel tool nor the path of a forged tool.`, {
      details: { field: 'tool' },
    });
  }
  const path = facts.path === null ? undefined : Object.entries(args).find(([key]) => key === facts.path)?.[1];
  const caller: Caller = { ...ANY_AGENT, ...identity };
  return calls.allowed({ tool, effect: facts.effect, args, caller, ...(typeof path === 'string' && { path }) });
}
