/** The MCP server of a kernel: its tools and forged tools, their sources and their history. */

import { toolsFor } from '../agent_tools/tgp_tools.js';
import { failedForModel, runForModel } from '../agent_tools/tool_call.js';
import type { Caller } from '../boundary/caller.js';
import { ConfigError } from '../boundary/errors.js';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';
import { guarded } from '../boundary/guarded.js';
import { toJsonText } from '../boundary/json_text.js';
import { packageVersion } from '../boundary/package_version.js';
import { messageOf } from '../boundary/thrown.js';
import { ON_BEHALF } from '../kernel/access_symbols.js';
import type { TGP } from '../kernel/tgp.js';
import { forgedPath } from '../tool_shape/forged_path.js';
import { ownerOf } from '../tool_shape/tool_owner.js';
import type { McpServerOptions } from '../types/mcp.js';
import type { AgentTool, ToolSet, ToolsChange } from '../types/tools.js';
import { capabilityOf } from './bearer.js';
import { elicitedApproval } from './elicited_approval.js';
import { asMcpError, listResources, readResource, TEMPLATES } from './resources.js';
import { loadSdk } from './sdk.js';
import { checkedOptions } from './server_options.js';
import { factsOf } from './tool_facts.js';

/** The type of the SDK's ESM half, because the declarations are also read as CommonJS. */
type Server = import('@modelcontextprotocol/sdk/server/index.js', { with: { 'resolution-mode': 'import' }}).Server;
/** Request data of the SDK. */
type Extra = { requestId: string | number; signal: AbortSignal; authInfo?: { token?: string } };

const INSTRUCTION_TOKENS = 2000;
const DRY = 'Every call is a dry run here: it returns what it would do, and changes nothing.\n\n';
const PAGE = 500;
/** Interval of checks for changes by other processes. */
const POLL_MS = 2_000;

/**
 * Creates a Model Context Protocol server for a kernel, to be connected to a transport. It serves the kernel tools and the forged
 * tools by name, `tgp://tools/…` for their sources and `tgp://history/…` for their history. Clients are notified when tools are
 * forged, changed or removed, also by other processes. A failure is a result with `isError`, an error code and advice.
 *
 * Calls of the kernel's tools and of forged ones, and resources, are subject to the policy of the kernel. A call that needs
 * approval is sent to `approve` of the kernel, or else to the user of the client, if the client supports elicitation. Otherwise it
 * fails with `ERR_APPROVAL`, and the message says how to allow it.
 *
 * Requires the package `@modelcontextprotocol/sdk`. Do not replace `oninitialized` and `onclose` of the server: they track the
 * tools. Closing the server does not shut down the kernel.
 *
 * @example
 * const server = await createMcpServer(kernel);
 * await server.connect(new StdioServerTransport());
 */
export async function createMcpServer(kernel: TGP, options: McpServerOptions = {}): Promise<Server> {
  return mcpServer(kernel, options, { catalogue: true });
}

