/** The owner of tools: the identity that their calls carry. Tools derived from them, such as forged tools, get the same owner. */

import type { Caller } from '../boundary/caller.js';
import { ValidationError } from '../boundary/errors.js';
import type { AgentTool } from '../types/tools.js';

/** A call that is not made yet, for its verdict. */
export type DescribedCall = { tool: string; effect: string; path?: string; args: unknown };
/** Describes a call with these arguments to the policy; they may not have been validated yet. */
export type DescribeCall = (args: Record<string, unknown>) => DescribedCall | Promise<DescribedCall>;
export type ToolOwner = {
  caller: Caller;
  /** The kernel that controls their calls. */
  kernel?: object;
  /** Adds approval by the AI SDK to a tool. */
  guard?: <Tool extends AgentTool>(tool: Tool, describeCall: DescribeCall) => Tool;
  /** Whether every call is a dry run. */
  isDry?: boolean;
};

/** A registered symbol, because tools and kernel may come from two copies of this package. */
const OWNER_OF = Symbol.for('@tgp/core/owner_of');

/** Attaches an owner to tools. */
export function ownedTools<Tools extends Record<string, AgentTool>>(tools: Tools, owner: ToolOwner): Tools {
  // A function, so that printing a tool does not print its token.
  const getOwner = () => owner;
  const entries = Object.entries(tools).map(([name, tool]) => [name, { ...tool, [OWNER_OF]: getOwner }]);
  return Object.fromEntries(entries) as Tools;
}

/** The owner of tools. */
export function ownerOf(tools: Record<string, unknown>): ToolOwner | undefined {
  const owners = Object.values(tools).flatMap((tool) => {
    const getOwner = (tool as { [OWNER_OF]?: () => ToolOwner } | null | undefined)?.[OWNER_OF];
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
