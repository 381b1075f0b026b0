/** Options of MCP servers. */

import type { ShellTools } from './shell.js';
import type { Mode } from './tests.js';
import type { ToolSet } from './tools.js';

/** Options of {@link createMcpServer}. */
export type McpServerOptions = {
  /** The tools beside the forged ones. Default: `tgpTools(kernel)`. */
  tools?: ToolSet;
  /** Tools of `createShellTools({ kernel, … })` with this kernel, served beside its own. Default: none. */
  programs?: ShellTools;
  /** Name of the server. Default: `'tgp'`. */
  name?: string;
  /** Maximum characters of a result for the model. Default: `agent.resultChars` of the configuration, 16 000. */
  maxChars?: number;
  /**
   * Whether every call is a dry run (`docs/dry_run.md`). Not with `tools`, which have their own option:
   * `tgpTools(kernel, { dryRun: true })`. Default: false.
   */
  dryRun?: boolean;
  /** Test mode of clients: whether a tool needs a test first. Not with `tools`. Default: `mode` of the configuration. */
  mode?: Mode;
};

/** Options of {@link serveMcp}: address, token and limits. */
export type ServeMcpOptions = McpServerOptions & {
  /** Default: a free port. */
  port?: number;
  /** Default: `'127.0.0.1'`. Any address that is not loopback requires a `token`. */
  host?: string;
  /**
   * Bearer token that requests must send: `Authorization: Bearer …`. Default: none. A capability token of the kernel
   * (`kernel.issueToken`) is accepted too, and limits the calls of the request.
   */
  token?: string;
  /** Limits for clients. */
  limits?: McpLimits;
};

/**
 * Limits of an MCP server over HTTP. Requests beyond them are refused or cut off. A message may have at most 50 000 values, over
 * stdio too; a line over stdio may have at most 16 MB.
 */
export type McpLimits = {
  /** Largest body of a request, in bytes. Default: 4 MB. */
  bodyBytes?: number;
  /** Largest total size of the bodies of unanswered requests, in bytes. Default: 32 MB. */
  allBodiesBytes?: number;
  /** Time limit for the headers of a request, in milliseconds. Default: 10 000. */
  headersMs?: number;
  /** Time limit for receiving a request with its body, in milliseconds; the response may take longer. Default: 30 000. */
  requestMs?: number;
  /** Maximum number of open connections. Default: 256. */
  connections?: number;
  /**
   * Maximum number of open sessions, of clients with and without a capability token each. One more closes the least recently used
   * session. Default: 64.
   */
  sessions?: number;
};
