/** The optional MCP SDK. */

import { ConfigError } from '../boundary/errors.js';

/**
 * Loads the official MCP SDK. It is an optional peer dependency, because it brings a hundred packages.
 */
export async function loadSdk() {
  try {
    const [{ Server }, { StdioServerTransport }, { StreamableHTTPServerTransport }, types] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
      import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
    return { Server, StdioServerTransport, StreamableHTTPServerTransport, types };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new ConfigError(
      'The MCP server requires the package @modelcontextprotocol/sdk. Install it with "npm install @modelcontextprotocol/sdk" and try again.',
      { cause },
    );
  }
}
