import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createMcpServer, serveMcp } from '../../dist/mcp.js';
import { TGP, tgpTools } from '../../index.js';
import { CLI } from '../../tools/run_cli.mjs';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/**
 * @typedef {object} Connected
 * @property {Client} client
 * @property {string[]} notified the change notifications that the client received
 * @property {Error[]} errors of the client: messages that it could not handle
 */

/**
 * @param {import('@modelcontextprotocol/sdk/shared/transport.js').Transport} transport
 * @returns {Promise<Connected>}
 */
async function connect(transport) {
  const client = new Client({ name: 'test', version: '1' });
  /** @type {string[]} */
  const notified = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void notified.push('tools'));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void notified.push('resources'));
  /** @type {Error[]} */
  const errors = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, notified, errors };
}

/** A workspace in a folder of its own, as `tgp init` leaves it. */
async function workspace() {
  const folder = await tempRoot();
  await writeFile(
    join(folder, 'tgp.config.mjs'),
    "console.log('loaded'); export default { sandbox: { timeoutMs: 20_000 } };\n",
  );
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.mjs') });
  await kernel.boot();
  await kernel.shutdown();
  return folder;
}

/** @param {string} folder */
async function overStdio(folder) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--yes'],
    cwd: folder,
    stderr: 'pipe',
  });
  return connect(transport);
}

/** @param {string} folder */
async function overHttp(folder) {
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.mjs') });
  const { url, close } = await serveMcp(kernel);
  onTestFinished(async () => {
    await close();
    await kernel.shutdown();
  });
  return connect(new StreamableHTTPClientTransport(new URL(url)));
}

const call = async (
  /** @type {Client} */ client,
  /** @type {string} */ name,
  /** @type {any} */ args,
  options = {},
) => {
  const { content, isError } = /** @type {any} */ (
    await client.callTool({ name, arguments: args }, undefined, options)
  );
  return { text: content[0].text, isError };
};

const TWICE = '/** Doubles. */\nexport default (args: { n: number }): number => args.n * 2;\n';

