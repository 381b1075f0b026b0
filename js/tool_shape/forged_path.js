/** Attaches the path of its file to a forged tool. */

/** A registered symbol, because tools and server may come from two copies of this package. */
const PATH = Symbol.for('@tgp/core/forged_path');

/**
 * Sets the path of a forged tool.
 * @param {import('../../index.js').AgentTool} tool
 * @param {string} path
 */
export function setForgedPath(tool, path) {
  Object.defineProperty(tool, PATH, { value: path });
}

/**
 * The path of a forged tool; empty for other tools, which no token covers.
 * @param {import('../../index.js').AgentTool} tool
 * @returns {string}
 */
export function forgedPath(tool) {
  return /** @type {any} */ (tool)[PATH] ?? '';
}
