/** A halt holds for MCP clients and for agents of the kernel, and a plan that is denied changes nothing. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, onTestFinished, test } from 'vitest';
import { createMcpServer } from '../../dist/mcp.js';
import { agentModel } from '../helpers/agent_model.js';
import { guardedKernel, TOOL } from '../helpers/guarded_kernel.js';

test('an MCP client can read a halted workspace, and nothing else', async () => {
  const { kernel, commit } = await guardedKernel();
  const server = await createMcpServer(kernel);
  const client = new Client({ name: 'desk', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  onTestFinished(() => client.close());
  const call = async (/** @type {string} */ name, /** @type {Record<string, unknown>} */ args) => {
    const { content, isError } = /** @type {any} */ (await client.callTool({ name, arguments: args }));
    return { text: String(content[0].text), isError: isError === true };
  };
  expect(await call('exec_tool', { path: 'tools/a.ts', args: { n: 2 } })).toMatchObject({ isError: false });
  commit('tools/b.ts', TOOL);
  for (const [name, args] of /** @type {const} */ ([
    ['exec_tool', { path: 'tools/a.ts', args: { n: 2 } }],
    ['run_code', { code: 'return 1;' }],
    ['write_file', { path: 'tools/c.ts', content: TOOL }],
  ])) {
    const { text, isError } = await call(name, args);
    expect(text, name).toContain('halted');
    expect(isError, name).toBe(true);
  }
  expect(await call('read_file', { path: 'tools/a.ts' })).toEqual({
    text: expect.stringContaining('Doubles'),
    isError: false,
  });
});

test('an agent that is refused by a halt gets the reason', async () => {
  const { kernel, commit, git } = await guardedKernel();
  commit('tools/b.ts', TOOL);
  const head = git('rev-parse', 'HEAD');
  /** @type {any[]} */
  const seen = [];
  const model = agentModel((sent) => {
    seen.push(...sent.seen);
    return sent.turn === 0
      ? { calls: [{ tool: 'write_file', input: { path: 'tools/c.ts', content: TOOL } }] }
      : { text: 'I cannot.' };
  });
  const { outcome } = await kernel.agent({ model }).run('Write a tool.').result;
  expect(outcome).toBe('done');
  expect(JSON.stringify(seen)).toContain('ERR_HALT');
  expect(git('rev-parse', 'HEAD')).toBe(head);
});
