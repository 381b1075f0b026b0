/** A workspace whose records contradict each other halts, for every caller, and reading goes on. */

import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { createSqlTools, sqlite, TGP, tgpTools } from '../../index.js';
import { byHand, codeOf, guardedKernel, TOOL } from '../helpers/guarded_kernel.js';
import { runProgram } from '../helpers/run_program.js';

const NESTED = '/** Calls. */\nexport default async (args: { n: number }) => tgp.exec_tool("tools/a.ts", args);\n';

test('a file that was removed by hand halts every call that does more than read', async () => {
  const options = { sql: sqlite(':memory:') };
  const { kernel, tools, commit } = await guardedKernel({ guardian: 'halt' }, options);
  await tools.write_file.execute({ path: 'tools/b.ts', content: NESTED });
  expect((await kernel.exec('tools/b.ts', { n: 2 })).result).toBe(4);
  const removed = commit('tools/a.ts', undefined);

  const failed = await kernel.exec('tools/b.ts', { n: 2 }).catch((error) => error);
  expect(failed).toMatchObject({ code: 'ERR_HALT', details: { code: 'EHALT', subject: 'tools/a.ts' } });
  expect(failed.message).toContain('exists in the ledger, but not in Git');
  expect(failed.message).toContain(removed.slice(0, 12));
  expect(await codeOf(tools.write_file.execute({ path: 'tools/c.ts', content: TOOL }))).toBe('ERR_HALT');
  expect(await codeOf(kernel.tools.write('tools/c.ts', TOOL))).toBe('ERR_HALT');
  const { exec_sql } = createSqlTools(kernel);
  expect(await codeOf(exec_sql.execute({ sql: 'select 1' }))).toBe('ERR_HALT');
  for (const call of [
    tools.exec_tool.execute({ path: 'tools/b.ts', args: { n: 1 } }),
    tools.run_code.execute({ code: 'return 1;' }),
  ]) {
    expect(await call).toMatchObject({ success: false, code: 'ERR_HALT' });
  }
  // Reading goes on.
  expect(await tools.read_file.execute({ path: 'tools/b.ts' })).toBe(NESTED);
  expect(await tools.list_files.execute({ dir: 'tools' })).toContain('tools/b.ts');

  const halts = await kernel.ledger.tail({ type: 'HALT' });
  expect(halts).toHaveLength(1);
  expect(halts[0]).toMatchObject({
    code: 'EHALT',
    path: 'tools/a.ts',
    ledger: 'exists',
    git: 'absent',
    commit: removed,
    actor: { agent: 'guardian' },
  });
});

test('a file that was added by hand halts too, and the kernel continues when the cause is gone', async () => {
  const { kernel, commit } = await guardedKernel();
  commit('tools/added.ts', TOOL);
  expect(await codeOf(kernel.exec('tools/a.ts', { n: 1 }))).toBe('ERR_HALT');
  commit('tools/added.ts', undefined);
  expect((await kernel.exec('tools/a.ts', { n: 1 })).result).toBe(2);
  expect(await kernel.ledger.tail({ type: 'HALT' })).toHaveLength(1);
});

test('commits that are dropped by a reset are found', async () => {
  const { kernel, git } = await guardedKernel();
  await kernel.tools.write('tools/b.ts', TOOL);
  git('reset', '-q', '--hard', 'HEAD~1');
  const { contradictions } = await kernel.guardian.check();
  expect(contradictions.map(({ filePath, git: inGit }) => [filePath, inGit])).toEqual([['tools/b.ts', 'absent']]);
  expect(await codeOf(kernel.exec('tools/a.ts', { n: 1 }))).toBe('ERR_HALT');
});

