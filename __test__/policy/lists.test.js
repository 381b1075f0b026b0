/** No list shows tools that the caller may neither read nor run. */

import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createMcpServer } from '../../dist/mcp.js';
import { tgpTools } from '../../index.js';
import { agentModel } from '../helpers/agent_model.js';
import { caller, policyKernel } from '../helpers/policy_kernel.js';

const FILES = {
  'tools/secret/plan.ts': '/** Buys the rival. */\nexport default (args: { rival: string }) => args.rival;\n',
};
const RULE = '{ id: secret, deny: [read, run], paths: ["tools/secret/**"]';
const DENIED = `default: allow\nrules:\n  - ${RULE} }\n`;
const HIDDEN = /secret|plan|rival/i;

/**
 * @param {any} kernel
 * @param {string} [token] of its requests
 */
async function connected(kernel, token) {
  const server = await createMcpServer(kernel);
  const client = new Client({ name: 'lists', version: '1.0.0' });
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  if (token !== undefined) {
    const send = mine.send.bind(mine);
    mine.send = (message, options) => send(message, { ...options, authInfo: { token, clientId: 'x', scopes: [] } });
  }
  await Promise.all([server.connect(theirs), client.connect(mine)]);
  onTestFinished(() => client.close());
  return client;
}

/**
 * Every list of tools for a caller without a token, as text.
 * @param {any} kernel
 */
async function listed(kernel) {
  const client = await connected(kernel);
  const lists = {
    prompt: kernel.getSystemPrompt(),
    tools: await kernel.tools(),
    some: await kernel.tools({ limit: 50 }),
    live: await kernel.liveTools(tgpTools(kernel)),
    mcp: (await client.listTools()).tools,
    instructions: client.getInstructions(),
  };
  return Object.entries(lists).map(([list, value]) => /** @type {const} */ ([list, JSON.stringify(value)]));
}

describe('a tool that may be neither read nor run', () => {
  test.each([
    ['a rule about its folder', DENIED],
    ['a default that denies', 'default: deny\nrules:\n  - { id: open, allow: [read, run], paths: ["tools/*.ts"] }\n'],
    ['a rule for agents', `default: allow\nrules:\n  - ${RULE}, principal: ["agent:agent", "agent:mcp"] }\n`],
  ])('is in no list, because of %s', async (_by, policy) => {
    const { kernel } = await policyKernel(policy, { files: FILES });
    await kernel.boot();
    for (const [list, text] of await listed(kernel)) {
      expect(text, list).not.toMatch(HIDDEN);
      expect(text, list).toContain('tools/ok.ts');
    }
  });

  test('is listed if it may be read, may be run, or the arguments decide', async () => {
    for (const rule of [
      '{ id: s, deny: [read], paths: ["tools/secret/**"] }',
      '{ id: s, deny: [run], paths: ["tools/secret/**"] }',
      '{ id: s, deny: [read, run], paths: ["tools/secret/**"], principal: "agent:other" }',
      '{ id: r, deny: [read], paths: ["tools/secret/**"] }\n  - { id: s, deny: [exec_tool], args: { "/args/rival": "x" } }',
      '{ id: s, ask: [read, run], paths: ["tools/secret/**"] }',
    ]) {
      const { kernel } = await policyKernel(`default: allow\nrules:\n  - ${rule}\n`, { files: FILES });
      await kernel.boot();
      expect(JSON.stringify(await kernel.tools()), rule).toContain('tools/secret/plan.ts');
      expect(kernel.getSystemPrompt(), rule).toContain('tools/secret/plan.ts');
    }
  });

  test('is listed if only a named agent or a token holder may run it', async () => {
    const of = (/** @type {string} */ principal) =>
      `default: deny\nrules:\n  - { id: own, allow: [read, run], paths: ["tools/**"], principal: "${principal}" }\n`;
    const named = await policyKernel(of('agent:reporter'), { files: FILES });
    await named.kernel.boot();
    expect(named.kernel.getSystemPrompt()).toContain('tools/secret/plan.ts');
    const held = await policyKernel(of('token:*'), { files: FILES });
    await held.kernel.boot();
    const { token } = await held.kernel.issueToken({ allow: ['read', 'run'] });
    const { tools } = await (await connected(held.kernel, token)).listTools();
    expect(JSON.stringify(tools)).toContain('tools/secret/plan.ts');
  });

  test('disappears from the lists when a rule denies it, and returns when the rule is removed', async () => {
    const { kernel, file } = await policyKernel('default: allow\n', { files: FILES });
    await kernel.boot();
    const live = await kernel.liveTools(tgpTools(kernel));
    const names = async () => {
      await kernel.refreshTools();
      return Object.keys(live).includes('secret_plan');
    };
    expect(await names()).toBe(true);
    let changes = 0;
    kernel.onToolsChanged(() => {
      changes += 1;
    });
    await writeFile(file, DENIED);
    await vi.waitFor(async () => expect(await names()).toBe(false), { timeout: 5_000 });
    expect(kernel.getSystemPrompt()).not.toMatch(HIDDEN);
    expect(changes).toBe(1);
    await writeFile(file, 'default: allow\n');
    await vi.waitFor(async () => expect(await names()).toBe(true), { timeout: 5_000 });
  });

  test('cannot be found through meta.json or the history', async () => {
    const { kernel } = await policyKernel(DENIED, { files: FILES });
    await kernel.boot();
    const { call, guest } = await caller(kernel);
    await kernel.registry.sync();
    for (const [tool, args] of /** @type {[string, any][]} */ ([
      ['read_file', { path: 'meta.json' }],
      ['read_file', { path: './tools/../meta.json' }],
      ['exec_tool', { path: 'meta.json' }],
    ])) {
      expect(await call(tool, args), tool).toMatchObject({ verdict: 'deny', rule: 'secret' });
    }
    expect(await guest("tgp.read_file('meta.json')")).toMatchObject({ verdict: 'deny', rule: 'secret' });
    expect(await guest("require('../meta.json')")).toMatchObject({ verdict: 'deny', rule: 'secret' });
    const client = await connected(kernel);
    await expect(client.readResource({ uri: 'tgp://history' })).rejects.toThrow('ERR_DENIED');
    expect((await call('file_history', { path: 'tools/ok.ts' })).verdict).toBe('allow');
  });

  test('alone restricts meta.json and the history: other rules leave them readable', async () => {
    const { kernel } = await policyKernel('default: allow\nrules:\n  - { id: x, deny: [run], paths: ["lib/**"] }\n');
    await kernel.boot();
    await kernel.registry.sync();
    const { call } = await caller(kernel);
    expect((await call('read_file', { path: 'meta.json' })).verdict).toBe('allow');
    const { contents } = await (await connected(kernel)).readResource({ uri: 'tgp://history' });
    expect(JSON.stringify(contents)).toContain('meta.json');
  });
});

