/** The owner of tools: the identity that their calls carry. Tools derived from them, such as forged tools, get the same owner. */

import { ValidationError } from '../boundary/errors.js';

/**
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {{ tool: string, effect: string, path?: string, args: unknown }} PolicyCall a call as the policy sees it
 * @typedef {(args: any) => PolicyCall | Promise<PolicyCall>} DescribeCall describes a call with these arguments to the policy
 * @typedef {object} ToolOwner
 * @property {{ session?: string, model?: string, agent?: string, id?: string, token?: string, approve?: import('../../index.js').Approve, answered?: () => import('../../index.js').Approve | undefined }} caller
 * @property {<Tool extends AgentTool>(tool: Tool, describeCall: DescribeCall) => Tool} [guard] adds approval by the AI SDK to a tool
 * @property {boolean} [isDry] whether every call is a dry run
 */

/** A registered symbol, because tools and kernel may come from two copies of this package. */
const OWNER_OF = Symbol.for('@tgp/core/owner_of');

/**
 * Attaches an owner to tools.
 * @template {Record<string, AgentTool>} Tools
 * @param {Tools} tools
 * @param {ToolOwner} owner
 * @returns {Tools}
 */
export function ownedTools(tools, owner) {
  // A function, so that printing a tool does not print its token.
  const getOwner = () => owner;
  const entries = Object.entries(tools).map(([name, tool]) => [name, { ...tool, [OWNER_OF]: getOwner }]);
  return /** @type {Tools} */ (Object.fromEntries(entries));
}

/**
 * The owner of tools.
 * @param {Record<string, any>} tools
 * @returns {ToolOwner | undefined}
 */
export function ownerOf(tools) {
  /** @type {ToolOwner[]} */
  const owners = Object.values(tools).flatMap((tool) => {
    const getOwner = tool?.[OWNER_OF];
    return typeof getOwner === 'function' ? [getOwner()] : [];
  });
  if (new Set(owners.map(({ caller }) => caller.token)).size > 1) {
    throw new ValidationError(
      'The tools have different tokens, so the token of forged tools is ambiguous. Pass the same token to tgpTools and createSqlTools.',
      { details: { field: 'base' } },
    );
  }
  // If any tool is limited to dry runs, forged tools must be too.
  return owners.find(({ isDry }) => isDry) ?? owners[0];
}
