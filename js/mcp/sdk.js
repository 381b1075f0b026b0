import { ConfigError } from '../boundary/errors.js';

/**
 * The official SDK. It is an optional peer: it brings a hundred packages that most applications have no use for.
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
    if (/** @type {NodeJS.ErrnoException} */ (cause).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new ConfigError(
      'The MCP server needs the package @modelcontextprotocol/sdk. Install it with "npm install @modelcontextprotocol/sdk" and try again.',
      { cause },
    );
  }
}
