export { serveMcp } from './js/mcp/http.js';
export { createMcpServer } from './js/mcp/server.js';
