import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMcpServer, serveMcp } from '../../dist/mcp.js';
import { attenuate, createSqlTools, sqlite, TGP, tgpTools } from '../../index.js';
import { CLI } from '../../tools/run_cli.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @typedef {{ action: 'accept' | 'decline' | 'cancel', content?: Record<string, any> }} Answer */

const YES = /** @type {const} */ ({ action: 'accept', content: { approve: true } });
const WRITE = { path: 'tools/a.ts', content: 'return 1' };

/**
 * @param {import('@modelcontextprotocol/sdk/shared/transport.js').Transport} transport
 * @param {(params: any) => Answer} [answer] of the person at the client; without it the client does not support elicitation
 */
async function connect(transport, answer) {
  const capabilities = answer ? { elicitation: {} } : {};
  const client = new Client({ name: 'desk', version: '1' }, { capabilities });
  /** @type {any[]} */
  const asked = [];
  if (answer) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params);
      return answer(params);
    });
  }
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (/** @type {string} */ name, /** @type {any} */ args) => {
    const { content, isError } = /** @type {any} */ (await client.callTool({ name, arguments: args }));
    return { text: String(content[0].text), isError };
  };
  return { client, asked, call };
}

/**
 * @param {TGP} kernel
 * @param {(params: any) => Answer} [answer]
 * @param {Parameters<typeof createMcpServer>[1]} [options]
 */
async function inMemory(kernel, answer, options) {
  const server = await createMcpServer(kernel, options);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  return connect(here, answer);
}

/**
 * @param {TGP} kernel
 * @param {Parameters<typeof serveMcp>[1]} [options]
 */
async function serve(kernel, options) {
  const { url, close } = await serveMcp(kernel, options);
  onTestFinished(close);
  /** @type {(bearer?: string, answer?: (params: any) => Answer) => ReturnType<typeof connect>} */
  const as = (bearer, answer) => {
    const requestInit = bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } };
    return connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }), answer);
  };
  return as;
}

describe('tgp mcp without a configured policy', () => {
  /** @param {(params: any) => Answer} [answer] */
  const overStdio = async (answer) => {
    const cwd = await tempRoot();
    await writeFile(join(cwd, 'tgp.config.json'), '{}');
    const kernel = new TGP({ configFile: join(cwd, 'tgp.config.json') });
    await kernel.boot();
    await kernel.shutdown();
    return connect(new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp'], cwd }), answer);
  };

  test('allows reading, and asks the person at the client about everything else', async () => {
    const { call, asked } = await overStdio(() => YES);
    expect((await call('list_files', { dir: '.' })).isError).toBe(false);
    expect(asked).toEqual([]);
    expect((await call('write_file', WRITE)).isError).toBe(false);
    expect(asked[0].message).toMatch(
      /^```\nwrite_file tools\/a\.ts .*rule 'default' \(safe\): .* \[sha256 [0-9a-f]{16}\]\n {2}content: "return 1"\n```\nAllow\?$/,
    );
    expect(asked[0].requestedSchema.properties.approve).toMatchObject({ type: 'boolean' });
    expect(JSON.parse((await call('a', {})).text)).toMatchObject({ success: true, result: 1 });
    expect(asked, 'a forged tool by its name asks as well').toHaveLength(2);
  });

  test('says what is wrong with an answer that does not fit the form', async () => {
    for (const content of [{ approve: 'yes' }, {}, { allow: true }]) {
      const { call } = await overStdio(() => ({ action: 'accept', content }));
      const refused = await call('write_file', WRITE);
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain('not approved by mcp client desk');
      expect(refused.text).toMatch(
        /other content than it asks for \(.*approve.*\)\. It must answer \{ "approve": true \}/,
      );
      expect(refused.text).not.toContain('make the same call again');
    }
  });

  test('returns ERR_APPROVAL to a client without elicitation', async () => {
    const { call } = await overStdio();
    const refused = await call('write_file', WRITE);
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/does not support MCP elicitation.*"tgp mcp --yes".*tgp\.policy\.yaml.*ERR_APPROVAL/s);
    expect((await call('read_file', { path: WRITE.path })).text).toContain('ERR_NOT_FOUND');
  });
});