describe.each([
  ['stdio', overStdio],
  ['streamable HTTP', overHttp],
])('the official client over %s', (_, open) => {
  test('forges a tool, is notified, and calls it by its name', async () => {
    const { client, notified } = await open(await workspace());
    expect(client.getInstructions()).toContain('# Protocol');
    const before = (await client.listTools()).tools;
    expect(before.map(({ name }) => name)).toEqual(Object.keys(tgpTools(new TGP())));
    expect(before.find(({ name }) => name === 'read_file')).toMatchObject({
      inputSchema: { type: 'object', required: ['path'] },
      annotations: { readOnlyHint: true },
    });

    const path = 'tools/math/twice.ts';
    const written = await call(client, 'write_file', { path, content: TWICE });
    expect(JSON.parse(written.text)).toMatchObject({ success: true, persisted: true });
    await expect.poll(() => notified).toEqual(['tools', 'resources']);
    const forged = (await client.listTools()).tools.at(-1);
    expect(forged).toMatchObject({
      name: 'math_twice',
      description: 'Doubles. [tools/math/twice.ts]',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    });
    const ran = await call(client, 'math_twice', { n: 21 });
    expect(ran.isError).toBe(false);
    expect(JSON.parse(ran.text)).toMatchObject({ success: true, result: 42 });

    await call(client, 'patch_file', { path, search: 'n: number', replace: 'n: number; by?: number' });
    await expect.poll(() => notified).toEqual(['tools', 'resources', 'tools']);
  });

  test('reads sources and history', async () => {
    const { client } = await open(await workspace());
    await call(client, 'write_file', { path: 'tools/a b/tw#ice.ts', content: TWICE });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['tgp://history', 'tgp://tools/a%20b/tw%23ice.ts']);
    const source = await client.readResource({ uri: String(resources[1]?.uri) });
    expect(source.contents).toEqual([{ uri: resources[1]?.uri, mimeType: 'text/typescript', text: TWICE }]);
    const history = await client.readResource({ uri: 'tgp://history/tools/a%20b/tw%23ice.ts' });
    expect(JSON.parse(/** @type {any} */ (history.contents[0]).text)).toMatchObject([
      { message: 'Forge: tools/a b/tw#ice.ts', commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'tgp://tools/{+path}',
      'tgp://history/{+path}',
    ]);
    for (const [uri, reason] of [
      ['tgp://tools/none.ts', 'ERR_NOT_FOUND'],
      ['tgp://history/none.ts', 'ERR_NOT_FOUND'],
      ['tgp://tools/%2e%2e/%2e%2e/etc/passwd', 'ERR_SECURITY_VIOLATION'],
      ['tgp://tools/../.git/config', 'ERR_SECURITY_VIOLATION'],
      ['tgp://tools/%', 'ERR_VALIDATION'],
      ['file:///etc/passwd', 'ERR_VALIDATION'],
    ]) {
      await expect(client.readResource({ uri: String(uri) }), uri).rejects.toThrow(reason);
    }
  });

  test('gets failures as results with a code and advice', async () => {
    const { client } = await open(await workspace());
    await call(client, 'write_file', { path: 'tools/throws.ts', content: "throw new Error('no')" });
    const threw = await call(client, 'throws', {});
    expect(threw.isError).toBe(true);
    expect(threw.text).toMatch(/^\{"help":"The tool threw\./);
    expect(JSON.parse(threw.text)).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN', line: 1 });
    for (const [name, args, reason] of /** @type {[string, any, string][]} */ ([
      ['read_file', {}, '"path" is missing: give a text. [ERR_VALIDATION]'],
      ['read_file', { path: 'tools/none.ts' }, '[ERR_NOT_FOUND]'],
      ['rm_rf', {}, 'There is no tool "rm_rf"'],
    ])) {
      const failed = await call(client, name, args);
      expect(failed.isError).toBe(true);
      expect(failed.text).toContain(reason);
    }
  });

  test('cancels a run, and the next one works', async () => {
    const { client } = await open(await workspace());
    await call(client, 'write_file', { path: 'tools/loop.ts', content: 'while (true) {}' });
    await call(client, 'write_file', { path: 'tools/one.ts', content: 'return 1' });
    const controller = new AbortController();
    const looping = call(client, 'loop', {}, { signal: controller.signal });
    setTimeout(() => controller.abort('enough'), 200);
    await expect(looping).rejects.toThrow('enough');
    expect((await call(client, 'one', {})).text).toContain('"result":1');
  });
});

test('a client is notified of tools that another process forges', async () => {
  const folder = await workspace();
  const { client, notified } = await overStdio(folder);
  const other = new TGP({ configFile: join(folder, 'tgp.config.mjs') });
  onTestFinished(() => other.shutdown());
  await tgpTools(other).write_file.execute({ path: 'tools/other.ts', content: 'return 1' });
  await expect.poll(() => notified, { timeout: 10_000 }).toContain('tools');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('other');
});

test('over stdio only the protocol is on standard output, and the server ends with its client', async () => {
  const folder = await workspace();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--yes'],
    cwd: folder,
    stderr: 'pipe',
  });
  const { client, errors } = await connect(transport);
  await call(client, 'write_file', { path: 'tools/says.ts', content: "console.log('hello'); return 1" });
  expect((await call(client, 'says', {})).isError).toBe(false);
  const pid = Number(transport.pid);
  await client.close();
  expect(errors).toEqual([]);
  const isThere = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isThere, { message: 'the server is gone' }).toBe(false);
});