/** @param prompt whether the instructions list the tools; false if a token allows only some of them @internal */
export async function mcpServer(kernel: TGP, options: McpServerOptions, { catalogue }: { catalogue: boolean }) {
  const { tools: ownTools, programs, name = 'tgp', maxChars } = options;
  if (programs !== undefined && ownerOf(programs)?.kernel !== kernel) {
    throw new ConfigError(
      'createMcpServer options: the tools in "programs" are not controlled by the policy of this kernel. Create them with createShellTools({ kernel, … }).',
      { details: { field: 'programs' } },
    );
  }
  const { mode, calls } = checkedOptions(options);
  const caller: Caller = { agent: 'mcp', id: name, ...(mode !== undefined && { mode }) };
  const base: ToolSet = { ...(ownTools ?? toolsFor(kernel, caller, { mode: calls })), ...programs };
  const access = kernel[ON_BEHALF](caller);
  const { Server, types } = await loadSdk();
  await kernel.boot();
  const tools = await kernel.liveTools(base);
  const server = new Server(
    { name, version: packageVersion() },
    {
      capabilities: { tools: { listChanged: true }, resources: { listChanged: true } },
      instructions: `${calls === 'dry' ? DRY : ''}${access.systemPrompt({ maxTokens: INSTRUCTION_TOKENS, mode, catalogue })}`,
    },
  );
  const originOf = (key: string) => (Object.hasOwn(base, key) ? 'given' : 'forged');
  const factsFor = (key: string) => {
    const owner = ownerOf(Object.hasOwn(base, key) ? { [key]: base[key] } : base);
    return factsOf(key, originOf(key), owner?.isDry ? 'dry' : 'real');
  };
  const serving = <T>({ requestId, authInfo }: Extra, work: () => Promise<T>): Promise<T> => {
    const approve = elicitedApproval(server, requestId, kernel.config.agent.approvalMs);
    return access.serving({ token: capabilityOf(authInfo), approve }, work);
  };
  const run = (known: ToolSet, key: string, input: unknown, { signal, authInfo }: Extra) => {
    const work = () => runForModel(known, key, input, { abortSignal: signal, maxChars });
    // Tools of the application are not subject to the policy, except under a capability token.
    const isForeign = originOf(key) === 'given' && ownerOf({ [key]: base[key] }) === undefined;
    if (!isForeign || capabilityOf(authInfo) === undefined) return work();
    const call = { tool: key, effect: 'app', changes: true, args: input };
    return access.own(call, work).catch((error) => failedForModel(error, maxChars));
  };
  const invalid = (text: string) => new types.McpError(types.ErrorCode.InvalidParams, text);

  /** The tools that a client may see: with a token only those that it allows. */
  const shownTo = async (extra: Extra): Promise<[string, AgentTool][]> => {
    const all = Object.entries(tools);
    if (capabilityOf(extra.authInfo) === undefined) return all;
    const requested = all.map(([key, tool]): [string, string | null] =>
      originOf(key) === 'given' ? [key, null] : ['exec_tool', forgedPath(tool)],
    );
    const shown = await serving(extra, () => access.shownTools(requested));
    return all.filter((_, at) => shown[at] === true);
  };

  server.setRequestHandler(types.ListToolsRequestSchema, async ({ params }, extra) => {
    await kernel.refreshTools();
    const { items, nextCursor } = page(await shownTo(extra), params?.cursor, ([key]) => key, invalid);
    return { tools: items.map(([key, tool]) => ({ ...described(key, tool), ...factsFor(key) })), nextCursor };
  });
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    // The error for an unknown tool lists the visible tools.
    const known = Object.hasOwn(tools, params.name) ? tools : Object.fromEntries(await shownTo(extra));
    const { text, failed, shown } = await serving(extra, () => run(known, params.name, params.arguments ?? {}, extra));
    const { outputSchema } = factsFor(params.name);
    // Clients require structured content exactly for tools with an output schema.
    const structuredContent = outputSchema && isRecord(shown) ? plain(shown) : undefined;
    const data = isRecord(structuredContent) ? { structuredContent } : {};
    return { content: [{ type: 'text', text }], ...data, isError: failed };
  });
  const throwMcpError = (error: unknown) => {
    throw asMcpError(error, types);
  };
  server.setRequestHandler(types.ListResourcesRequestSchema, async ({ params }, extra) => {
    const all = await serving(extra, () => listResources(kernel, access)).catch(throwMcpError);
    const { items, nextCursor } = page(all, params?.cursor, ({ uri }) => uri, invalid);
    return { resources: items, nextCursor };
  });
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, async () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params }, extra) => ({
    contents: [await serving(extra, () => readResource(access, params.uri)).catch(throwMcpError)],
  }));
  notifyChanges(kernel, server);
  return server;
}

/** Notifies the client of changes of the tools until it disconnects. */
function notifyChanges(kernel: TGP, server: Server) {
  const complain = (error: unknown) => kernel.logger.warn(`MCP: ${messageOf(error)}`);
  // A client may send "initialized" more than once.
  let isFollowing = false;
  server.oninitialized = guarded(complain, () => {
    if (isFollowing) return;
    isFollowing = true;
    const notify = guarded(complain, async ({ added, removed }: ToolsChange) => {
      await server.sendToolListChanged();
      if (added.length + removed.length > 0) await server.sendResourceListChanged();
    });
    const stop = kernel.onToolsChanged(notify);
    const poll = guarded(complain, () => kernel.refreshTools());
    const timer = setInterval(poll, POLL_MS).unref();
    server.onclose = guarded(complain, () => {
      clearInterval(timer);
      stop();
    });
  });
}

function described(name: string, { description, inputSchema }: AgentTool) {
  return { name, description, inputSchema: { ...inputSchema } };
}

/** The value as JSON data, as the client receives and validates it. */
function plain(value: object) {
  return parseForeignJson(toJsonText(value, 'result', { nonFiniteNumbers: 'null' }));
}

/** @param cursor the key of the last item that the client has */
function page<T>(
  all: T[],
  cursor: string | undefined,
  keyOf: (item: T) => string,
  invalid: (text: string) => Error,
): { items: T[]; nextCursor?: string } {
  const start = cursor === undefined ? 0 : all.findIndex((item) => keyOf(item) === cursor) + 1;
  if (cursor !== undefined && start === 0) throw invalid('The list has changed. Request it again without a cursor.');
  const items = all.slice(start, start + PAGE);
  const last = items.at(-1);
  return start + PAGE < all.length && last !== undefined ? { items, nextCursor: keyOf(last) } : { items };
}
