/** Creates the owner of an agent's tools, with AI SDK approvals if requested. */

import { ON_BEHALF } from '../kernel/agent_access.js';
import { SdkApprovals } from './sdk_approvals.js';

/**
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {import('../kernel/kernel_calls.js').Caller} Caller
 * @typedef {import('../tool_shape/tool_owner.js').ToolOwner} ToolOwner
 * @typedef {import('../tool_shape/tool_owner.js').DescribeCall} DescribeCall
 */

/**
 * @param {import('../kernel/tgp.js').TGP} kernel
 * @param {Caller} identity
 * @param {'sdk' | undefined} approval
 * @returns {ToolOwner}
 */
export function agentOwner(kernel, identity, approval) {
  const caller = wellFormed(identity);
  if (approval === undefined) return { caller };
  const { judge } = kernel[ON_BEHALF](caller);
  const approvals = new SdkApprovals(judge, () => kernel.config.agent.approvalMs);
  return {
    caller: { ...caller, answered: approvals.answered },
    guard: (tool, describeCall) => approvals.guard(tool, describeCall),
  };
}

/**
 * Adds the owner's approval to tools.
 * @template {Record<string, AgentTool>} Tools
 * @param {Tools} tools
 * @param {ToolOwner} owner
 * @param {Record<string, DescribeCall>} descriptions describe calls to the policy, by tool
 * @returns {Tools}
 */
export function guardedTools(tools, { guard }, descriptions) {
  if (guard === undefined) return tools;
  const entries = Object.entries(tools).map(([name, tool]) => {
    const describeCall = descriptions[name];
    return [name, describeCall === undefined ? tool : guard(tool, describeCall)];
  });
  return /** @type {Tools} */ (Object.fromEntries(entries));
}

/**
 * Replaces lone surrogates in names, which would fail every call.
 * @param {Caller} caller
 * @returns {Caller}
 */
function wellFormed(caller) {
  const wellFormed = (/** @type {unknown} */ name) => (typeof name === 'string' ? name.toWellFormed() : name);
  return Object.fromEntries(Object.entries(caller).map(([key, name]) => [key, wellFormed(name)]));
}
