/** For whom the tools of an agent work, and who has their calls approved. */

import { ON_BEHALF } from '../kernel/agent_access.js';
import { SdkApprovals } from './sdk_approvals.js';

/**
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {import('../kernel/kernel_calls.js').CallerIdentity} CallerIdentity
 * @typedef {import('../tool_shape/tool_owner.js').ToolOwner} ToolOwner
 * @typedef {import('../tool_shape/tool_owner.js').Told} Told
 */

/**
 * @param {import('../kernel/tgp.js').TGP} kernel
 * @param {CallerIdentity} given
 * @param {'sdk' | undefined} approval
 * @returns {ToolOwner}
 */
export function agentOwner(kernel, given, approval) {
  const who = wellFormed(given);
  if (approval === undefined) return { who };
  const { judge } = kernel[ON_BEHALF](who);
  const approvals = new SdkApprovals(judge, () => kernel.config.agent.approvalMs);
  return {
    who: { ...who, answered: approvals.answered },
    guard: (tool, told) => approvals.guard(tool, told),
  };
}

/**
 * Tools whose calls are approved as their owner has it.
 * @template {Record<string, AgentTool>} Tools
 * @param {Tools} tools
 * @param {ToolOwner} owner
 * @param {Record<string, Told>} told what rules see of their calls
 * @returns {Tools}
 */
export function guardedTools(tools, { guard }, told) {
  if (guard === undefined) return tools;
  const entries = Object.entries(tools).map(([name, tool]) => {
    const callOf = told[name];
    return [name, callOf === undefined ? tool : guard(tool, callOf)];
  });
  return /** @type {Tools} */ (Object.fromEntries(entries));
}

/**
 * Names are anybody's text, and half a character in one must not fail every call.
 * @param {CallerIdentity} who
 * @returns {CallerIdentity}
 */
function wellFormed(who) {
  const wellFormed = (/** @type {unknown} */ name) => (typeof name === 'string' ? name.toWellFormed() : name);
  return Object.fromEntries(Object.entries(who).map(([key, name]) => [key, wellFormed(name)]));
}
