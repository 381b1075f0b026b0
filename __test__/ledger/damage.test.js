/** Recording after damage to the ledger's files, and with unusual paths in calls. */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { ledgerFolder } from '../helpers/ledger.js';

const TOOL = '/** Adds one. */\nexport default (args: { n: number }): number => args.n + 1;\n';

test.each(['spool', '.'])('a running kernel keeps recording after %s is removed', async (what) => {
  const { kernel, tools, rootDir } = await createKernel();
  await tools.write_file.execute({ path: 'tools/a.ts', content: TOOL });
  const folder = ledgerFolder(rootDir);
  rmSync(what === '.' ? folder : join(folder, what), { recursive: true });
  await tools.write_file.execute({ path: 'tools/b.ts', content: TOOL });
  await tools.exec_tool.execute({ path: 'tools/b.ts', args: { n: 1 } });
  const calls = await kernel.ledger.query({ path: 'tools/b.ts', type: 'CALL' });
  expect(calls.map(({ tool }) => tool)).toEqual(['write_file', 'exec_tool']);
});

test('a damaged database does not disable the ledger: reads work, changes are refused', async () => {
  const { kernel: first, tools, rootDir } = await createKernel();
  await tools.write_file.execute({ path: 'tools/a.ts', content: TOOL });
  await first.shutdown();
  writeFileSync(join(ledgerFolder(rootDir), 'ledger.db'), 'no database '.repeat(1000));
  /** @type {string[]} */
  const warnings = [];
  const logger = {
    debug: () => {},
    info: () => {},
    error: () => {},
    warn: (/** @type {string} */ text) => warnings.push(text),
  };
  const config = { rootDir };
  const kernel = new TGP({ config, logger });
  try {
    expect((await kernel.exec('tools/a.ts', { n: 1 })).result).toBe(2);
    expect(warnings.join('\n')).toMatch(/calls that change something are refused/);
    const write = tgpTools(kernel).write_file.execute({ path: 'tools/b.ts', content: TOOL });
    await expect(write).rejects.toMatchObject({ code: 'ERR_LEDGER' });
    await expect(kernel.ledger.verify()).rejects.toMatchObject({ code: 'ERR_LEDGER' });
  } finally {
    await kernel.shutdown();
  }
});

test('a file has one path in the ledger, however calls spell it', async () => {
  const { kernel, tools } = await createKernel();
  await tools.write_file.execute({ path: './tools//q.ts', content: TOOL });
  await tools.read_file.execute({ path: './tools/q.ts' });
  await tools.exec_tool.execute({ path: 'tools/./q.ts', args: { n: 1 } });
  const names = ['tools/q.ts', './tools//q.ts'];
  for (const path of names) {
    const calls = await kernel.ledger.query({ path, type: 'CALL' });
    expect(calls.map(({ tool }) => tool)).toEqual(['write_file', 'read_file', 'exec_tool']);
    expect(await kernel.ledger.chronicle(path)).toHaveLength(7);
  }
});

test('a commit event names its call, and the result of a check is the answer to the agent', async () => {
  const { kernel } = await createKernel();
  const tools = tgpTools(kernel, { session: 'order-77', agent: 'ada' });
  await tools.write_file.execute({
    path: 'tools/a.ts',
    content: 'export default (args: { n: number }): string => args.n;',
  });
  const [commit] = await kernel.ledger.query({ type: 'COMMIT', session: 'order-77' });
  expect(commit).toMatchObject({ actor: { agent: 'agent', id: 'ada' }, path: 'tools/a.ts' });
  const [intent] = await kernel.ledger.query({ tool: 'write_file', type: 'CALL' });
  expect(commit?.call).toBe(intent?.call);
  const answer = await tools.check_tool.execute({ path: 'tools/a.ts' });
  expect(answer.valid).toBe(false);
  const [checked] = await kernel.ledger.query({ tool: 'check_tool', type: 'RESULT' });
  expect(checked).toMatchObject({ path: 'tools/a.ts', result: { valid: false, errors: answer.errors } });
});

test('a redact hook that never answers delays a write once, not for each event', async () => {
  const { tools } = await createKernel({}, { redact: () => new Promise(() => {}) });
  for (let n = 0; n < 4; n++) await tools.list_files.execute({ dir: '.' });
  const began = Date.now();
  await tools.write_file.execute({ path: 'tools/a.ts', content: TOOL });
  // One timeout is five seconds; one for each event would take more than twenty.
  expect(Date.now() - began).toBeLessThan(15_000);
});
