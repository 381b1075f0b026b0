/** An MCP server over a kernel: its tools and the forged ones, their sources and their history. */

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
import { servedAs } from './served_as.js';
import { factsOf } from './tool_facts.js';

/**
 * @typedef {import('../../index.js').TGP} TGP
 * @typedef {{ requestId: string | number, signal: AbortSignal, authInfo?: { token?: string } }} Extra what the SDK tells of a request
 */

const INSTRUCTION_TOKENS = 2000;
const DRY = 'Every call is a dry run here: it tells what it would do, and changes nothing.\n\n';
const PAGE = 500;
/** How often changes by other processes are looked for. */
const LOOK_MS = 2_000;

/** @type {typeof import('../../mcp.js').createMcpServer} */
export async function createMcpServer(kernel, options = {}) {
  return mcpServer(kernel, options, { catalogue: true });
}

/**
 * @param {TGP} kernel
 * @param {import('../../mcp.js').McpServerOptions} options
 * @param {{ catalogue: boolean }} prompt whether the instructions name the tools that exist: not where a token allows only some
 */
export async function mcpServer(kernel, options, { catalogue }) {
  const { tools: given, name = 'tgp', maxChars } = options;
  const { mode, calls } = servedAs(options);
  const who = { agent: 'mcp', id: name, ...(mode !== undefined && { mode }) };
  /** @type {import('../../index.js').ToolSet} */
  const base = given ?? toolsFor(kernel, who, { mode: calls });
  const access = /** @type {import('../kernel/tgp.js').TGP} */ (kernel)[ON_BEHALF](who);
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
    // What the application gives beside the kernel's own tools passes no door: under a token it does.
    const isForeign = originOf(key) === 'given' && ownerOf({ [key]: base[key] }) === undefined;
    if (!isForeign || capabilityOf(authInfo) === undefined) return work();
    const asked = { tool: key, effect: 'app', changes: true, args: input };
    return access.own(asked, work).catch((error) => failedForModel(error, maxChars));
  };
  const invalid = (/** @type {string} */ text) => new types.McpError(types.ErrorCode.InvalidParams, text);

  /** The holder of a token sees what it can be used for. @type {(extra: Extra) => Promise<[string, import('../../index.js').AgentTool][]>} */
  const shownTo = async (extra) => {
    const all = Object.entries(tools);
    if (capabilityOf(extra.authInfo) === undefined) return all;
    const asked = all.map(([key, tool]) => (originOf(key) === 'given' ? [key, null] : ['exec_tool', forgedPath(tool)]));
    const shown = await serving(extra, () => access.shownTools(/** @type {[string, string | null][]} */ (asked)));
    return all.filter((_, at) => shown[at] === true);
  };

  server.setRequestHandler(types.ListToolsRequestSchema, async ({ params }, extra) => {
    await kernel.refreshTools();
    const { items, nextCursor } = page(await shownTo(extra), params?.cursor, ([key]) => key, invalid);
    return { tools: items.map(([key, tool]) => ({ ...described(key, tool), ...factsFor(key) })), nextCursor };
  });
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    // The error for an unknown name lists the others.
    const known = Object.hasOwn(tools, params.name) ? tools : Object.fromEntries(await shownTo(extra));
    const { text, failed, shown } = await serving(extra, () => run(known, params.name, params.arguments ?? {}, extra));
    const { outputSchema } = factsFor(params.name);
    // Clients refuse a result that has a schema and no data, and data without a schema tells them nothing.
    const data = outputSchema && isObject(shown) ? { structuredContent: plain(shown) } : {};
    return { content: [{ type: 'text', text }], ...data, isError: failed };
  });
  const inWordsOfMcp = (/** @type {unknown} */ error) => {
    throw asMcpError(error, types);
  };
  server.setRequestHandler(types.ListResourcesRequestSchema, async ({ params }, extra) => {
    const all = await serving(extra, () => listResources(kernel, access)).catch(inWordsOfMcp);
    const { items, nextCursor } = page(all, params?.cursor, ({ uri }) => uri, invalid);
    return { resources: items, nextCursor };
  });
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, async () => ({ resourceTemplates: TEMPLATES }));
  server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params }, extra) => ({
    contents: [await serving(extra, () => readResource(access, params.uri)).catch(inWordsOfMcp)],
  }));
  follow(kernel, server);
  return server;
}

/**
 * Tells the client of every change of the tools, as long as there is a client.
 * @param {TGP} kernel
 * @param {import('@modelcontextprotocol/sdk/server/index.js').Server} server
 */
function follow(kernel, server) {
  const complain = (/** @type {unknown} */ error) => kernel.logger.warn(`MCP: ${messageOf(error)}`);
  // A client may say as often as it likes that it is ready.
  let isFollowing = false;
  server.oninitialized = guarded(complain, () => {
    if (isFollowing) return;
    isFollowing = true;
    const tell = guarded(complain, async (/** @type {import('../../index.js').ToolsChange} */ { added, removed }) => {
      await server.sendToolListChanged();
      if (added.length + removed.length > 0) await server.sendResourceListChanged();
    });
    const stop = kernel.onToolsChanged(tell);
    const look = guarded(complain, () => kernel.refreshTools());
    const timer = setInterval(look, LOOK_MS).unref();
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
 * As it arrives at the client, which checks it against the schema.
 * @param {Record<string, unknown>} value
 * @returns {Record<string, unknown>}
 */
function plain(value) {
  return parseForeignJson(toJsonText(value, 'result', { unheldNumbers: 'null' }));
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
  if (cursor !== undefined && start === 0) throw invalid('The list has changed. Ask for it again without a cursor.');
  const items = all.slice(start, start + PAGE);
  const last = items.at(-1);
  return start + PAGE < all.length && last !== undefined ? { items, nextCursor: keyOf(last) } : { items };
}
