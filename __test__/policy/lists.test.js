/** Lists leave out tools that the caller may neither read nor run, wherever they are shown. */

import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { tgpTools } from '../../index.js';
import { createMcpServer } from '../../mcp.js';
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
 * Every list of tools that is made without a token, as text.
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

describe('a tool that rules deny to read and to run', () => {
  test.each([
    ['a rule about its folder', DENIED],
    ['a default that denies', 'default: deny\nrules:\n  - { id: open, allow: [read, run], paths: ["tools/*.ts"] }\n'],
    ['a rule for agents', `default: allow\nrules:\n  - ${RULE}, principal: ["agent:agent", "agent:mcp"] }\n`],
  ])('is in no list, by %s', async (_by, policy) => {
    const { kernel } = await policyKernel(policy, { files: FILES });
    await kernel.boot();
    for (const [list, text] of await listed(kernel)) {
      expect(text, list).not.toMatch(HIDDEN);
      expect(text, list).toContain('tools/ok.ts');
    }
  });

  test('is listed where it may be read, may be run, or the arguments decide', async () => {
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

  test('is listed where another caller than the one that has no name may run it', async () => {
    const of = (/** @type {string} */ who) =>
      `default: deny\nrules:\n  - { id: own, allow: [read, run], paths: ["tools/**"], principal: "${who}" }\n`;
    const named = await policyKernel(of('agent:reporter'), { files: FILES });
    await named.kernel.boot();
    expect(named.kernel.getSystemPrompt()).toContain('tools/secret/plan.ts');
    const held = await policyKernel(of('token:*'), { files: FILES });
    await held.kernel.boot();
    const { token } = await held.kernel.issueToken({ allow: ['read', 'run'] });
    const { tools } = await (await connected(held.kernel, token)).listTools();
    expect(JSON.stringify(tools)).toContain('tools/secret/plan.ts');
  });

  test('leaves the lists when the rules change, and comes back', async () => {
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

  test('is not read out of meta.json or the history, by any way to them', async () => {
    const { kernel } = await policyKernel(DENIED, { files: FILES });
    await kernel.boot();
    const { call, guest } = await caller(kernel);
    await kernel.registry.sync();
    for (const [tool, args] of /** @type {[string, any][]} */ ([
      ['read_file', { path: 'meta.json' }],
      ['read_file', { path: './tools/../meta.json' }],
      ['exec_tool', { path: 'meta.json' }],
    ])) {
      expect(await call(tool, args), tool).toMatchObject({ said: 'deny', rule: 'secret' });
    }
    expect(await guest("tgp.read_file('meta.json')")).toMatchObject({ said: 'deny', rule: 'secret' });
    expect(await guest("require('../meta.json')")).toMatchObject({ said: 'deny', rule: 'secret' });
    const client = await connected(kernel);
    await expect(client.readResource({ uri: 'tgp://history' })).rejects.toThrow('ERR_DENIED');
    expect((await call('file_history', { path: 'tools/ok.ts' })).said).toBe('allow');
  });

  test('costs others nothing: meta.json and the history are read where no rule forbids a file', async () => {
    const { kernel } = await policyKernel('default: allow\nrules:\n  - { id: x, deny: [run], paths: ["lib/**"] }\n');
    await kernel.boot();
    await kernel.registry.sync();
    const { call } = await caller(kernel);
    expect((await call('read_file', { path: 'meta.json' })).said).toBe('allow');
    const { contents } = await (await connected(kernel)).readResource({ uri: 'tgp://history' });
    expect(JSON.stringify(contents)).toContain('meta.json');
  });
});

test('a denied tool answers alike, and is recorded, whatever the arguments', async () => {
  const { kernel } = await policyKernel(DENIED, { files: FILES });
  await kernel.boot();
  const { call } = await caller(kernel);
  const answers = [];
  for (const args of [{ rival: 'a' }, { rival: 1 }, {}]) {
    answers.push(await call('exec_tool', { path: 'tools/secret/plan.ts', args }));
  }
  answers.push(await call('exec_tool', { path: 'tools/secret/none.ts', args: {} }));
  expect(answers[0]).toMatchObject({ said: 'deny', rule: 'secret' });
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
  const heard = JSON.stringify(prompts[0]?.[0]);
  expect(heard).toContain('tools/ok.ts');
  expect(heard).not.toMatch(/tools\/secret|rival/);
});

const KEYS = { tokens: { keys: ['a key that has at least 32 bytes in it'] } };
const MORE = { path: 'tools/more.ts', content: '/** More. */\nexport default (_args: object): number => 1;\n' };

test('a request with a token takes nothing from the live tools of another token', async () => {
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

test('counts that cannot be read keep neither other live tools nor listeners from a change, nor their own for good', async () => {
  const { kernel, rootDir } = await policyKernel('allow', { config: KEYS });
  await kernel.boot();
  const { token } = await kernel.issueToken({ allow: ['read', 'run'] });
  const held = await kernel.liveTools(tgpTools(kernel, { token }));
  const free = await kernel.liveTools(tgpTools(kernel));
  /** @type {string[]} */
  const told = [];
  kernel.onToolsChanged(({ added }) => told.push(...added.map(({ name }) => name)));
  const counts = join(rootDir, '.git/tgp/counts.db');
  await rm(counts, { force: true });
  await symlink(counts, counts);
  await tgpTools(kernel).write_file.execute(MORE);
  expect([Object.hasOwn(free, 'more'), told, Object.hasOwn(held, 'more')]).toEqual([true, ['more'], false]);
  await rm(counts);
  await kernel.refreshTools();
  expect(Object.hasOwn(held, 'more')).toBe(true);
});