describe('over HTTP', () => {
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  };
  /** @type {string} */
  let folder;
  /** @type {TGP} */
  let kernel;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tgp-test-'));
    kernel = new TGP({ config: { rootDir: folder } });
  });
  afterAll(async () => {
    await kernel.shutdown();
    await rm(folder, { recursive: true, force: true });
  });

  /** @param {Parameters<typeof serveMcp>[1]} [options] */
  const serve = async (options) => {
    const { url, close } = await serveMcp(kernel, options);
    onTestFinished(close);
    return url;
  };

  /**
   * Node's fetch does not allow a custom Host.
   * @param {string} url
   * @param {Record<string, string>} headers
   * @param {object} [body]
   */
  const post = async (url, headers, body = INITIALIZE) => {
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      const accept = 'application/json, text/event-stream';
      const sent = request(
        url,
        { method: 'POST', headers: { accept, 'content-type': 'application/json', ...headers } },
        (response) => {
          response.destroy();
          resolve(response.statusCode);
        },
      );
      sent.on('error', reject).end(JSON.stringify(body));
    });
  };

  test.each([
    ['a foreign host', { host: 'evil.example' }, 403],
    ['a host that begins with 127.0.0.1', { host: '127.0.0.1.evil.example:80' }, 403],
    ['a foreign origin', { origin: 'https://evil.example' }, 403],
    ['the origin "null"', { origin: 'null' }, 403],
    ['a page of this machine', { origin: 'http://localhost:3000' }, 200],
    ['no origin, as clients send it', {}, 200],
    ['a session that does not exist', { 'mcp-session-id': 'x' }, 404],
  ])('%s gets the expected status', async (_, headers, status) => {
    expect(await post(await serve(), /** @type {any} */ (headers))).toBe(status);
  });

  test('a request before "initialize", another path and another method are refused', async () => {
    const url = await serve();
    expect(await post(url, {}, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).toBe(400);
    expect((await fetch(url.replace('/mcp', '/'))).status).toBe(404);
    expect((await fetch(url)).status).toBe(400);
  });

  test('with a token requests without it are refused', async () => {
    const url = await serve({ token: 'secret' });
    expect(await post(url, {})).toBe(401);
    expect(await post(url, { authorization: 'Bearer secreT' })).toBe(401);
    expect(await post(url, { authorization: 'Bearer secret' })).toBe(200);
    const requestInit = { headers: { authorization: 'Bearer secret' } };
    const { client } = await connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  });

  test('other machines are not served without a token, and a port in use is reported', async () => {
    await expect(serveMcp(kernel, { host: '0.0.0.0' })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    await expect(serveMcp(kernel, { token: '' })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
    await expect(serveMcp(kernel, { port })).rejects.toMatchObject({ code: 'ERR_IO' });
  });

  test('every client has its own session, and beyond the limit the least recently used one is evicted', async () => {
    const url = await serve();
    const first = await connect(new StreamableHTTPClientTransport(new URL(url)));
    for (let n = 0; n < 64; n++) expect(await post(url, {})).toBe(200);
    await expect(first.client.listTools()).rejects.toThrow('session does not exist');
  });
});

test('long lists are paginated', async () => {
  const rootDir = await tempRoot();
  await mkdir(join(rootDir, 'tools'));
  await Promise.all(Array.from({ length: 600 }, (_, n) => writeFile(join(rootDir, `tools/t${n}.ts`), 'return 1')));
  const { kernel } = await createKernel({ rootDir, agent: { liveTools: 1_000, liveToolChars: 1_000_000 } });
  const server = await createMcpServer(kernel);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  const { client } = await connect(here);
  const names = [];
  for (let cursor; ; ) {
    const { tools, nextCursor } = await client.listTools({ cursor });
    names.push(...tools.map(({ name }) => name));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  expect(new Set(names).size).toBe(616);
  await expect(client.listTools({ cursor: 'gone' })).rejects.toThrow('Request it again');
});

test('a closed server holds no resources of the kernel', async () => {
  const { kernel, tools } = await createKernel();
  const server = await createMcpServer(kernel, { name: 'mine', tools: { read_file: tools.read_file } });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  const { client } = await connect(here);
  expect(client.getServerVersion()).toMatchObject({ name: 'mine' });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read_file']);
  await client.close();
  await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
  expect(await kernel.exec('tools/a.ts')).toMatchObject({ result: 1 });
  await kernel.shutdown();
  expect(workers()).toEqual([]);
});
