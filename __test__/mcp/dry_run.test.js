/** Servers in dry-run mode, and servers that require a test before a tool. */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, onTestFinished, test } from 'vitest';
import { createMcpServer, serveMcp } from '../../dist/mcp.js';
import { createSqlTools, sqlite, TGP, tgpTools, ValidationError } from '../../index.js';
import { CLI } from '../../tools/run_cli.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { fingerprint } from '../helpers/folder_fingerprint.js';
import { tempRoot } from '../helpers/temp_root.js';

const SAVE = `/** Saves a note. */
export default async function save(args: { text: string }): Promise<number> {
  await tgp.write_file('out/note.txt', args.text);
  return args.text.length;
}
`;
const WRITE = { path: 'tools/new.ts', content: 'return 1' };

/** @param {import('@modelcontextprotocol/sdk/shared/transport.js').Transport} transport */
async function connect(transport) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  // The client validates every structured result against the schemas that it received.
  const { tools } = await client.listTools();
  const call = async (/** @type {string} */ name, /** @type {any} */ args) => {
    const { content, isError, structuredContent } = /** @type {any} */ (
      await client.callTool({ name, arguments: args })
    );
    return { text: String(content[0].text), isError, data: structuredContent };
  };
  return { client, call, byName: Object.fromEntries(tools.map((tool) => [tool.name, tool])) };
}

/**
 * @param {TGP} kernel
 * @param {Parameters<typeof createMcpServer>[1]} options
 */
async function served(kernel, options) {
  const server = await createMcpServer(kernel, options);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  return connect(here);
}

async function workspace() {
  const folder = await tempRoot();
  const file = join(folder, 'tgp.config.json');
  await writeFile(file, JSON.stringify({ policy: 'allow', fs: { allowedDirs: ['./out'] } }));
  const kernel = new TGP({ configFile: file });
  await tgpTools(kernel).write_file.execute({ path: 'tools/save.ts', content: SAVE });
  return { kernel, folder };
}

/** @type {[string, (kernel: TGP) => Parameters<typeof createMcpServer>[1]][]} */
const SERVERS = [
  ['dryRun: true', () => ({ dryRun: true })],
  // The SQL tools come first, and are created without `dryRun`.
  [
    'tools created with dryRun: true',
    (kernel) => ({ tools: { ...createSqlTools(kernel), ...tgpTools(kernel, { dryRun: true }) } }),
  ],
];

test.each(SERVERS)('with %s every call is previewed, also of forged tools by name', async (_, options) => {
  const { kernel: first, folder } = await workspace();
  await first.shutdown();
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.json'), sql: sqlite(':memory:') });
  onTestFinished(() => kernel.shutdown());
  const { call, byName } = await served(kernel, options(kernel));
  const before = fingerprint(join(folder, '.tgp'));
  const preview = { dryRun: true, text: expect.stringContaining('This is a dry run: nothing was changed.') };

  expect(await call('write_file', WRITE)).toMatchObject({
    isError: false,
    data: { ...preview, diffs: [{ path: 'tools/new.ts', diff: expect.stringContaining('+return 1') }] },
  });
  const saved = { isError: false, data: { ...preview, result: 5, diffs: [{ path: 'out/note.txt' }] } };
  expect(await call('save', { text: 'hello' }), 'by its name').toMatchObject(saved);
  expect(await call('exec_tool', { path: 'tools/save.ts', args: { text: 'hello' } })).toMatchObject(saved);
  expect(
    await call('exec_tool', { path: 'tools/gone.ts', args: {} }),
    'a failure matches the schema too',
  ).toMatchObject({
    isError: true,
    data: { success: false, code: 'ERR_NOT_FOUND' },
  });
  expect((await call('read_file', { path: 'tools/save.ts' })).text, 'reading works as usual').toContain(
    'Saves a note.',
  );
  for (const name of ['write_file', 'delete_file', 'exec_tool', 'run_code', 'save']) {
    expect(byName[name]?.annotations, name).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  }
  expect(existsSync(join(folder, 'out/note.txt'))).toBe(false);
  expect(fingerprint(join(folder, '.tgp'))).toEqual(before);
});

test('the test mode applies to the clients of a server, and is in their instructions', async () => {
  const { kernel } = await createKernel();
  const { call, client } = await served(kernel, { mode: 'strict' });
  expect(client.getInstructions()).toContain('Mode strict: test first.');
  expect(await call('write_file', WRITE)).toMatchObject({ isError: true, text: expect.stringContaining('ERR_STATE') });
  const free = await served(kernel, {});
  expect(free.client.getInstructions()).not.toContain('Mode strict');
  expect(await free.call('write_file', WRITE)).toMatchObject({ isError: false });
  expect(await call('new', {}), 'also for tools by name').toMatchObject({
    isError: true,
    text: expect.stringContaining('ERR_STATE'),
  });
  expect(await free.call('new', {})).toMatchObject({ isError: false });
});

test('invalid options are refused before a client is served', async () => {
  const { kernel, tools } = await createKernel();
  for (const wrong of [{ dryRun: 'yes' }, { mode: 'tdd' }, { dryRun: true, tools }, { mode: 'strict', tools }]) {
    const options = /** @type {any} */ (wrong);
    await expect(createMcpServer(kernel, options), JSON.stringify(Object.keys(wrong))).rejects.toThrow(ValidationError);
    await expect(serveMcp(kernel, options)).rejects.toThrow(ValidationError);
  }
});

test('tgp mcp accepts --dry-run and --mode', async () => {
  const { kernel, folder } = await workspace();
  await kernel.shutdown();
  const open = (/** @type {string[]} */ ...more) =>
    connect(new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', ...more], cwd: folder }));
  const dry = await open('--dry-run');
  expect(dry.client.getInstructions()).toMatch(/^Every call is a dry run here/);
  expect(await dry.call('save', { text: 'hello' })).toMatchObject({ data: { dryRun: true, result: 5 } });
  expect(existsSync(join(folder, 'out/note.txt'))).toBe(false);
  const strict = await open('--mode', 'strict');
  expect(await strict.call('save', { text: 'hello' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('ERR_STATE'),
  });
});
