/** Attaches the path of its file to a forged tool. */

import type { AgentTool } from '../types/tools.js';

/** A registered symbol, because tools and server may come from two copies of this package. */
const PATH = Symbol.for('@tgp/core/forged_path');

/** Sets the path of a forged tool. */
export function setForgedPath(tool: AgentTool, path: string) {
  Object.defineProperty(tool, PATH, { value: path });
}

/** The path of a forged tool; empty for other tools, which no token covers. */
export function forgedPath(tool: AgentTool): string {
  return (tool as AgentTool & { [PATH]?: string })[PATH] ?? '';
}
