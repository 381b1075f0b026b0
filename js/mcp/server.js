/** The MCP server of a kernel: its tools and forged tools, their sources and their history. */

import { toolsFor } from '../agent_tools/kernel_tools.js';
import { failedForModel, runForModel } from '../agent_tools/tool_call.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { guarded } from '../boundary/guarded.js';
import { toJsonText } from '../boundary/json_text.js';
import { packageVersion } from '../boundary/package_version.js';
import { messageOf } from '../boundary/thrown.js';
import { ON_BEHALF } from '../kernel/agent_access.js';
import { forgedPath } from '../tool_shape/forged_path.js';
import { ownerOf } from '../tool_shape/tool_owner.js';
import { capabilityOf } from './bearer.js';
import { elicitedApproval } from './elicited_approval.js';
import { asMcpError, listResources, readResource, TEMPLATES } from './resources.js';
import { loadSdk } from './sdk.js';
import { checkedOptions } from './server_options.js';
import { factsOf } from './tool_facts.js';

/**
 * @typedef {import('../../index.js').TGP} TGP
 * @typedef {{ requestId: string | number, signal: AbortSignal, authInfo?: { token?: string } }} Extra request data of the SDK
 */

const INSTRUCTION_TOKENS = 2000;
const DRY = 'Every call is a dry run here: it returns what it would do, and changes nothing.\n\n';
const PAGE = 500;
/** Interval of checks for changes by other processes. */
const POLL_MS = 2_000;

/** @type {typeof import('../../mcp.js').createMcpServer} */
export async function createMcpServer(kernel, options = {}) {
  return mcpServer(kernel, options, { catalogue: true });
}

/**
 * @param {TGP} kernel
 * @param {import('../../mcp.js').McpServerOptions} options
 * @param {{ catalogue: boolean }} prompt whether the instructions list the tools; false if a token allows only some of them
 */
export async function mcpServer(kernel, options, { catalogue }) {
  const { tools: ownTools, name = 'tgp', maxChars } = options;
  const { mode, calls } = checkedOptions(options);
  const caller = { agent: 'mcp', id: name, ...(mode !== undefined && { mode }) };
  /** @type {import('../../index.js').ToolSet} */
  const base = ownTools ?? toolsFor(kernel, caller, { mode: calls });
  const access = /** @type {import('../kernel/tgp.js').TGP} */ (kernel)[ON_BEHALF](caller);
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
  const originOf = (/** @type {string} */ key) => (Object.hasOwn(base, key) ? 'given' : 'forged');
  const factsFor = (/** @type {string} */ key) => {
    const owner = ownerOf(Object.hasOwn(base, key) ? { [key]: base[key] } : base);
    return factsOf(key, originOf(key), owner?.isDry ? 'dry' : 'real');
  };
  /** @type {<T>(extra: Extra, work: () => Promise<T>) => Promise<T>} */
  const serving = ({ requestId, authInfo }, work) => {
    const approve = elicitedApproval(server, requestId, kernel.config.agent.approvalMs);
    return access.serving({ token: capabilityOf(authInfo), approve }, work);
  };
  /** @type {(known: import('../../index.js').ToolSet, key: string, input: unknown, extra: Extra) => ReturnType<typeof runForModel>} */
  const run = (known, key, input, { signal, authInfo }) => {
    const work = () => runForModel(known, key, input, { abortSignal: signal, maxChars });
    // Tools of the application are not subject to the policy, except under a capability token.
    const isForeign = originOf(key) === 'given' && ownerOf({ [key]: base[key] }) === undefined;
    if (!isForeign || capabilityOf(authInfo) === undefined) return work();
    const call = { tool: key, effect: 'app', changes: true, args: input };
    return access.own(call, work).catch((error) => failedForModel(error, maxChars));
  };
  const invalid = (/** @type {string} */ text) => new types.McpError(types.ErrorCode.InvalidParams, text);

  /** The tools that a client may see: with a token only those that it allows. @type {(extra: Extra) => Promise<[string, import('../../index.js').AgentTool][]>} */
  const shownTo = async (extra) => {
    const all = Object.entries(tools);
    if (capabilityOf(extra.authInfo) === undefined) return all;
    const requested = all.map(([key, tool]) =>
      originOf(key) === 'given' ? [key, null] : ['exec_tool', forgedPath(tool)],
    );
    const shown = await serving(extra, () => access.shownTools(/** @type {[string, string | null][]} */ (requested)));
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
    const data = outputSchema && isObject(shown) ? { structuredContent: plain(shown) } : {};
    return { content: [{ type: 'text', text }], ...data, isError: failed };
  });
  const throwMcpError = (/** @type {unknown} */ error) => {
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

/**
 * Notifies the client of changes of the tools until it disconnects.
 * @param {TGP} kernel
 * @param {import('@modelcontextprotocol/sdk/server/index.js').Server} server
 */
function notifyChanges(kernel, server) {
  const complain = (/** @type {unknown} */ error) => kernel.logger.warn(`MCP: ${messageOf(error)}`);
  // A client may send "initialized" more than once.
  let isFollowing = false;
  server.oninitialized = guarded(complain, () => {
    if (isFollowing) return;
    isFollowing = true;
    const notify = guarded(complain, async (/** @type {import('../../index.js').ToolsChange} */ { added, removed }) => {
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

/**
 * @param {string} name
 * @param {import('../../index.js').AgentTool} tool
 */
function described(name, { description, inputSchema }) {
  return { name, description, inputSchema: { ...inputSchema } };
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The value as JSON data, as the client receives and validates it.
 * @param {Record<string, unknown>} value
 * @returns {Record<string, unknown>}
 */
function plain(value) {
  return parseForeignJson(toJsonText(value, 'result', { nonFiniteNumbers: 'null' }));
}

/**
 * @template T
 * @param {T[]} all
 * @param {string | undefined} cursor the key of the last item that the client has
 * @param {(item: T) => string} keyOf
 * @param {(text: string) => Error} invalid
 * @returns {{ items: T[], nextCursor?: string }}
 */
function page(all, cursor, keyOf, invalid) {
  const start = cursor === undefined ? 0 : all.findIndex((item) => keyOf(item) === cursor) + 1;
  if (cursor !== undefined && start === 0) throw invalid('The list has changed. Request it again without a cursor.');
  const items = all.slice(start, start + PAGE);
  const last = items.at(-1);
  return start + PAGE < all.length && last !== undefined ? { items, nextCursor: keyOf(last) } : { items };
}