describe('a kernel of an application', () => {
  test('uses its own policy: no approval is requested without one', async () => {
    const { kernel } = await createKernel();
    const { call, asked } = await inMemory(kernel, () => YES);
    expect((await call('write_file', WRITE)).isError).toBe(false);
    expect(asked).toEqual([]);
  });

  test.each(
    /** @type {[string, Answer][]} */ ([
      ['the answer no', { action: 'accept', content: { approve: false } }],
      ['a decline', { action: 'decline' }],
      ['a cancelled form', { action: 'cancel' }],
      ['an invalid form', { action: 'accept', content: { approve: 'yes' } }],
    ]),
  )('%s is a refusal', async (_, answer) => {
    const { kernel, rootDir } = await createKernel({ policy: 'safe' });
    const { call, asked } = await inMemory(kernel, () => answer);
    const refused = await call('write_file', WRITE);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('ERR_APPROVAL') });
    expect(asked).toHaveLength(1);
    expect(await kernel.vfs.exists(WRITE.path), rootDir).toBe(false);
  });

  describe('a long request', () => {
    const words = Array.from({ length: 2_000 }, (_, at) => String(at).padStart(4, '0'));
    const content = `${words.join(' ')} drop everything\u202e\u200b\u001b[2J`;
    const request = { path: 'notes/long.md', content };

    test('is shown whole, page by page, and approved on the last', async () => {
      const { kernel } = await createKernel({ policy: 'safe' });
      const { call, asked } = await inMemory(kernel, ({ requestedSchema }) =>
        requestedSchema.properties.approve ? YES : { action: 'accept', content: { next: true } },
      );
      expect((await call('write_file', request)).isError).toBe(false);
      expect(asked.length).toBeGreaterThan(1);
      for (const { message } of asked) expect(message.length).toBeLessThan(4_100);
      const pages = asked.map(({ message }) => message.replace(/^Page \d+ of \d+\n|```/g, ''));
      const text = pages.join('').replaceAll('\n', '');
      for (const word of words) expect(text).toContain(word);
      expect(text).toContain('drop everything\\u{202e}\\u{200b}\\u{1b}[2J');
      expect(asked.slice(0, -1).some(({ requestedSchema }) => 'approve' in requestedSchema.properties)).toBe(false);
    });

    test('cannot hide text as Markdown: it stays in its code block', async () => {
      const { kernel } = await createKernel({ policy: 'safe' });
      const { call, asked } = await inMemory(kernel, () => ({ action: 'decline' }));
      await call('write_file', { ...request, content: 'a\n````\n<!-- hidden -->\n`````\n[b](https://evil.example)' });
      const [, fence = '', inside = ''] = /^(`{6})\n([\s\S]*)\n\1\nAllow\?$/.exec(asked[0].message) ?? [];
      expect(fence).toBe('``````');
      expect(inside).toContain('<!-- hidden -->');
    });

    test('is not approved before all pages were shown', async () => {
      const { kernel } = await createKernel({ policy: 'safe' });
      const { call } = await inMemory(kernel, ({ requestedSchema }) =>
        requestedSchema.properties.approve ? YES : { action: 'decline' },
      );
      expect((await call('write_file', request)).text).toContain('ERR_APPROVAL');
      const { call: eager, asked } = await inMemory(kernel, () => ({
        action: 'accept',
        content: { approve: true, next: false },
      }));
      expect((await eager('write_file', request)).text).toContain('ERR_APPROVAL');
      expect(asked).toHaveLength(1);
      expect(await kernel.vfs.exists(request.path)).toBe(false);
    });

    test('that is too long for forms is refused, without a question', async () => {
      const { kernel } = await createKernel({ policy: 'safe' });
      const { call, asked } = await inMemory(kernel, () => YES);
      // The arguments of the second are too long to be parsed.
      for (const length of [100_000, (1 << 20) - 1]) {
        const refused = await call('write_file', { ...request, content: 'x'.repeat(length) });
        expect(refused.text).toMatch(/too long to be shown in full.*ERR_APPROVAL/s);
      }
      expect(asked).toEqual([]);
      expect(await kernel.vfs.exists(request.path)).toBe(false);
    });

    test('of SQL is shown completely', async () => {
      const { kernel } = await createKernel({ policy: 'safe' }, { sql: { source: sqlite(':memory:'), ddl: true } });
      await kernel.boot();
      const tools = { ...tgpTools(kernel), ...createSqlTools(kernel, { ddl: true }) };
      const { call, asked } = await inMemory(kernel, () => ({ action: 'decline' }), { tools });
      const sql = `CREATE TABLE t (${Array.from({ length: 60 }, (_, at) => `column_${at} TEXT`).join(', ')}, last_one TEXT)`;
      await call('exec_sql', { sql });
      expect(asked[0].message).toContain('last_one TEXT)');
    });
  });

  test('the ledger records the approver of a call', async () => {
    const { kernel } = await createKernel({ policy: 'safe' });
    const { call } = await inMemory(kernel, () => YES);
    await call('write_file', WRITE);
    const events = await kernel.ledger.tail({ limit: 100, type: 'APPROVAL' });
    expect(events.map(({ state, by, actor }) => [state, by, actor.agent])).toEqual([
      ['asked', undefined, 'mcp'],
      ['granted', 'mcp client desk', 'mcp'],
    ]);
  });

  test('the approver of the application is asked instead of the client', async () => {
    const { kernel } = await createKernel({ policy: 'safe' }, { approve: () => ({ approved: false, by: 'ann' }) });
    const { call, asked } = await inMemory(kernel, () => YES);
    expect((await call('write_file', WRITE)).text).toContain('not approved by ann');
    expect(asked).toEqual([]);
  });

  test('resources are read by the same rules', async () => {
    const rules = [{ id: 'closed', deny: ['read'], paths: ['tools/secret/**'] }];
    const { kernel, tools } = await createKernel({ policy: { default: 'allow', rules } });
    await tools.write_file.execute({ path: 'tools/secret/a.ts', content: 'return 1' });
    await tools.write_file.execute({ path: 'tools/open.ts', content: 'return 1' });
    const { client } = await inMemory(kernel);
    expect((await client.readResource({ uri: 'tgp://tools/open.ts' })).contents).toHaveLength(1);
    await expect(client.readResource({ uri: 'tgp://tools/secret/a.ts' })).rejects.toThrow('ERR_DENIED');
    await expect(client.readResource({ uri: 'tgp://history/tools/secret/a.ts' })).rejects.toThrow('ERR_DENIED');
  });
});

describe('a capability token as bearer over HTTP', () => {
  test('holds for all calls of its requests, and for no others', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/reports/a.ts', content: 'return 1' });
    await tools.write_file.execute({ path: 'tools/b.ts', content: 'return 2' });
    const { token } = await kernel.issueToken({ allow: ['read', 'run'], paths: ['tools/reports/**'] });
    const as = await serve(kernel);
    const { call, client } = await as(token);
    expect((await call('read_file', { path: 'tools/reports/a.ts' })).isError).toBe(false);
    expect(JSON.parse((await call('reports_a', {})).text)).toMatchObject({ result: 1 });
    for (const [name, args] of /** @type {[string, any][]} */ ([
      ['read_file', { path: 'tools/b.ts' }],
      ['write_file', { path: 'tools/reports/a.ts', content: 'return 3' }],
      ['exec_tool', { path: 'tools/b.ts', args: {} }],
      ['b', {}],
    ])) {
      expect(await call(name, args), name).toMatchObject({
        isError: true,
        text: expect.stringContaining('ERR_DENIED'),
      });
    }
    await expect(client.readResource({ uri: 'tgp://tools/b.ts' })).rejects.toThrow('ERR_DENIED');
    const other = await as();
    expect((await other.call('b', {})).isError).toBe(false);
    const less = await as(attenuate(token, { allow: ['read'] }));
    expect((await less.call('reports_a', {})).text).toContain('ERR_DENIED');
  });

  test('is accepted by a server with its own token, unless it is changed, revoked or of another kernel', async () => {
    const { kernel } = await createKernel();
    const { kernel: stranger } = await createKernel();
    const { token, id } = await kernel.issueToken({ allow: ['read'] });
    const { token: foreign } = await stranger.issueToken({ allow: ['read'] });
    const as = await serve(kernel, { token: 'secret' });
    expect((await (await as('secret')).call('write_file', WRITE)).isError).toBe(false);
    const { call } = await as(token);
    expect((await call('read_file', { path: WRITE.path })).isError).toBe(false);
    for (const bad of [foreign, `${token}x`, 'tgp_', 'tgp_AAAA', 'wrong']) await expect(as(bad), bad).rejects.toThrow();
    await kernel.revokeToken(id);
    await expect(call('read_file', { path: WRITE.path })).rejects.toThrow();
  });

  test('also restricts tools that an application adds, which otherwise pass no door', async () => {
    const { kernel } = await createKernel();
    const mine = {
      description: 'Mine.',
      parameters: { type: 'object', properties: {} },
      inputSchema: { type: 'object', properties: {} },
      execute: async () => 'done',
    };
    const as = await serve(kernel, { tools: { ...tgpTools(kernel), mine } });
    const reader = await as((await kernel.issueToken({ allow: ['read'] })).token);
    expect((await reader.call('mine', {})).text).toContain('ERR_DENIED');
    expect((await reader.call('write_file', WRITE)).text).toContain('ERR_DENIED');
    const caller = await as((await kernel.issueToken({ allow: ['app'] })).token);
    expect(await caller.call('mine', {})).toEqual({ text: 'done', isError: false });
    expect(await (await as()).call('mine', {})).toEqual({ text: 'done', isError: false });
  });

  test('lists only the tools that it permits', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/reports/a.ts', content: 'return 1' });
    await tools.write_file.execute({ path: 'tools/payments/pay.ts', content: '/** Pays. */ return 2' });
    const mine = {
      description: 'Mine.',
      parameters: { type: 'object', properties: {} },
      inputSchema: { type: 'object', properties: {} },
      execute: async () => 'done',
    };
    const as = await serve(kernel, { tools: { ...tgpTools(kernel), mine } });
    const listed = async (/** @type {string} */ bearer) =>
      (await (await as(bearer)).client.listTools()).tools.map(({ name }) => name);
    const owner = (await (await as()).client.listTools()).tools.map(({ name }) => name);
    expect(owner).toEqual(expect.arrayContaining(['write_file', 'mine', 'reports_a', 'payments_pay']));
    const { token } = await kernel.issueToken({ allow: ['read', 'run'], paths: ['tools/reports/**'] });
    const seen = await listed(token);
    expect(seen).toEqual(expect.arrayContaining(['read_file', 'exec_tool', 'reports_a']));
    for (const hidden of ['write_file', 'mine', 'payments_pay', 'search_files']) expect(seen).not.toContain(hidden);
    const less = await listed(attenuate(token, { allow: ['read'] }));
    expect(less).toContain('read_file');
    for (const hidden of ['exec_tool', 'reports_a', 'run_code']) expect(less).not.toContain(hidden);
    expect(await listed((await kernel.issueToken({ allow: ['app'] })).token)).toEqual(['mine']);
    // Neither the instructions nor an error name the others.
    const { client, call } = await as(token);
    expect(client.getInstructions()).toContain('find_tool');
    expect(client.getInstructions()).not.toMatch(/payments.pay|reports.a\b/);
    const unknown = await call('x', {});
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('reports_a') });
    expect(unknown.text).not.toMatch(/payments_pay|\bmine\b/);
    expect((await as()).client.getInstructions()).toContain('tools/payments/pay.ts');
    const byArguments = { allow: ['exec_tool'], args: { '/args/n': 1 } };
    expect(await listed((await kernel.issueToken(byArguments)).token)).toContain('reports_a');
  });

  test('evicts no session of the owner, nor of a token with fewer sessions', async () => {
    const { kernel } = await createKernel();
    const as = await serve(kernel, { token: 'secret', limits: { sessions: 6 } });
    const owner = await Promise.all([as('secret'), as('secret')]);
    const { token: quiet } = await kernel.issueToken({ allow: ['read'] });
    const other = await as(quiet);
    const { token } = await kernel.issueToken({ allow: ['read'] });
    for (let n = 0; n < 20; n++) await as(attenuate(token, { calls: n + 1 }));
    for (const { call } of [...owner, other]) expect((await call('list_files', { dir: '.' })).isError).toBe(false);
    // The owner can open sessions, however many the tokens hold.
    for (let n = 0; n < 4; n++) await as('secret');
    for (const { call } of owner) expect((await call('list_files', { dir: '.' })).isError).toBe(false);
    // An owner at its limit does not block tokens.
    const late = await as(token);
    expect((await late.call('list_files', { dir: '.' })).isError).toBe(false);
  });

  test('cannot use the session of another client', async () => {
    const { kernel } = await createKernel();
    const { url, close } = await serveMcp(kernel, { token: 'secret' });
    onTestFinished(close);
    const { token } = await kernel.issueToken({ allow: ['read'] });
    const post = async (/** @type {string} */ bearer, /** @type {any} */ body, /** @type {string | undefined} */ id) =>
      fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(id !== undefined && { 'mcp-session-id': id }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      });
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const begun = await post('secret', { id: 1, method: 'initialize', params }, undefined);
    const id = begun.headers.get('mcp-session-id') ?? '';
    expect(id).not.toBe('');
    await begun.text();
    expect((await post(token, { id: 2, method: 'tools/list' }, id)).status).toBe(404);
    expect((await post('secret', { id: 2, method: 'tools/list' }, id)).status).toBe(200);
  });

  test('the person at the client is asked over HTTP too', async () => {
    const { kernel } = await createKernel({ policy: 'safe' });
    const { call, asked } = await (await serve(kernel))(undefined, () => YES);
    expect((await call('write_file', WRITE)).isError).toBe(false);
    expect(asked).toHaveLength(1);
  });
});
