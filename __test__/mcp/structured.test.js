import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, onTestFinished, test } from 'vitest';
import { KERNEL_TOOL_FACTS } from '../../dist/boundary/kernel_tool_facts.js';
import { KERNEL_TOOL_NAMES } from '../../dist/forged/tool_names.js';
import { createMcpServer } from '../../dist/mcp.js';
import { createSqlTools, sqlite, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

const mine = {
  description: 'Mine.',
  parameters: { type: 'object', properties: {} },
  inputSchema: { type: 'object', properties: {} },
  execute: async () => ({ any: 1 }),
};

async function connected() {
  const { kernel, tools } = await createKernel({ sandbox: { timeoutMs: 20_000 } });
  await tools.write_file.execute({
    path: 'tools/rows.ts',
    content: "export default (args: { n: number }): string[] => Array.from({ length: args.n }, () => 'some text');",
  });
  const server = await createMcpServer(kernel, {
    tools: { ...tgpTools(kernel), ...createSqlTools(sqlite(':memory:')), mine },
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  // The client validates every structured result against the schemas that it received.
  const { tools: listed } = await client.listTools();
  return { client, listed, byName: Object.fromEntries(listed.map((tool) => [tool.name, tool])) };
}

test('every tool has annotations', async () => {
  const { listed, byName } = await connected();
  expect(listed.length).toBeGreaterThan(13);
  for (const { name, annotations } of listed) {
    expect(annotations, name).toEqual({
      title: expect.stringMatching(/\S/),
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: expect.any(Boolean),
    });
  }
  for (const name of KERNEL_TOOL_NAMES) expect(byName[name]?.annotations?.title, name).toMatch(/^[A-Z]/);
  const readOnly = listed.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
  const reading = KERNEL_TOOL_NAMES.filter((name) => KERNEL_TOOL_FACTS[name].effect === 'read');
  expect(readOnly.sort()).toEqual([...reading, 'test_tool'].sort());
  for (const name of ['exec_tool', 'run_code', 'exec_sql', 'rows', 'mine']) {
    expect(byName[name]?.annotations, name).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  }
  expect(byName.write_file?.annotations).toMatchObject({ destructiveHint: false, idempotentHint: true });
  for (const name of ['delete_file', 'move_file', 'revert_file']) {
    expect(byName[name]?.annotations, name).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  }
});

test('object results have structuredContent that matches their schema, also if cut or failed', async () => {
  const { client, byName } = await connected();
  const kept = /** @type {any} */ (
    await client.callTool({ name: 'write_file', arguments: { path: 'old.txt', content: 'old' } })
  );
  const { commit } = kept.structuredContent;
  const call = (/** @type {string} */ name, /** @type {Record<string, unknown>} */ args) =>
    client.callTool({ name, arguments: args });
  /** @type {[string, Record<string, unknown>, object, boolean][]} */
  const calls = [
    ['write_file', { path: 'a.txt', content: 'x x' }, { success: true, path: 'a.txt', persisted: true }, false],
    ['patch_file', { path: 'a.txt', search: 'x', replace: 'y' }, { success: true, matches: 2 }, false],
    [
      'apply_diff',
      { path: 'a.txt', diff: '<<<<<<< SEARCH\ny x\n=======\nz\n>>>>>>> REPLACE' },
      { success: true, applied: [{ line: 1 }] },
      false,
    ],
    ['move_file', { from: 'old.txt', to: 'new.txt' }, { success: true, path: 'new.txt' }, false],
    ['delete_file', { path: 'new.txt' }, { success: true, path: 'new.txt', persisted: true }, false],
    ['revert_file', { path: 'old.txt', commit }, { success: true, path: 'old.txt' }, false],
    ['run_code', { code: 'return 7' }, { success: true, result: 7 }, false],
    ['run_code', { code: 'throw new Error()' }, { success: false, code: 'ERR_TOOL_THROWN' }, true],
    ['search_files', { pattern: 'z' }, { truncated: false }, false],
    ['check_tool', { path: 'tools/rows.ts' }, { valid: expect.any(Boolean) }, false],
    ['exec_tool', { path: 'tools/rows.ts', args: { n: 1 } }, { success: true, result: ['some text'] }, false],
    ['exec_tool', { path: 'tools/rows.ts', args: { n: 9_000 } }, { success: true, notice: expect.any(String) }, false],
    ['exec_tool', { path: 'tools/rows.ts', args: {} }, { success: false, code: 'ERR_VALIDATION' }, true],
    ['exec_tool', { path: 'tools/row.ts' }, { success: false, code: 'ERR_NOT_FOUND' }, true],
    ['rows', { n: 9_000 }, { success: true, notice: expect.any(String) }, false],
  ];
  for (const [name, args, expected, isError] of calls) {
    expect(byName[name]?.outputSchema, name).toMatchObject({ type: 'object' });
    const result = /** @type {any} */ (await call(name, args));
    expect(result.structuredContent, name).toMatchObject(expected);
    expect(JSON.parse(result.content[0].text), 'the text has the same data').toEqual(result.structuredContent);
    expect(result.content[0].text.length).toBeLessThanOrEqual(16_500);
    expect(result.isError, name).toBe(isError);
  }
  for (const [name, args] of /** @type {const} */ ([
    ['list_files', { dir: '' }],
    ['read_file', { path: 'a.txt' }],
    ['exec_sql', { sql: 'SELECT 1 AS one' }],
    ['describe_schema', {}],
    ['mine', {}],
  ])) {
    expect(byName[name]?.outputSchema, name).toBeUndefined();
    expect(await call(name, args), name).not.toHaveProperty('structuredContent');
  }
  expect(await call('write_file', { path: 'a.txt' }), 'a refusal is text').toMatchObject({ isError: true });
});
