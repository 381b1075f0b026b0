/** On whose behalf tools work, so that those which are made beside them do so too. */

import { ValidationError } from '../boundary/errors.js';

/**
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {{ tool: string, effect: string, path?: string, args: unknown }} ToldCall a call as rules see it
 * @typedef {(args: any) => ToldCall | Promise<ToldCall>} Told what rules see of a call with these arguments
 * @typedef {object} ToolOwner
 * @property {{ session?: string, model?: string, agent?: string, id?: string, token?: string, approve?: import('../../index.js').Approve, answered?: () => import('../../index.js').Approve | undefined }} who
 * @property {<Tool extends AgentTool>(tool: Tool, told: Told) => Tool} [guard] has calls of a tool approved elsewhere
 * @property {boolean} [isDry] whether calls are only previewed, whatever they say themselves
 */

/** Registered, because tools and kernel may be of two copies of this package. */
const OWNER_OF = Symbol.for('@tgp/core/owner_of');

/**
 * The same tools, which say whose they are.
 * @template {Record<string, AgentTool>} Tools
 * @param {Tools} tools
 * @param {ToolOwner} owner
 * @returns {Tools}
 */
export function ownedTools(tools, owner) {
  // A function, so that nobody who prints a tool prints a token.
  const said = () => owner;
  const entries = Object.entries(tools).map(([name, tool]) => [name, { ...tool, [OWNER_OF]: said }]);
  return /** @type {Tools} */ (Object.fromEntries(entries));
}

/**
 * Whose tools these are.
 * @param {Record<string, any>} tools
 * @returns {ToolOwner | undefined}
 */
export function ownerOf(tools) {
  /** @type {ToolOwner[]} */
  const owners = Object.values(tools).flatMap((tool) => {
    const said = tool?.[OWNER_OF];
    return typeof said === 'function' ? [said()] : [];
  });
  if (new Set(owners.map(({ who }) => who.token)).size > 1) {
    throw new ValidationError(
      'The tools have different tokens, so nobody can say which holds for the forged ones. Give the same token to tgpTools and createSqlTools.',
      { details: { field: 'base' } },
    );
  }
  // Who asked for previews must not get a real call because of the tools beside them.
  return owners.find(({ isDry }) => isDry) ?? owners[0];
}
