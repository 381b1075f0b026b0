/** Creates the owner of an agent's tools, with AI SDK approvals if requested. */

import type { Caller } from '../boundary/caller.js';
import { ON_BEHALF } from '../kernel/access_symbols.js';
import type { TGP } from '../kernel/tgp.js';
import type { DescribeCall, ToolOwner } from '../tool_shape/tool_owner.js';
import type { AgentTool } from '../types/tools.js';
import { SdkApprovals } from './sdk_approvals.js';

export function agentOwner(kernel: TGP, identity: Caller, approval: 'sdk' | undefined): ToolOwner {
  const caller = wellFormed(identity);
  if (approval === undefined) return { caller, kernel };
  const { judge } = kernel[ON_BEHALF](caller);
  const approvals = new SdkApprovals(judge, () => kernel.config.agent.approvalMs);
  return {
    caller: { ...caller, answered: approvals.answered },
    kernel,
    guard: (tool, describeCall) => approvals.guard(tool, describeCall),
  };
}

/**
 * Adds the owner's approval to tools.
 * @param descriptions describe calls to the policy, by tool
 */
export function guardedTools<Tools extends Record<string, AgentTool>>(
  tools: Tools,
  { guard }: ToolOwner,
  descriptions: Record<string, DescribeCall>,
): Tools {
  if (guard === undefined) return tools;
  const entries = Object.entries(tools).map(([name, tool]) => {
    const describeCall = descriptions[name];
    return [name, describeCall === undefined ? tool : guard(tool, describeCall)];
  });
  return Object.fromEntries(entries) as Tools;
}

/** Replaces lone surrogates in names, which would fail every call. */
function wellFormed(caller: Caller): Caller {
  const wellFormed = (name: unknown) => (typeof name === 'string' ? name.toWellFormed() : name);
  return Object.fromEntries(Object.entries(caller).map(([key, name]) => [key, wellFormed(name)]));
}
