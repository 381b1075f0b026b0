/** Which file a forged tool is, for those who only see the tool. */

/** Registered, because tools and server may be of two copies of this package. */
const PATH = Symbol.for('@tgp/core/forged_path');

/**
 * Has a tool say where it is.
 * @param {import('../../index.js').AgentTool} tool
 * @param {string} path
 */
export function setForgedPath(tool, path) {
  Object.defineProperty(tool, PATH, { value: path });
}

/**
 * The path of a forged tool; empty for others, which no token covers.
 * @param {import('../../index.js').AgentTool} tool
 * @returns {string}
 */
export function forgedPath(tool) {
  return /** @type {any} */ (tool)[PATH] ?? '';
}
