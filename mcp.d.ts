import type { Mode, TGP, ToolSet } from '@tgp/core';

// The SDK's types are those of its ESM half; this file is also read as CommonJS.
type Server = import('@modelcontextprotocol/sdk/server/index.js', { with: { 'resolution-mode': 'import' }}).Server;

/** What an MCP server offers. */
export type McpServerOptions = {
  /** The tools beside the forged ones. Default: `tgpTools(kernel)`. */
  tools?: ToolSet;
  /** How the server calls itself. Default: `'tgp'`. */
  name?: string;
  /** How much of a result the model gets to see, in characters. Default: `agent.resultChars` of the configuration, 16 000. */
  maxChars?: number;
  /**
   * Whether calls only tell what they would do (`docs/dry_run.md`); not with `tools`, which say so themselves:
   * `tgpTools(kernel, { dryRun: true })`. Default: false.
   */
  dryRun?: boolean;
  /** Whether clients write the test of a tool first; not with `tools` either. Default: `mode` of the configuration. */
  mode?: Mode;
};

/**
 * A server of the Model Context Protocol over a kernel, to be connected to a transport: the kernel tools and the forged tools
 * by name, `tgp://tools/…` for their sources and `tgp://history/…` for their history. Clients are told when tools are forged,
 * changed or removed, also by other processes. A failure is a result with `isError`, its code and what to do.
 *
 * Calls of the kernel's tools and of forged ones, and resources, are judged by the policy of the kernel. What it wants approved
 * goes to `approve` of the kernel; where there is none, to the person at the client, if the client supports elicitation. Otherwise
 * it is `ERR_APPROVAL`.
 *
 * Needs the package `@modelcontextprotocol/sdk`. Leave its `oninitialized` and `onclose` alone: they follow the tools. Closing the
 * server does not shut the kernel down.
 *
 * @example
 * const server = await createMcpServer(kernel);
 * await server.connect(new StdioServerTransport());
 */
export declare function createMcpServer(kernel: TGP, options?: McpServerOptions): Promise<Server>;

/** Where an MCP server listens, and to whom. */
export type ServeMcpOptions = McpServerOptions & {
  /** Default: a free one. */
  port?: number;
  /** Default: `'127.0.0.1'`. Any other than this machine needs a `token`. */
  host?: string;
  /**
   * Requests must carry it: `Authorization: Bearer …`. Default: none. A capability token of the kernel (`kernel.issueToken`) in its
   * place lets a request in as well, and its calls are held to that.
   */
  token?: string;
  /** How much clients may ask for. */
  limits?: McpLimits;
};

/**
 * What clients of an MCP server over HTTP may ask for. What goes beyond is refused or cut off. A message holds 50 000 values at
 * most, over stdio too; one line there is 16 MB at most.
 */
export type McpLimits = {
  /** Largest body of a request, in bytes. Default: 4 MB. */
  bodyBytes?: number;
  /** What all bodies together may hold until they are answered, in bytes. Default: 32 MB. */
  allBodiesBytes?: number;
  /** Time for the headers of a request. Default: 10 000. */
  headersMs?: number;
  /** Time for a request with its body; the answer may take longer. Default: 30 000. */
  requestMs?: number;
  /** Connections at one time. Default: 256. */
  connections?: number;
  /** Sessions at one time, of clients with a capability token and of those without one: one more, and the one that was quiet for longest is closed. Default: 64 each. */
  sessions?: number;
};

/**
 * The same server over streamable HTTP, one per session. Requests whose Host or Origin is not this machine are refused, so
 * that no web page reaches it by DNS rebinding.
 * @throws {ValidationError} when others than this machine could reach it without a token
 * @throws {IoError} when the port cannot be used
 */
export declare function serveMcp(
  kernel: TGP,
  options?: ServeMcpOptions,
): Promise<{ url: string; close: () => Promise<void> }>;
