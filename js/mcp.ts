/** The package `@tgp/core/mcp`: MCP servers over a kernel. */

export { serveMcp } from './mcp/http.js';
export { createMcpServer } from './mcp/server.js';
export type * from './types/mcp.js';