test('a running tool that makes a nested call is stopped by a halt', async () => {
  /** @type {() => void} */
  let remove = () => {};
  const sandboxAPI = { remove: async () => remove() };
  const { kernel, tools, commit } = await guardedKernel({ guardian: 'halt' }, { sandboxAPI });
  const nested =
    '/** Calls. */\nexport default async (args: { n: number }) => { await tgp.remove(); return tgp.exec_tool("tools/a.ts", args); };\n';
  await tools.write_file.execute({ path: 'tools/late.ts', content: nested });
  remove = () => void commit('tools/other.ts', TOOL);
  const failed = await kernel.exec('tools/late.ts', { n: 1 }).catch((error) => error);
  expect(failed.message).toContain('halted');
});

test('a halt holds in other processes and after a restart, for agents too', async () => {
  const { kernel, rootDir, commit } = await guardedKernel();
  commit('tools/a.ts', undefined);
  expect(await codeOf(kernel.tools.write('tools/c.ts', TOOL))).toBe('ERR_HALT');
  const program = `
    const kernel = new TGP({ config: { rootDir: ${JSON.stringify(rootDir)}, guardian: 'halt' } });
    const code = await kernel.tools.write('tools/c.ts', 'export default () => 1;').catch((error) => error.code);
    console.log(JSON.stringify([code, await kernel.vfs.exists('tools/c.ts')]));
    await kernel.shutdown();`;
  expect(await runProgram(dirname(rootDir), program)).toEqual(['ERR_HALT', false]);
  await kernel.shutdown();
  const again = new TGP({ config: { rootDir, guardian: 'halt' } });
  try {
    expect(
      await codeOf(tgpTools(again, { agent: 'a' }).write_file.execute({ path: 'tools/c.ts', content: TOOL })),
    ).toBe('ERR_HALT');
    expect(await again.ledger.tail({ type: 'HALT' })).toHaveLength(1);
    await again.guardian.reconcile({ filePath: 'tools/a.ts', diffRef: 'r1' });
    expect(await codeOf(again.tools.write('tools/c.ts', TOOL))).toBeUndefined();
  } finally {
    await again.shutdown();
  }
});

test('hand edits do not halt by default, and are logged in mode warn', async () => {
  const { kernel, commit } = await guardedKernel({});
  commit('tools/a.ts', undefined);
  commit('tools/b.ts', TOOL);
  expect((await kernel.exec('tools/b.ts', { n: 1 })).result).toBe(2);
  expect(await kernel.ledger.tail({ type: 'HALT' })).toHaveLength(0);

  /** @type {string[]} */
  const warnings = [];
  const logger = { debug() {}, info() {}, warn: (/** @type {string} */ text) => warnings.push(text), error() {} };
  const warned = await guardedKernel({ guardian: 'warn' }, { logger });
  warned.commit('tools/a.ts', undefined);
  await warned.kernel.tools.write('tools/c.ts', TOOL);
  await expect.poll(() => warnings.join()).toContain('tools/a.ts exists in the ledger, but not in Git');
  expect(await warned.kernel.ledger.tail({ type: 'HALT' })).toHaveLength(0);
});

test('files that are older than the ledger, drafts, and commits of kernels are not contradictions', async () => {
  const { kernel, rootDir, tools } = await guardedKernel({});
  await tools.write_file.execute({ path: 'tools/a.ts', content: `${TOOL}// changed\n` });
  await kernel.tools.write('data/x.json', '{}');
  await tools.delete_file.execute({ path: 'tools/a.ts' });
  await tools.write_file.execute({ path: 'tools/draft.ts', content: 'export default (' }).catch(() => undefined);
  const { git } = byHand(rootDir);
  expect(git('log', '--format=%s')).not.toBe('');
  expect(await kernel.guardian.check()).toEqual({ ok: true, contradictions: [], violations: [], halts: [] });
});

test('a guardian without a ledger is refused', async () => {
  const kernel = new TGP({ config: { guardian: 'halt', ledger: false } });
  const failed = await kernel.boot().catch((error) => error);
  expect(failed).toMatchObject({ code: 'ERR_CONFIG', details: { key: 'guardian' } });
  await kernel.shutdown();
});