test('a denied tool gives the same answer for all arguments, and each call is recorded', async () => {
  const { kernel } = await policyKernel(DENIED, { files: FILES });
  await kernel.boot();
  const { call } = await caller(kernel);
  const answers = [];
  for (const args of [{ rival: 'a' }, { rival: 1 }, {}]) {
    answers.push(await call('exec_tool', { path: 'tools/secret/plan.ts', args }));
  }
  answers.push(await call('exec_tool', { path: 'tools/secret/none.ts', args: {} }));
  expect(answers[0]).toMatchObject({ verdict: 'deny', rule: 'secret' });
  const messages = answers.map(({ message }) => String(message).replaceAll('none.ts', 'plan.ts'));
  expect(new Set(messages).size).toBe(1);
  await vi.waitFor(async () => expect(await kernel.ledger.query({ type: 'DENIED' })).toHaveLength(4));
});

test('the prompt of an agent with a token names only what the token covers', async () => {
  const { kernel } = await policyKernel('allow', { files: FILES });
  await kernel.boot();
  const { token } = await kernel.issueToken({ allow: ['read', 'run'], paths: ['tools/ok.ts'] });
  /** @type {any[]} */
  const prompts = [];
  const model = agentModel(({ prompt }) => {
    prompts.push(prompt);
    return { text: 'done' };
  });
  await kernel.agent({ model, token }).run('look').result;
  const systemPrompt = JSON.stringify(prompts[0]?.[0]);
  expect(systemPrompt).toContain('tools/ok.ts');
  expect(systemPrompt).not.toMatch(/tools\/secret|rival/);
});

const KEYS = { tokens: { keys: ['a key that has at least 32 bytes in it'] } };
const MORE = { path: 'tools/more.ts', content: '/** More. */\nexport default (_args: object): number => 1;\n' };

test('a request with one token removes no live tools of another token', async () => {
  const { kernel } = await policyKernel('allow');
  await kernel.boot();
  const { token: writes } = await kernel.issueToken({ allow: ['read', 'write'] });
  const { token: runs } = await kernel.issueToken({ allow: ['read', 'run'] });
  const live = await kernel.liveTools(tgpTools(kernel, { token: runs }));
  const client = await connected(kernel, writes);
  const { isError, content } = await client.callTool({ name: 'write_file', arguments: MORE });
  expect(isError, JSON.stringify(content)).toBe(false);
  expect(Object.keys(live)).toEqual(expect.arrayContaining(['ok', 'more']));
});

test('unreadable token counts delay only the live tools of that token, until they are readable again', async () => {
  const { kernel, rootDir } = await policyKernel('allow', { config: KEYS });
  await kernel.boot();
  const { token } = await kernel.issueToken({ allow: ['read', 'run'] });
  const held = await kernel.liveTools(tgpTools(kernel, { token }));
  const free = await kernel.liveTools(tgpTools(kernel));
  /** @type {string[]} */
  const reported = [];
  kernel.onToolsChanged(({ added }) => reported.push(...added.map(({ name }) => name)));
  const counts = join(rootDir, '.git/tgp/counts.db');
  await rm(counts, { force: true });
  await symlink(counts, counts);
  await tgpTools(kernel).write_file.execute(MORE);
  expect([Object.hasOwn(free, 'more'), reported, Object.hasOwn(held, 'more')]).toEqual([true, ['more'], false]);
  await rm(counts);
  await kernel.refreshTools();
  expect(Object.hasOwn(held, 'more')).toBe(true);
});
